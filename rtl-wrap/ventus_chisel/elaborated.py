#!/usr/bin/python3
"""Connects the probe to one elaboration of the Chisel Ventus: fills in the templates of this folder for the sizes of the core's Verilog.

Elaborated Verilog has one port for each lane and one instance name for each warp, so that its names depend on its sizes.
Sizes are read from it, and every name that a template uses is looked up; the names that the core lacks are listed.

In a template:
  ${path}         a name below the template's scope, checked
  ${path?}        the same; 1'b1 where the core has no such port, as firtool removes constants
  ${path[thread]} all lanes, the last one first, in braces
  #{NAME}         a size; the bits of a port of that name
  //for warp, //end   the lines between are repeated; [warp] is the number, [_warp] the suffix of an instance's name
                      (bank, word: likewise)
"""
import argparse
import collections
import pathlib
import re
import sys

MADE_FOR = "THU-DSP-LAB/ventus-gpgpu of 2025-03-13 (05b6735), Chisel 6.4.0"
HERE = pathlib.Path(__file__).resolve().parent


class Unfit(Exception):
    pass


class Module:
    def __init__(self, name):
        self.name = name
        self.names = {}      # Ports, registers and wires: bits
        self.depth = {}      # Memories: rows
        self.instances = {}  # Instance: module


def sources(path):
    """The files of a list as simulators take it."""
    path = pathlib.Path(path)
    files = []
    for line in path.read_text(errors="replace").splitlines():
        line = line.split("//")[0].strip()
        if line.endswith((".v", ".sv")) and line[0] not in "+-":
            files.append(path.parent / line)
    return files


DECLARATION = re.compile(r"(?:(?:input|output|inout|reg|wire|logic)\b\s*)(?:reg\b|wire\b|logic\b)?\s*(?:\[(\d+):0\])?\s*([A-Za-z_]\w*)"
                         r"(?:\s*\[0:(\d+)\])?")
MORE = re.compile(r"^\s+([A-Za-z_]\w*),?$")
INSTANCE = re.compile(r"^\s*([A-Za-z_]\w*)\s+([A-Za-z_]\w*)\s*\($")
COUNTS = {"warp": "NUM_WARP", "bank": "NUM_BANK", "thread": "NUM_THREAD", "word": "LINE_WORDS"}
KEYWORDS = {"if", "for", "always", "initial", "begin", "assign", "else", "module", "case", "wire", "reg", "logic"}


def parse(files):
    """Modules with their names, as firtool writes them: one declaration a line, one line for an instance's head."""
    modules, module, bits = {}, None, 1
    for path in files:
        with open(path, errors="replace") as text:
            for line in text:
                line = line.split("//")[0].rstrip()
                if line.startswith("module "):
                    module = Module(re.split(r"[ (;#]", line[7:].lstrip())[0])
                    modules[module.name] = module
                elif line.startswith("endmodule"):
                    module = None
                if module is None:
                    continue
                match = DECLARATION.match(line.lstrip())
                if match:
                    bits = int(match[1]) + 1 if match[1] else 1
                    module.names[match[2]] = bits
                    if match[3]:
                        module.depth[match[2]] = int(match[3]) + 1
                    continue
                match = MORE.match(line)
                if match:
                    module.names[match[1]] = bits
                    continue
                match = INSTANCE.match(line)
                if match and match[1] not in KEYWORDS:
                    module.instances[match[2]] = match[1]
    return modules


