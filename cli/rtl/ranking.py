"""Suspects of a failing run: statements of the core, the most suspicious first."""
import collections
import math
import re

import design as designs

EARLY = 0.6  # Weight of the cycles in front of the issue, in which other instructions are fetched and decoded
# Chosen on markers (tests/rtl/locate_score.py): exponents of what the windows say, of the distance, of the number of signals that are read;
# and how much less a statement without a counter, a port and one outside of the slice is worth.
WINDOWS, DISTANCE, READS = 6.2, -0.9, 2
NO_COUNTER, PORT, OUTSIDE = 0.4, 0.2, 0.02
MOST_READS = 8  # More do not count
SPAN, GAP = 10, 2  # Lines of a suspect, and from one of its statements to the next

Suspect = collections.namedtuple("Suspect", "score file line last at failing passing distance signals effect")


def starts_of(design, records, fields):
    """Places of these fields of the records, and the conditions under which they are sent where there are no fields."""
    places, heads = [], []
    for sink in design.sinks:
        if sink.record in records:
            spans = [design.types.field(design.var_types[sink.argument], field) for field in fields]
            places += [designs.Place(sink.argument, *span) for span in spans if span]
            if not any(spans):
                heads += sink.heads
    return places, heads


def asserted(design, failure):
    """Places that the assertion which failed reads, now and in the cycle before."""
    match = re.match(r"assertion failed: (.+):(\d+)", failure.get("detail", ""))
    places = design.assertions.get((match[1], int(match[2])), []) if match else []
    return [p for place in places for p in (place, *design.past.get(place.signal, ()))]


def checked(design, failure):
    """Places of the core that the checker has found right for this instruction: they end the slice."""
    if failure["records"] in (["issue"], ["read"]) or "instruction" not in failure:
        return []  # It is no result that is wrong
    fields = {"issue": ["pc", "word", "prefix", "mask"]}
    if all(read.get("alike") for read in failure["instruction"].get("reads", [])):
        fields["read"] = ["data"]
    found = []
    for record, names in fields.items():
        places, _ = starts_of(design, [record], names)
        found += outside(design, places, {s.path.split("/")[0] for s in design.sinks})
    return found


def outside(design, places, probes):
    """The places outside of the probes from which these are made."""
    queue, seen, found = list(places), set(), []
    while queue:
        place = queue.pop()
        if place in seen:
            continue
        seen.add(place)
        if place.signal.path.split("/")[0] not in probes:
            found.append(place)
            continue
        for written, s in design.writers.get(place.signal, ()):
            if designs.overlaps(written, place):
                queue += designs.sources(s, place)
    return found


def point_in(counted, point):
    """The counter of a statement's block; that of an 'else if' is at its own column."""
    if point is None:
        return None
    if tuple(point) in counted:
        return tuple(point)
    other = (point.module, point.line, point.column - 1)
    return other if other in counted else None


