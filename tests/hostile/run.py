#!/usr/bin/python3
"""Run a libFuzzer executable on its corpus and beyond: so many runs from a seed, which is the same each time, or so many seconds.
What it finds is left in the folder that it names."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMITS = ["-timeout=25", "-rss_limit_mb=2560", "-len_control=0", "-close_fd_mask=3", "-print_final_stats=1"]

# Large allocations fail: the sanitizer would need seconds for them.
MEMORY = "allocator_may_return_null=1:max_allocation_size_mb=256:quarantine_size_mb=16"


def small_inputs(path, fuzzer, folder):
    """Writes those that the file has of that fuzzer."""
    folder.mkdir()
    for line in re.sub(r"\n ", " ", path.read_text()).splitlines():
        of, name, *digits = line.split()
        if of == fuzzer:
            (folder / name).write_bytes(bytes.fromhex("".join(digits)))
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fuzzer", required=True, type=pathlib.Path)
    parser.add_argument("--corpus", required=True, type=pathlib.Path, help="folder of inputs to begin with, a folder for each fuzzer, and inputs.txt")
    parser.add_argument("--runs", type=int, help="so many, those of the corpus counted")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-len", type=int, default=4096, help="bytes of an input")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for new inputs, to go on with the next time")
    args = parser.parse_args()
    name = args.fuzzer.name
    with tempfile.TemporaryDirectory() as scratch:
        new = args.keep or pathlib.Path(scratch) / "new"
        new.mkdir(parents=True, exist_ok=True)
        begin = [small_inputs(args.corpus / "inputs.txt", name.removeprefix("hostile_"), pathlib.Path(scratch) / "small")]
        begin += [folder for folder in [args.corpus / name.removeprefix("hostile_")] if folder.is_dir()]
        options = [*LIMITS, f"-max_len={args.max_len}", f"-seed={args.seed}", f"-artifact_prefix={scratch}/"]
        options.append(f"-runs={args.runs}" if args.runs else f"-max_total_time={args.seconds}")
        print(f"{name}: seed {args.seed}, {sum(len(list(folder.iterdir())) for folder in begin)} inputs in {args.corpus}", flush=True)
        done = subprocess.run([args.fuzzer, *options, new, *begin], capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, env={**os.environ, "ASAN_OPTIONS": MEMORY})
        found = [path for path in pathlib.Path(scratch).iterdir() if path.is_file()]
        if done.returncode or found:
            print(done.stderr[-6000:])
            for path in found:
                kept = pathlib.Path.cwd() / f"{name}-{path.name}"
                shutil.copy(path, kept)
                print(f"{name}: found {kept}; again: {args.fuzzer} {kept}")
            return 1
        last = re.findall(r"^#\d+\s+(?:DONE|INITED|NEW|REDUCE).*", done.stderr, re.M)
        print(f"{name}: nothing found; {' '.join(last[-1].split()) if last else 'no runs'}")
        return 0 if last else 1


if __name__ == "__main__":
    sys.exit(main())