class Core:
    def __init__(self, files, top):
        self.modules = parse(files)
        self.missing = []
        if top not in self.modules:
            raise Unfit(f"no module {top}")
        self.top = self.modules[top]
        self.pipes = sorted((name for name in self.modules if re.fullmatch(r"pipe(_\d+)?", name)), key=lambda n: (len(n), n))
        if not self.pipes:
            raise Unfit("no module pipe")

    def find(self, module, path):
        """The module and the last name of a path below a module; None where there is no such name."""
        *instances, name = path.split(".")
        for instance in instances:
            if instance not in module.instances:
                return None
            module = self.modules.get(module.instances[instance])
            if module is None:
                return None
        return (module, name) if name in module.names or name in module.instances else None

    def use(self, module, path, optional=False):
        if self.find(module, path):
            return path
        if optional:
            return "1'b1"
        self.missing.append(f"{module.name}.{path}")
        return path

    def bits(self, module, path):
        found = self.find(module, self.use(module, path))
        return found[0].names[found[1]] if found else 1

    def rows(self, module, path):
        found = self.find(module, self.use(module, path))
        return found[0].depth.get(found[1], 1) if found else 1

    def instances(self, module, kinds):
        """Instances of modules of these names in the hierarchy below a module."""
        count = collections.Counter(module.instances.values())
        below = {name: self.instances(self.modules[name], kinds) for name in count if name in self.modules and name not in kinds}
        return sum(times * (1 if name in kinds else below.get(name, 0)) for name, times in count.items())

    def sizes(self):
        pipe = self.modules[self.pipes[0]]
        cta = "io_warpReq_bits_CTAdata_dispatch2cu_"
        warps = self.bits(pipe, "warp_sche.warp_bar_data")
        rows = self.rows(pipe, "operand_collector.RegFileBank.regs_ext.Memory")
        registers = 1 << (self.bits(pipe, cta + "sgpr_base_dispatch") - 1)
        banks = max(1, registers // rows)
        warp_bits = max(1, (warps - 1).bit_length())
        return {
            "NUM_SM": self.instances(self.top, self.pipes),
            "NUM_WARP": warps,
            "NUM_THREAD": self.bits(pipe, "simt_stack.thread_masks_0"),
            "NUM_SGPR": registers,
            "NUM_VGPR": 1 << (self.bits(pipe, cta + "vgpr_base_dispatch") - 1),
            "NUM_BANK": banks,
            "NUM_BLOCK": 1 << max(0, self.bits(pipe, cta + "wf_tag_dispatch") - warp_bits),
            "LINE_WORDS": 1 << self.bits(pipe, "io_dcache_req_bits_perLaneAddr_0_blockOffset"),
            "LDS_BYTES": 1 << max(0, self.bits(pipe, cta + "lds_base_dispatch") - 1),
            "TAG_WARP_BITS": warp_bits,
            "GRID_BITS": self.bits(pipe, cta + "wgid_x_dispatch"),
            "STACK_DEPTH": self.rows(pipe, "simt_stack.branch_join_stack.stack_mem_ext.Memory"),
            "BANK_BITS": max(1, (banks - 1).bit_length()),
            "ROW_BITS": max(1, (rows - 1).bit_length()),
            "WARP_BITS": warp_bits,
            "REG_BITS": self.bits(pipe, "wb.io_out_x_bits_reg_idxw"),
            "OFFSET_BITS": self.bits(pipe, "io_dcache_req_bits_perLaneAddr_0_blockOffset"),
            "SET_BITS": self.bits(pipe, "io_dcache_req_bits_setIdx"),
            "TAG_BITS": self.bits(pipe, "io_dcache_req_bits_tag"),
        }

    def fill(self, template, sizes, scope):
        """A template's text, with names below the module scope."""
        def name(match):
            path, index, rest, optional = re.fullmatch(r"([\w.]+?)(?:\[(\w+)\]([\w.]*))?(\?)?", match[1]).groups()
            if not index:
                return self.use(scope, path, optional)
            count = sizes[COUNTS[index]]
            return "{" + ", ".join(self.use(scope, f"{path}{i}{rest}") for i in reversed(range(count))) + "}"

        lines, block = [], None
        for line in template.splitlines():
            loop = re.fullmatch("//for (warp|bank|word)", line)
            if loop:
                block, index = [], loop[1]
            elif line == "//end":
                for i in range(sizes[COUNTS[index]]):
                    lines += [text.replace(f"[_{index}]", f"_{i}" if i else "").replace(f"[{index}]", str(i)) for text in block]
                block = None
            else:
                (lines if block is None else block).append(line)
        text = re.sub(r"#\{(\w+)\}", lambda match: str(sizes[match[1]] if match[1] in sizes else self.bits(scope, match[1])), "\n".join(lines))
        return re.sub(r"\$\{([^}]+)\}", name, text) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True, metavar="FILE", help="the list of the elaborated Verilog's files")
    parser.add_argument("--top", required=True, metavar="MODULE")
    parser.add_argument("--out", required=True, metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--gvm", action="store_true", help="for the core's verification modules: no bind")
    args = parser.parse_args(arguments)
    try:
        one_sm = args.top == "sm_wrapper"  # Made here
        core = Core(sources(args.core), "SM_wrapper" if one_sm else args.top)
        sizes = core.sizes()
        if not sizes["NUM_SM"]:
            raise Unfit(f"no pipe below {core.top.name}")
        out = {"ventus_params.sv": core.fill((HERE / "ventus_params.sv.in").read_text(), sizes, core.top)}
        pipe = core.modules[core.pipes[0]]
        for file in ["ventus_masks.svh"] + (["ventus_storage.svh"] if not args.gvm else []):
            out[file] = core.fill((HERE / f"{file}.in").read_text(), sizes, pipe)
        if not args.gvm:
            template = (HERE / "ventus_bind.sv.in").read_text()
            out["ventus_bind.sv"] = "".join(f"bind {name} {core.fill(template, sizes, core.modules[name])}" for name in core.pipes)
        if one_sm:
            out["sm_wrapper.sv"] = core.fill((HERE / "sm_wrapper.sv.in").read_text(), sizes, core.top)
        if core.missing:
            raise Unfit("no " + ", ".join(dict.fromkeys(core.missing)))
    except (Unfit, OSError) as error:
        print(f"{args.core}: {error}; the adapter was made for {MADE_FOR}", file=sys.stderr)
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    for file, text in out.items():
        path = args.out / file
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