class Ranking:
    """What the windows and the slice say of each statement."""

    def __init__(self, design, verdict, windows, counted, ever):
        self.design, self.failure = design, verdict["failure"]
        self.windows, self.counted, self.ever = windows, counted, ever
        self.failing = [w for w in windows if w.kind.startswith("failing")]
        self.passing = [w for w in windows if not w.kind.startswith("failing")]
        self.relevance = self.relevances()
        self.probes = {s.path.split("/")[0] for s in design.sinks}
        self.records, self.fields = self.failure["records"], self.failure["fields"]
        other = "the assertion" if asserted(design, self.failure) else "the failure"
        self.about = " ".join(["/".join(self.records).upper() or other, *self.fields])
        self.known, self.effects = {}, {}  # Effects: of mutants (experiments.py), by file and line

    def hits(self, point):
        """(failing, other) windows in which a point ran in front of the issue, and those in which it ran from there on."""
        if point not in self.known:
            self.known[point] = tuple((sum(point in getattr(w, part) for w in self.failing), sum(point in getattr(w, part) for w in self.passing))
                                      for part in ("before", "ran"))
        return self.known[point]

    def suspicion(self, point):
        """Ochiai's measure, of the part of the windows in which it is larger; and (failing, other) windows of that part."""
        def ochiai(failed, passed):
            return failed / math.sqrt(len(self.failing) * (failed + passed)) if failed else 0.0
        return max((weight * ochiai(*part), part) for weight, part in zip((EARLY, 1.0), self.hits(point)))

    def slice(self):
        """Distances of the statements that can have changed the record, as far as they ran at all before the failure. Where a record is
        missing, or too many, what did not run counts as well."""
        places, heads = starts_of(self.design, self.records, self.fields)
        places += asserted(self.design, self.failure)

        def runs(point):
            return point is None or point in self.ever

        return designs.slice_back(self.design, places, heads, runs if self.fields else None, checked(self.design, self.failure),
                                  lambda point: point_in(self.counted, point))

    def of_probe(self, s):
        """Whether a statement is in a probe, or connects one of its ports."""
        return any(path.split("/")[0] in self.probes for path in (s.path, *(p.signal.path for p in s.writes if s.kind == "port")))

    def candidates(self):
        """(statement, counter, counter of what takes its value, distance) of all statements outside of the probes that are in the slice or can
        have run; the last two None outside of the slice."""
        found = self.slice()
        for s in self.design.statements:
            point = point_in(self.counted, s.point)
            distance, taker = found.get(s, (None, None))
            if not self.of_probe(s) and (s in found or point is None or point in self.ever):
                yield s, point, taker, distance

    def relevances(self):
        """Of each module: how much more often one of its points runs with instructions of the failing one's name than with others."""
        names = {w.text.split(" ")[0] for w in self.windows if w.kind == "failing"}
        same = [w for w in self.windows if w.text.split(" ")[0] in names]
        other = [w for w in self.windows if w.text.split(" ")[0] not in names]
        found = collections.Counter()
        for part in ("before", "ran"):
            here, there = (collections.Counter(p for w in group for p in getattr(w, part)) for group in (same, other))
            for point, count in here.items():
                found[point[0]] = max(found[point[0]], count / len(same) - there[point] / max(1, len(other)))
        return found

    def score(self, statement, point, taker, distance):
        """A statement that combines signals is more often wrong than one that hands them on."""
        always = math.sqrt(len(self.failing) / len(self.windows))  # Ochiai's measure of what runs in all windows
        at = point or taker
        module = at[0] if at else self.design.instances[statement.path.split("/")[0]].module
        own = always if at is None else self.suspicion(at)[0]
        return math.prod((math.exp(WINDOWS * own * self.relevance[module]), (1 + min(MOST_READS, len(set(statement.reads)))) ** READS,
                          OUTSIDE if distance is None else (1 + distance) ** DISTANCE,
                          NO_COUNTER if point is None else 1, PORT if statement.kind == "port" else 1))

    def lines(self):
        """The most suspicious statement of each line: (score, statement, point, distance)."""
        best = {}
        for s, point, taker, distance in self.candidates():
            key = (s.file, s.line)
            found = (self.score(s, point, taker, distance) * (self.effects[key].weight if key in self.effects else 1), s, point, distance)
            if key not in best or found[0] > best[key][0]:
                best[key] = found
        return best.values()

    def entries(self):
        """The suspects, the most suspicious first: neighbouring lines of one block are one, at the most suspicious of them."""
        blocks, groups = collections.defaultdict(list), []
        for found in self.lines():
            s, point = found[1:3]
            blocks[s.file, point, s.path if s.kind == "port" else ""].append(found)
        for rows in blocks.values():
            for found in sorted(rows, key=lambda f: (f[1].line, f[1].last)):
                s = found[1]
                if groups and groups[-1][0] is rows and s.line - groups[-1][2] <= GAP and s.last - groups[-1][1] < SPAN:
                    groups[-1][2] = max(groups[-1][2], s.last)
                    groups[-1][3] = max(groups[-1][3], found, key=lambda f: f[0])
                else:
                    groups.append([rows, s.line, s.last, found])
        suspects = [self.suspect(first, last, *found) for _, first, last, found in groups]
        return sorted(suspects, key=lambda e: (-e.score, e.distance or 0, e.file, e.line))

    def suspect(self, first, last, score, s, point, distance):
        failed, passed = (None, None) if point is None else self.suspicion(point)[1]
        return Suspect(score, s.file, first, last, s.line, failed, passed, distance, signals_of(self.design, s),
                       self.effects.get((s.file, s.line)))


def signals_of(design, s):
    """(name, bits) of the signals that a statement writes or reads, those of functions left out."""
    signals = dict.fromkeys(p.signal for p in [*s.writes, *s.reads] if "/" not in p.signal.path)
    return [(f"{g.path}.{g.name}", design.types.width(design.var_types[g]) or 1) for g in signals]
