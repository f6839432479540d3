"""Counters of RTL coverage, in the files that Verilator writes (+rtl-coverage=FILE)."""
import collections
import gzip
import pathlib

HEAD = "# SystemC::Coverage-"
Point = collections.namedtuple("Point", "file line column kind text")


class CountersError(Exception):
    """What is wrong with a file, in one line."""


def point_of(keys, where):
    """The point of one line's keys: 'line' for a branch or a block, 'toggle' for a bit."""
    values = dict(part.split("\x02", 1) for part in keys.split("\x01") if "\x02" in part)
    try:
        kind = "toggle" if values["page"].startswith("v_toggle") else "line"
        return Point(values["f"], int(values["l"]), int(values["n"]), kind, values.get("o", ""))
    except (KeyError, ValueError):
        raise CountersError(f"{where}: no counter of a line: expected file, line, column and page") from None


def read(path):
    """The counts of a file, by point. Those of a module's instances are one."""
    try:
        data = pathlib.Path("/dev/stdin" if path == "-" else path).read_bytes()
        lines = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode().split("\n")
    except (OSError, ValueError, EOFError) as error:
        raise CountersError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not lines[0].startswith(HEAD):
        raise CountersError(f"{path}:1: no RTL coverage: expected {HEAD}N, as +rtl-coverage=FILE writes it")
    counts = collections.Counter()
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        keys, quote, count = line.removeprefix("C '").rpartition("' ")
        if not line.startswith("C '") or not quote or not count.isdecimal():
            raise CountersError(f"{path}:{number}: expected C 'KEYS' COUNT")
        counts[point_of(keys, f"{path}:{number}")] += int(count)
    return counts


def merge(paths):
    """The sum of files. Points that only some of them have, as of cores of other parameters, count as well."""
    counts = collections.Counter()
    for path in paths:
        one = read(path)
        for point, count in one.items():  # A Counter's own sum would drop those of count 0
            counts[point] += count
    return counts


def write(counts, file):
    """As Verilator writes it, so that its own tools read it, too."""
    file.write(f"{HEAD}3\n")
    for p in sorted(counts):
        page = f"v_{p.kind}/{pathlib.Path(p.file).stem}"
        keys = "".join(f"\x01{key}\x02{value}" for key, value in (("f", p.file), ("l", p.line), ("n", p.column), ("page", page), ("o", p.text)))
        file.write(f"C '{keys}' {counts[p]}\n")


def files_of(counts):
    """The points of each source file, those with the most holes first."""
    files = collections.defaultdict(list)
    for point in sorted(counts):
        files[point.file].append(point)
    return dict(sorted(files.items(), key=lambda item: (-sum(not counts[p] for p in item[1]), item[0])))


def rank(paths):
    """Rows (file, points it adds, points so far, its own points), each time the file that adds the most; and the number of all points."""
    left, known = {}, set()
    for path in paths:
        counts = read(path)
        known.update(counts)
        left[path] = {p for p, count in counts.items() if count}
    rows, hit = [], set()
    while left:
        path = max(left, key=lambda name: len(left[name] - hit))  # Of equals the first
        own = left.pop(path)
        rows.append((path, len(own - hit), len(hit | own), len(own)))
        hit |= own
    return rows, len(known)
