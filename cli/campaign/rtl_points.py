"""RTL coverage of a campaign: how often its runs came to each point of the cores' sources, in the database."""
import io
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "rtl"))

import counters  # noqa: E402
import report  # noqa: E402

MOST = 8  # Classes of a point's count in one run: 1, 2 and 3, 4 to 7, ..., from 128 on
NAME = "rtl-coverage"


class Points:
    """All points so far: [hits of all runs, set of bits of the classes that single runs had]."""

    def __init__(self, store):
        self.store = store
        self.found = {counters.Point(*row[:5]): list(row[5:]) for row in store.rows("select * from points")}

    def take(self, path):
        """Add the counters of a run: the numbers of points, and of classes of points, that it is the first to have. CountersError."""
        points = classes = 0
        for point, count in counters.read(path).items():
            seen = self.found.setdefault(point, [0, 0])
            new = (1 << min(count.bit_length(), MOST) >> 1) & ~seen[1]
            points, classes = points + (not seen[1] and count > 0), classes + (new > 0)
            seen[0], seen[1] = seen[0] + count, seen[1] | new
        return points, classes

    def save(self):
        for point, seen in self.found.items():
            self.store.do("insert or replace into points values (?, ?, ?, ?, ?, ?, ?)", (*point, *seen))


def gather(campaign, files):
    """Add the files that runs have left, by run. Runs that are the first at points, or at counts of them, are the corpus."""
    points = Points(campaign.store)
    for path in files:
        try:
            new = points.take(path)
            if any(new):
                campaign.store.do("insert or ignore into corpus values (?, ?, ?)", (int(path.stem), *new))
        except counters.CountersError as error:  # Of a core that was killed while it wrote it
            print(f"karat campaign: RTL coverage left out: {error}", file=sys.stderr)
    points.save()
    campaign.commit(now=True)
    for path in files:
        path.unlink()


def write(campaign):
    """The sum for karat cov --rtl, and its page."""
    counts = counters.collections.Counter({point: hits for point, (hits, _) in Points(campaign.store).found.items()})
    data = io.StringIO()
    counters.write(counts, data)
    for name, text in ((f"{NAME}.dat", data.getvalue()), (f"{NAME}.html", report.page(counts))) if counts else ():
        part = campaign.folder / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.rename(campaign.folder / name)


def sums(store):
    """A row for each source file, those with the most holes first, and for all: (name, points, hit)."""
    rows = store.rows("select file, count(*) as points, total(hits > 0) as hit from points group by file order by points - hit desc, file")
    return [*[(row[0], row[1], int(row[2])) for row in rows], ("all", sum(row[1] for row in rows), int(sum(row[2] for row in rows)))] if rows else []


def line(store):
    """One line of the summary, in a list; none where no core has counters."""
    runs, fuzz = store.do("select count(*), total(program like 'fuzz:%') from corpus join runs using (run)").fetchone()
    return [f"RTL coverage: {hit} of {points} points, {report.percent(hit, points):.2f} %; {runs} runs were the first at points or counts of them"
            + (f", {int(fuzz)} of them by fuzz" if fuzz else "") for _, points, hit in sums(store)[-1:]]
