"""The signature of a failure: what a bucket is made from. Each part is a text or a list of texts, so that a distance can be inspected."""
import functools
import json
import re
import subprocess


STATES = (  # Of a warp that hangs: what its line says, and the state
    (r"waits for the end of the warp", "the end of the warp"), (r"waits to be released", "release from a barrier"),
    (r"waits at a barrier", "others at a barrier"), (r"were never launched", "a launch"), (r"does not say that it is done", "the end of the kernel"),
    (r"waits for the write .*memory accesses were performed", "a write, memory has answered"),
    (r"first lane \d+ at 0x7", "local memory"),  # The window of Karat's harnesses
    (r"waits for .*memory", "memory"), (r"waits for the write", "a write"))
ISSUE = re.compile(r"has nothing pending and could issue seq \d+ \w+ (\S+)")
INSTRUCTION = re.compile(r"^0x[0-9a-f]+: [0-9a-f ]+?  (\S+)", re.MULTILINE)  # Of karat disasm
ASSERTION = re.compile(r"assertion failed: (?:\S*/)?(\S+)")


class Isa:
    """Units and classes of instructions, from karat isa."""

    def __init__(self, karat):
        self.karat = karat

    @functools.cached_property
    def units(self):
        table = json.loads(subprocess.run([self.karat, "isa", "--json"], check=True, capture_output=True).stdout)
        return {row["mnemonic"]: row["unit"] for row in table}

    def unit(self, instruction):
        base = re.sub(r"\.(aq|rl|aqrl)$", "", instruction)
        return self.units.get(base, "") if base else ""


def stem(instruction):
    """vadd of vadd.vv; amoadd of amoadd.w."""
    return instruction.split(".")[0]


def mnemonic(text):
    return text.split()[0] if text.split() else ""


def plain(text):
    """A message without its numbers and paths."""
    return re.sub(r"\S*/\S+", "FILE", re.sub(r"(0x)?[0-9a-f]*\d[0-9a-f]*", "N", text))[:120]


def shape(cause):
    """What a cause says, without its numbers and registers."""
    if " itself" in cause or not cause:
        return "itself" if cause else ""
    return "memory" if "memory returned" in cause else "the read" if "read of" in cause or "path of" in cause else "several"


def state(line, isa):
    """What a warp that hangs waits for: (state, instruction at which it is stuck). One that has nothing pending and could issue waits for the front
    end, whatever its instruction; but where that is a memory access or the end, it may be the unit that takes no more."""
    issue = ISSUE.search(line)
    if issue:
        last = isa.unit(issue[1]) in ("mem", "amo") or issue[1] == "endprg"
        return ("issue to memory", "") if last else ("issue", "")
    found = next((name for pattern, name in STATES if re.search(pattern, line)), plain(line))
    return found, None


def hang_of(detail, isa):
    """Of a hang: the state of the warp that was heard of first, its instruction (None: that of the failure), and the states of all."""
    states = [state(line.partition("): ")[2] or line, isa) for line in detail.splitlines()]
    return *states[0], sorted({name for name, _ in states})


def which_lanes(failure):
    """The lanes that differ, as a shape."""
    lanes = failure.get("lanes", 0)
    active = failure.get("instruction", {}).get("mask_before", 0)
    if not lanes:
        return ""
    if lanes == active:
        return "all active"
    if lanes == 1:
        return "lane 0"
    return "one lane" if lanes & (lanes - 1) == 0 else "some lanes"


def which_bits(detail):
    """The bits that differ, as a shape: of all lanes together."""
    words = [int(word, 16) for word in re.findall(r"\bxor ([0-9a-f]{8})\b", detail)]
    bits = 0
    for word in words:
        bits |= word
    if not bits:
        return ""
    if bits == 1 << 31:
        return "top bit"
    low = bits & -bits
    return "low bits" if bits < 8 else "one bit" if bits == low else "low half" if bits < 1 << 16 else "high half" if low >= 1 << 16 else "many bits"


def suspects_of(failure):
    """Instructions before the one at fault that its cause names: stems."""
    own = failure.get("where", {}).get("seq")
    named = set(failure.get("cause", {}).get("suspects", [])) - {own}
    texts = {entry["seq"]: entry["text"] for entry in [*failure.get("history", []), *failure.get("producers", [])] if "seq" in entry}
    return sorted({stem(mnemonic(texts[seq])) for seq in named if seq in texts})


def signature_of(result, isa):
    """Of a failed run."""
    report = result["report"] or {}
    failure = report.get("failure", {})
    instruction = failure.get("instruction", {})
    name, detail = mnemonic(instruction.get("text", "")), failure.get("detail", "")
    defects = report.get("defects", [])
    first = next((d for d in defects if d["kind"] == failure.get("kind") and d.get("instruction", "") == name), {})
    tops = [p for p in failure.get("producers", []) if p.get("depth") == 0]
    producers = {f"{isa.unit(mnemonic(p.get('text', ''))) or p['origin']}, {p.get('result', '')}".rstrip(", ") for p in tops
                 if p.get("result") not in ("written right", "read right")}
    producers |= {f"from {first['producer']}"} if "producer" in first else set()  # Whose store a load, or whose result a read has got wrong
    kinds = sorted({f"{d['kind']}, {isa.unit(d.get('instruction', ''))}" for d in defects})
    what = plain(detail.splitlines()[0] if detail else result["problem"])
    assertion = ASSERTION.search(detail)
    if result["verdict"] == "HANG":
        what, stuck, kinds = hang_of(detail, isa)
        name = name if stuck is None else stuck
    return {"kind": result["kind"] or result["verdict"], "rule": ", ".join(failure.get("rule", [])), "unit": isa.unit(name), "instruction": name,
            "prefix": "prefix" if instruction.get("prefix") else "", "operands": first.get("operands", ""), "lanes": which_lanes(failure),
            "bits": first.get("differs") or which_bits(detail), "producers": sorted(producers),
            "cause": shape(failure.get("cause", {}).get("text", "")), "origin": what, "assertion": assertion[1] if assertion else "",
            "suspects": suspects_of(failure), "defects": kinds,
            "stems": sorted({stem(d["instruction"]) for d in defects if d.get("instruction")}), "smallest": []}


def signature_of_smallest(report, listing, isa):
    """Of what a report's smallest program shows; listing: of that program."""
    stems = {stem(match[1]) for match in INSTRUCTION.finditer(listing)} - {"endprg"}
    failure = {"report": report, "verdict": report["verdict"], "kind": report["failure"]["kind"], "problem": report["line"]}
    return {**signature_of(failure, isa), "smallest": sorted(stems)}
