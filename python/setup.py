"""Builds the wheel: the package, with what is made of the C headers and of the port's definition in this source tree."""
import pathlib
import re
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import gen_abi  # noqa: E402


class Build(build_py):
    """Adds the two modules that are no files here."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "karat"
        (package / "_abi.py").write_text(gen_abi.text(), encoding="utf-8")
        shutil.copy(gen_abi.ROOT / "dpi" / "port" / "records.py", package / "_layouts.py")


def version():
    header = (gen_abi.PUBLIC / "version.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"KARAT_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


setup(version=version(), cmdclass={"build_py": Build})
