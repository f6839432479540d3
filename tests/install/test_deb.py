#!/usr/bin/python3
"""cpack -G DEB: the packages unpacked in an empty root are what cmake --install copies, their command and library work there, every subcommand
has its manual page, and lintian, where it is installed, reports no error."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from test_install import Test, arguments

PACKAGES = ("karat", "karat-dev", "karat-doc", "python3-karat")
OF_DEBIAN = r"usr/share/doc/(karat(-dev|-doc)?|python3-karat)/(copyright|changelog\.Debian\.gz)|usr/share/lintian/.*"


def test_files(t, root, debs):
    owner = {}
    for name, deb in debs.items():
        t.run("dpkg-deb", "-x", deb, root)
        for line in t.run("dpkg-deb", "-c", deb).splitlines():
            path = line.split(maxsplit=5)[5].partition(" -> ")[0].removeprefix("./")
            t.check(path.endswith("/") or path not in owner, f"{path} is in {name} and in {owner.get(path)}")
            if not path.endswith("/"):
                owner[path] = name
    installed = {str(file) for file in t.install(t.folder / "installed")}
    packaged = {path for path in owner if not re.fullmatch(OF_DEBIAN, path)}
    t.check(installed == packaged, "installed or packaged alone:", sorted(installed ^ packaged))
    t.check(len(owner) - len(packaged) >= 2 * len(PACKAGES), "copyright or changelog is missing:", sorted(set(owner) - packaged))
    for pattern, name in ((r"usr/lib/.*libkarat\.so\.\d+", "karat"), (r"usr/lib/.*libkarat_check\.so\.\d+", "karat"), (r"usr/bin/karat", "karat"),
                          (r"usr/include/karat/karat\.h", "karat-dev"), (r"usr/share/doc/karat/docs/port\.md", "karat-doc"),
                          (r"usr/lib/python3/dist-packages/karat/__init__\.py", "python3-karat")):
        t.check({owner[path] for path in owner if re.fullmatch(pattern, path)} == {name}, f"{pattern} is not in {name} alone")


def test_use(t, root, debs):
    version = t.run(root / "usr" / "bin" / "karat", "--version").split()[1]
    for name, deb in debs.items():
        t.check(t.run("dpkg-deb", "-f", deb, "Version").strip() == f"{version}-1", f"{name} is not of version {version}")
    t.check("libjansson4" in t.run("dpkg-deb", "-f", debs["karat"], "Depends"), "karat depends on no libraries")
    t.check(f"karat (= {version}-1)" in t.run("dpkg-deb", "-f", debs["karat-dev"], "Depends"), "karat-dev does not depend on its karat")
    t.check(t.run("dpkg-deb", "-I", debs["karat"], "triggers").strip() == "activate-noawait ldconfig", "no trigger of ldconfig")

    subcommands = re.findall(r"^  ([a-z][a-z-]*) +\S", t.run(root / "usr" / "bin" / "karat", "--help").partition("Subcommands:")[2], re.M)
    pages = {path.name for path in (root / "usr" / "share" / "man" / "man1").iterdir()}
    t.check(pages == {"karat.1.gz", *(f"karat-{name}.1.gz" for name in subcommands)}, "manual pages:", sorted(pages))

    library = next((root / "usr" / "lib").rglob("libkarat.so")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library)}
    flags = t.run("pkg-config", "--cflags", "--libs", "karat", env=environment).split()
    t.run(t.args.cc, "-std=c11", root / "usr" / "share" / "karat" / "examples" / "project" / "model.c", "-o", t.folder / "model", *flags)
    program = next((root / "usr" / "lib").rglob("vecadd.elf"))
    t.check("0x80000000 " in t.run(t.folder / "model", program, env=environment), "a program on the packaged library")
    t.check(f"karat (= {version}-1)" in t.run("dpkg-deb", "-f", debs["python3-karat"], "Depends"), "python3-karat does not depend on its karat")
    packages = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root / "usr" / "lib" / "python3" / "dist-packages"), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import sys, karat; print(karat.Run(sys.argv[1]).run().steps, karat.Checker().verdict.name)"
    t.check(t.run(sys.executable, "-c", code, program, env=packages) == "130 INCOMPLETE\n", "a program on the packaged Python package")


def lintian(debs, *options):
    done = subprocess.run(["lintian", "--tag-display-limit", "0", *options, *debs.values()], capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("E:")], done


def test_lintian(t, debs):
    if not shutil.which("lintian"):
        print("lintian is not installed: that check is left out")
        return
    errors, done = lintian(debs)
    t.check(not errors and not [line for line in done.stderr.splitlines() if "root privileges" not in line], "lintian:", errors, done.stderr)
    errors, done = lintian(debs, "--no-override")
    t.check(any("vectors/vecadd.elf" in line for line in errors), "lintian finds nothing to override:", done.stdout, done.stderr)


def test_tools(t, out):
    """Without dpkg-shlibdeps cpack by itself would make a package that depends on no library."""
    cpack, tools = shutil.which("cpack"), t.folder / "tools"
    tools.mkdir()
    (tools / "file").symlink_to(shutil.which("file"))
    done = subprocess.run([cpack, "--config", t.args.build / "CPackConfig.cmake", "-G", "DEB", "-B", out], capture_output=True, text=True,
                          env={**os.environ, "PATH": str(tools)})
    t.check(done.returncode and "needs Debian's dpkg-dev and file: dpkg-shlibdeps is not found" in done.stderr and not list(out.glob("*.deb")),
            "cpack without dpkg-dev:", done)


def main():
    args = arguments(__doc__)
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        t = Test(args, pathlib.Path(folder))
        out, root = t.folder / "out", t.folder / "root"
        root.mkdir()
        test_tools(t, out)
        t.run("cpack", "--config", args.build / "CPackConfig.cmake", "-G", "DEB", "-B", out,
              "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")  # Quicker than xz
        debs = {deb.name.partition("_")[0]: deb for deb in out.glob("*.deb")}
        t.check(sorted(debs) == sorted(PACKAGES), "packages:", sorted(debs))
        if not t.failures:
            test_files(t, root, debs)
            test_use(t, root, debs)
            test_lintian(t, debs)
    return bool(t.failures)


if __name__ == "__main__":
    sys.exit(main())
