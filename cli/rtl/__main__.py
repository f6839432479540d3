"""karat cov --rtl, and karat locate. cov.c and locate.c read the command line, and hand over the options as --name=value, in front of
--, and the words, the first of which says what to do."""
import io
import pathlib
import sys
import tempfile

# scripts/ is beside this folder where Karat is installed, and at the top of the source tree.
sys.path.append(next(str(p / "scripts") for p in pathlib.Path(__file__).resolve().parents if (p / "scripts" / "lockstep.py").is_file()))

import counters  # noqa: E402
import design  # noqa: E402
import evidence  # noqa: E402
import locate  # noqa: E402
import report  # noqa: E402
from lockstep import ended, of_output  # noqa: E402

OK, SHORT, BAD = 0, 1, 2


def put(path, text):
    """To the file, which appears whole, or to standard output."""
    if not path:
        sys.stdout.write(text)
        return
    path = pathlib.Path(path).resolve()  # A symbolic link stays one
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as part:
        try:
            part.write(text)
            part.close()
            pathlib.Path(part.name).chmod(0o644)
            pathlib.Path(part.name).replace(path)
        except BaseException:
            pathlib.Path(part.name).unlink(missing_ok=True)
            raise


def merged(paths):
    text = io.StringIO()
    counters.write(counters.merge(paths), text)
    return text.getvalue()


def run(options, action, paths):
    kind, out = options["format"], options.get("output")
    if action == "merge":
        put(out, merged(paths))
        return OK
    if action == "rank":
        rows, points = counters.rank(paths)
        put(out, (report.rank_json if kind == "json" else report.rank_text)(rows, points))
        hit = rows[-1][2] if rows else 0
    else:
        counts = counters.merge(paths)
        put(out, {"text": lambda: report.text(counts, int(options["holes"])), "json": lambda: report.as_json(counts),
                  "html": lambda: report.page(counts)}[kind]())
        _, points, hit = report.sums(counts)[-1]
    return SHORT if report.percent(hit, points) < float(options["min"]) else OK


def main():
    _, karat, *rest = sys.argv[1:]
    at = rest.index("--")
    action, *words = rest[at + 1:]
    options = dict(word.removeprefix("--").split("=", 1) for word in rest[:at])
    name = "locate" if action == "locate" else "cov"
    try:
        return locate.run(options, karat, words, put) if action == "locate" else run(options, action, words)
    except (counters.CountersError, design.DesignError, evidence.EvidenceError) as error:
        print(f"karat {name}: {error}", file=sys.stderr)
    except OSError as error:
        if of_output(error):
            raise
        print(f"karat {name}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
    return BAD


if __name__ == "__main__":
    ended(main, "karat locate" if sys.argv[sys.argv.index("--") + 1] == "locate" else "karat cov")
