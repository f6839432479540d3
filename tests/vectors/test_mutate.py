#!/usr/bin/python3
"""karat gen mutate: programs that differ, take instructions and data of both, run on the model, and leave their own code alone."""
import json
import pathlib
import re
import sys
import tempfile

from checks import check, end, one_line, run

KARAT, VECTORS = sys.argv[1], pathlib.Path(sys.argv[2])
COUNT = 60


def mutate(out, *words):
    done = run(KARAT, "gen", "mutate", "--threads=8", "--json", *words, "-o", out)
    return [pathlib.Path(name) for name in json.loads(done.stdout)["vectors"]] if done.returncode == 0 else done


def mnemonics(program):
    return set(re.findall(r"^0x[0-9a-f]{8}: [0-9a-f ]+  (\S+)", run(KARAT, "disasm", program).stdout, re.M))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for seed, weights in ((1, {"units": {"alu": 10}}), (2, {"units": {"fp": 10}})):
        (folder / "weights").write_text(json.dumps(weights))
        run(KARAT, "gen", "random", f"--seed={seed}", "--length=150", "--threads=8", f"--weights={folder / 'weights'}", "-o", folder)
    one, two = folder / "random-1" / "program.elf", folder / "random-2" / "program.elf"
    made = mutate(folder / "a", "--seed=5", f"--count={COUNT}", one, two)
    check(isinstance(made, list) and len(made) > COUNT * 3 // 4, "too few run", made)
    texts = [path.read_bytes() for path in made]
    check(len(set(texts) - {one.read_bytes()}) > len(made) * 3 // 4, "mutants are alike")
    for path in made:
        done = run(KARAT, "run", "--threads=8", "--strict=registers,lanes,races", path)
        check(done.returncode == 0 and "beyond" not in done.stdout and "skipped" not in done.stdout, "a mutant does not run", path, done)
    here, other = mnemonics(one), mnemonics(two) - mnemonics(one)
    taken = [path for path in made if mnemonics(path) & other]
    drawn = [path for path in made if mnemonics(path) - other - here]
    check(other and len(taken) > 3, "nothing is taken of the other program", len(taken), sorted(other))
    check(len(drawn) > 3, "no instruction is exchanged for one of the table", len(drawn))
    launches = {re.search(r"workgroups=\d+ warps=\d+", run(KARAT, "run", "--threads=8", path).stdout)[0] for path in made}
    check(len(launches) > 1, "the launch is always the same", launches)
    again = mutate(folder / "b", "--seed=5", f"--count={COUNT}", one, two)
    check([(p.name, p.read_bytes()) for p in again] == [(p.name, p.read_bytes()) for p in made], "not the same when made again")
    alone = mutate(folder / "c", "--seed=9", one, two)
    check([p.read_bytes() for p in alone] == [p.read_bytes() for p in made if p.name == alone[0].name], "a seed alone makes another program")
    run(KARAT, "gen", "random", "--seed=1", "--threads=8", "--warps=2", "--length=400", "-o", folder / "printing")
    printing = folder / "printing" / "random-1" / "program.elf"
    check("csrrs x17, print" in run(KARAT, "disasm", printing).stdout, "this one does not print: another seed")
    made = mutate(folder / "e", "--count=20", "--warps=2", printing, one)
    check(isinstance(made, list) and len(made) > 15, "few mutants of a program that prints: the host's writes are no record", made)

    one_line(2, "expected two programs", run(KARAT, "gen", "mutate", one, "-o", folder / "d"))
    one_line(2, "none.elf", run(KARAT, "gen", "mutate", one, folder / "none.elf", "-o", folder / "d"))
    one_line(2, "--length goes with random", run(KARAT, "gen", "mutate", "--length=5", one, two, "-o", folder / "d"))
    one_line(2, "does not run on the model", run(KARAT, "gen", "mutate", VECTORS / "faulting" / "second_part.elf", two, "-o", folder / "d"))
sys.exit(end())
