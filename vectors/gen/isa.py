"""The instruction table for generators, as `karat isa --json` prints it, and the CSRs of golden/isa/csr.def."""
import json
import pathlib
import re
import subprocess

CSR_DEF = pathlib.Path(__file__).resolve().parents[2] / "golden" / "isa" / "csr.def"
PROFILE = "v2.02"
VECTOR_OPCODES = (0x57, 0x07, 0x27)  # the V extension's own rows: they depend on vtype and work on groups


class Operand:
    def __init__(self, data, fields):
        self.name, self.role, self.bits = data["name"], data["role"], data["bits"]
        self.cls = data.get("class")
        self.signed, self.extends = data.get("signed", False), data.get("extends", False)
        self.shift = data.get("shift", 0)
        self.read = data.get("read", False)  # a destination that is the third operand, too
        self.pieces = []  # (low bit in the word, low bit in the value, width)
        for field in fields:
            match = re.fullmatch(re.escape(self.name) + r"(?:\[(\d+)(?::(\d+))?\])?", field["text"])
            if match:
                low = int(match[2] or match[1] or 0)
                self.pieces.append((field["low"], low, field["high"] - field["low"] + 1))

    def place(self, value):
        """The value's bits where the word has them."""
        return sum((value >> low & (1 << width) - 1) << at for at, low, width in self.pieces)


class Row:
    def __init__(self, data):
        self.name, self.mnemonic, self.unit = data["name"], data["mnemonic"], data["unit"]
        self.match, self.owes = int(data["match"], 16), data["owes"]
        self.operands = [Operand(o, data["fields"]) for o in data["operands"]]
        self.by_name = {o.name: o for o in self.operands}
        size = re.search(r"\bbytes: (\d)", data["definition"])
        self.bytes = int(size[1]) if size else 4
        eew = re.search(r"\beew: (\d)", data["definition"])
        self.index_bytes = int(eew[1]) if eew else 0
        self.private = "KARAT_PRIVATE" in data["definition"]
        self.stores = "STORE" in data["definition"]
        self.own = self.match & 0x7f in VECTOR_OPCODES and self.unit != "config"
        self.grouped = self.own and "x" not in self.owes

    def operand(self, role, cls=None):
        """The operand of that role (and class), or None."""
        for o in self.operands:
            if o.role == role and (cls is None or o.cls == cls):
                return o
        return None

    def immediate(self, start):
        """The immediate whose name starts so, or None."""
        for o in self.operands:
            if o.role == "imm" and o.name.startswith(start):
                return o
        return None

    def encode(self, values):
        """The word; registers give their low five bits."""
        return self.match | sum(o.place(values[o.name] & (1 << o.bits + o.shift) - 1) for o in self.operands if o.pieces)


class Table:
    def __init__(self, karat):
        text = subprocess.run([karat, "isa", "--json"], check=True, capture_output=True, text=True).stdout
        rows = [Row(r) for r in json.loads(text) if not r["illegal"] and PROFILE in r["profiles"]]
        self.rows = {row.name: row for row in rows}
        self.csr = {}
        for number, name in re.findall(r'^CSR\((0x[0-9a-f]+), "(\w+)"', CSR_DEF.read_text(), re.M):
            self.csr[name] = int(number, 16)

    def units(self, *names):
        return [row for row in self.rows.values() if row.unit in names]
