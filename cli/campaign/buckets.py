"""Buckets: failures that mean one bug. The distance of two signatures is a sum of parts, each of which can be inspected."""
import dataclasses
import json

from signature import stem

WEIGHTS = {"kind": 4, "rule": 2, "unit": 3, "instruction": 1, "prefix": 0.25, "operands": 1, "lanes": 1, "bits": 2.25, "producers": 1.5, "cause": 1,
           "origin": 3.2, "defects": 2, "assertion": 4, "suspects": 1, "stems": 1, "smallest": 1}
LISTS = ("producers", "defects", "suspects", "stems", "smallest")
LIMIT = 3.0  # Given two failures of one bucket


def overlap(one, other):
    """How far two lists are apart: 0, the smaller is part of the other; 1, nothing in common."""
    one, other = set(one), set(other)
    return 1 - len(one & other) / min(len(one), len(other)) if one and other else float(one != other)


def part(name, one, other):
    """How far two signatures are apart in that part, from 0 to 1."""
    if one == other:
        return 0.0
    if name == "instruction":
        return 0.5 if stem(one) == stem(other) else 1.0
    if name == "smallest":  # Known of failures that were shrunk
        return 1 - len(set(one) & set(other)) / len(set(one) | set(other)) if one and other else 0.0
    if name in LISTS:
        return overlap(one, other)
    return 1.0


def parts(one, other):
    """The distance by part: those that are not 0."""
    apart = {name: weight * part(name, one[name], other[name]) for name, weight in WEIGHTS.items()}
    return {name: round(value, 3) for name, value in apart.items() if value}


def distance(one, other):
    return sum(parts(one, other).values())


@dataclasses.dataclass
class Bucket:
    number: int
    leader: int
    signature: dict
    members: list


class Sorter:
    """Puts failures into buckets, in the order of their runs: whatever order the runs were made in, the buckets are the same."""

    def __init__(self):
        self.buckets, self.place = [], {}

    def add(self, run, signature):
        """The bucket of a failure; new is whether it is its first."""
        near = min(((distance(signature, b.signature), b.number, b) for b in self.buckets), default=(LIMIT + 1, 0, None))
        new = near[0] > LIMIT
        bucket = Bucket(len(self.buckets) + 1, run, signature, []) if new else near[2]
        if new:
            self.buckets.append(bucket)
        bucket.members.append(run)
        self.place[run] = (bucket.number, parts(signature, bucket.signature))
        return bucket, new


def signature_in(row):
    """The signature in a row of failures."""
    return {name: json.loads(row[name]) if name in LISTS else row[name] for name in WEIGHTS}


def quality(pairs):
    """Of pairs (bucket, fault): purity, the share of failures that are of their bucket's most frequent fault; split, buckets for each fault."""
    buckets, faults = {}, {}
    for bucket, fault in pairs:
        buckets.setdefault(bucket, []).append(fault)
        faults.setdefault(fault, set()).add(bucket)
    pure = sum(max(members.count(fault) for fault in set(members)) for members in buckets.values())
    return {"failures": len(pairs), "buckets": len(buckets), "faults": len(faults), "purity": pure / len(pairs) if pairs else 1.0,
            "split": sum(map(len, faults.values())) / len(faults) if faults else 0.0}
