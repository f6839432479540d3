#!/usr/bin/python3
"""pip makes a wheel of the source tree without network and compiler; unpacked alone, it is the package of the build tree, and runs a kernel."""
import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build", "vectors"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    args = parser.parse_args()
    for module in ("pip", "setuptools", "wheel"):
        if not importlib.util.find_spec(module):
            print(f"skipped: Debian package python3-{module} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # A copy, since setuptools writes into the source tree; what a wheel is made of, and no more.
        for part in ("python", "golden/include", "dpi", "vectors/cov", "testbench/sv"):
            shutil.copytree(args.source / part, folder / "source" / part, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--no-cache-dir",
                        "--disable-pip-version-check", "-w", folder, folder / "source" / "python"], check=True)
        wheel, = folder.glob("karat-*-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "unpacked")
        package, built = folder / "unpacked" / "karat", args.build / "python" / "karat"
        names = {path.name for path in package.iterdir()}
        assert names == {path.name for path in built.iterdir() if path.name != "__pycache__"}, names
        for file in names:
            assert (package / file).read_bytes() == (built / file).read_bytes(), file
        code = (f"import karat\nrun = karat.Run({str(args.vectors / 'vecadd.elf')!r}).run()\n"
                "print(karat.__file__, run.steps, karat.version())")
        environment = {**os.environ, "PYTHONPATH": str(folder / "unpacked"), "KARAT_LIBRARY": str(args.build)}
        done = subprocess.run([sys.executable, "-B", "-c", code], env=environment, check=True, capture_output=True, text=True).stdout.split()
        assert done[0] == str(package / "__init__.py") and done[1] == "130" and f"karat-{done[2]}-" in wheel.name, (done, wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
