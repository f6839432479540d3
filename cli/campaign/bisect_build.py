"""The revision that broke a bucket, by git bisect run: each revision is built, and tried with the bucket's smallest program."""
import os
import pathlib
import shlex
import subprocess
import tempfile

UNTESTABLE = 125  # Of git bisect run: this revision cannot be judged


class BisectError(Exception):
    """Why there is nothing to bisect, in one line."""


def bisect(store, folder, bucket, source, build, good, bad):
    """Print the first bad revision. The checkout is left as it was."""
    row = store.do("select report, core, kind from buckets join runs on leader = run where bucket = ?", (bucket,)).fetchone()
    if not row:
        raise BisectError(f"bucket {bucket}: there is none (karat campaign query lists them)")
    script = (folder / row["report"] / "reproduce.sh").absolute() if row["report"] else None
    if not script or not script.exists():
        raise BisectError(f"bucket {bucket}: has no report, and so no command that tries a core")
    core = next(c["core"].rpartition("=")[0] for c in store.plan()["cores"] if c["name"] == row["core"])

    def git(*words):
        done = subprocess.run(["git", "-C", source, *words], capture_output=True, text=True)
        if done.returncode:
            raise BisectError(f"git {words[0]}: {(done.stderr.strip() or done.stdout.strip() or ' '.join(words)).splitlines()[0]}")
        return done.stdout.strip()

    if git("status", "--porcelain", "--untracked-files=no"):
        raise BisectError(f"{source}: has changes that are not committed")
    if pathlib.Path(source, git("rev-parse", "--git-path", "BISECT_LOG")).exists():
        raise BisectError(f"{source}: is being bisected (git bisect reset ends that)")
    names = [git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") for revision in (bad, good)]
    # reproduce.sh: 0 the bucket's failure, 1 none, 2 no verdict; git bisect run: 0 good, 1 bad, 125 cannot be judged.
    test = f"""cd {shlex.quote(str(source.absolute()))} || exit 255
sh -c {shlex.quote(build)} > "$log" 2>&1 || exit {UNTESTABLE}
{shlex.quote(str(script))} {shlex.quote(core)} > "$log" 2>&1
case $? in 0) exit 1 ;; 1) exit 0 ;; *) exit {UNTESTABLE} ;; esac
"""
    with tempfile.TemporaryDirectory(prefix="karat-bisect-") as work:
        path = pathlib.Path(work) / "test.sh"
        path.write_text(test)
        environment = {**os.environ, "log": str(pathlib.Path(work) / "log")}
        before = git("rev-parse", "--abbrev-ref", "HEAD")
        before = git("rev-parse", "HEAD") if before == "HEAD" else before  # A branch, or none
        try:
            for name, want, said in ((names[1], 0, "good"), (names[0], 1, "bad")):
                git("checkout", "--quiet", "--detach", name)
                if subprocess.run(["sh", path], env=environment).returncode != want:
                    raise BisectError(f"{said} revision {name[:12]}: does not build, or is not {said}")
        finally:
            git("checkout", "--quiet", before)
        git("bisect", "start", *names)
        try:
            done = subprocess.run(["git", "-C", source, "bisect", "run", "sh", path], capture_output=True, text=True, env=environment)
        finally:
            git("bisect", "reset")
    found = [line for line in done.stdout.splitlines() if line.endswith(" is the first bad commit")]
    if not found:
        raise BisectError(f"no first bad revision: {(done.stdout.strip() or done.stderr.strip()).splitlines()[-1]}")
    print(git("log", "-1", "--format=first bad revision: %h %s (%an, %as)", found[0].split()[0]))
    return 0
