"""The signature of a failure: what a bucket is made from. Each part is a text or a list of texts, so that a distance can be inspected."""
import functools
import json
import re
import subprocess


WAITS = re.compile(r"waits (?:for (?:the write|memory|[a-z]+)|to be \w+|at a \w+)|owes nothing and could issue|does not say that it is done")


class Isa:
    """Units and classes of instructions, from karat isa."""

    def __init__(self, karat):
        self.karat = karat

    @functools.cached_property
    def units(self):
        table = json.loads(subprocess.run([self.karat, "isa", "--json"], check=True, capture_output=True).stdout)
        return {row["mnemonic"]: row["unit"] for row in table}

    def unit(self, instruction):
        base = re.sub(r"\.(aq|rl|aqrl)$", "", instruction)
        return self.units.get(base, "") if base else ""


def mnemonic(text):
    return text.split()[0] if text.split() else ""


def plain(text):
    """A message without its numbers and paths."""
    return re.sub(r"\S*/\S+", "FILE", re.sub(r"(0x)?[0-9a-f]*\d[0-9a-f]*", "N", text))[:120]


def shape(cause):
    """What a cause says, without its numbers and registers."""
    if " itself" in cause or not cause:
        return "itself" if cause else ""
    return "memory" if "memory returned" in cause else "the read" if "read of" in cause or "path of" in cause else "several"


def waits(detail):
    """What a hang waits for, without places."""
    text = detail.partition("): ")[2] or detail
    found = WAITS.findall(text)
    return "; ".join(sorted(set(found))) or plain(text)


def which_lanes(failure):
    """The lanes that differ, as a shape."""
    lanes = failure.get("lanes", 0)
    active = failure.get("instruction", {}).get("mask_before", 0)
    if not lanes:
        return ""
    if lanes == active:
        return "all active"
    if lanes == 1:
        return "lane 0"
    return "one lane" if lanes & (lanes - 1) == 0 else "some lanes"


def which_bits(detail):
    """The bits that differ, as a shape: of all lanes together."""
    words = [int(word, 16) for word in re.findall(r"\bxor ([0-9a-f]{8})\b", detail)]
    bits = 0
    for word in words:
        bits |= word
    if not bits:
        return ""
    if bits == 1 << 31:
        return "top bit"
    low = bits & -bits
    return "low bits" if bits < 8 else "one bit" if bits == low else "low half" if bits < 1 << 16 else "high half" if low >= 1 << 16 else "many bits"


def signature_of(result, isa):
    """Of a failed run."""
    report = result["report"] or {}
    failure = report.get("failure", {})
    instruction = failure.get("instruction", {})
    name, detail = mnemonic(instruction.get("text", "")), failure.get("detail", "")
    hang = result["verdict"] == "HANG"
    defects = report.get("defects", [])
    first = next((d for d in defects if d["kind"] == failure.get("kind") and d.get("instruction", "") == name), {})
    tops = [p for p in failure.get("producers", []) if p.get("depth") == 0]
    producers = sorted({f"{isa.unit(mnemonic(p.get('text', ''))) or p['origin']}, {p.get('result', '')}".rstrip(", ") for p in tops
                        if p.get("result") not in ("written right", "read right")})
    what = waits(detail) if hang else plain(detail.splitlines()[0] if detail else result["problem"])
    return {"kind": result["kind"] or result["verdict"], "rule": ", ".join(failure.get("rule", [])), "unit": isa.unit(name), "instruction": name,
            "prefix": "prefix" if instruction.get("prefix") else "", "operands": first.get("operands", ""), "lanes": which_lanes(failure),
            "bits": which_bits(detail), "producers": producers, "cause": shape(failure.get("cause", {}).get("text", "")), "origin": what,
            "defects": sorted({f"{d['kind']}, {isa.unit(d.get('instruction', ''))}" for d in defects})}
