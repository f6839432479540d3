"""Modules with the names and widths of the elaborated Chisel Ventus that its adapters bind to, without contents: for lint."""
import pathlib
import re
import sys

# Module: its ports and registers as name or name:width; a width is a number or a size of sizes().  [lane], [word] and [warp]
# make one name for each.  "=" begins its instances, as name:module; [_warp] and [_bank] are the suffixes that Chisel gives them.
CONTROL = """wid:WARP sel_alu1:2 sel_alu2:2 sel_alu3:2 isvec readmask mask reg_idx1:8""".split()
OUT = """wid:WARP isvec tc custom_signal_0 spike_info_pc:32 spike_info_inst:32""".split()
CTA = """wg_wf_count:COUNT wf_size_dispatch:LANES sgpr_base_dispatch:13 vgpr_base_dispatch:13 lds_base_dispatch:18 wf_tag_dispatch:TAG
  start_pc_dispatch:32 pds_base_dispatch:32 csr_knl_dispatch:32 wgid_x_dispatch:11 wgid_y_dispatch:11 wgid_z_dispatch:11 wg_id:32""".split()
WARP_REQUEST = [name for name in CTA if name.startswith(("sgpr", "vgpr", "lds", "wf_tag", "start", "wgid_x", "wg_id"))]
FLAGS = "MTIP MTIE MSIP MSIE MEIP MEIE MIE MPIE NV DZ OF UF NX".split()
CSRS = """mscratch:32 mepc:32 mcause:32 mtval:32 threadid:32 wg_wf_count:COUNT wf_size_dispatch:10 knl_base:32 wg_id:32 wf_tag_dispatch:TAG
  lds_base_dispatch:32 pds_baseaddr:32 wg_id_x:11 wg_id_y:11 wg_id_z:11 csr_print:32 rpc:32 sgpr_base_dispatch:13 vgpr_base_dispatch:13
  frm:3""".split()
ACCESS = ["perLaneAddr_[lane]_activeMask", "perLaneAddr_[lane]_blockOffset:5", "perLaneAddr_[lane]_wordOffset1H:4", "data_[lane]:32"]


def prefixed(prefix, names):
    return [prefix + name for name in names]


MODULES = {
    "operandCollector":
        ["clock"] + [f"io_control{port}_{name}" for port in "XV" for name in ["ready", "valid", *prefixed("bits_", CONTROL)]] +
        [f"io_out_{port}_{name}" for port in "01" for name in ["ready", "valid", *prefixed("bits_control_", OUT)]] +
        ["io_out_0_bits_mask_[lane]", *(f"io_out_0_bits_alu_src{n}_[lane]:32" for n in "123"), *(f"io_out_1_bits_alu_src{n}_0:32" for n in "123"),
         "=", "RegFileBank[_bank]:RegFileBank", "FloatRegFileBank[_bank]:FloatRegFileBank"],
    "RegFileBank": ["clock", "=", "regs_ext:regs_1024x32"],
    "FloatRegFileBank": ["clock", "=", "regs_ext:regs_1024xv"],
    "regs_1024x32": ["clock", "Memory:32:1024"],
    "regs_1024xv": ["clock", "Memory:VECTOR:1024"],
    "LSUexe": ["clock", "io_lsu_req_ready", "io_lsu_req_valid", "=", "AddrCalc:AddrCalculate"],
    "AddrCalculate": ["clock", "io_from_fifo_ready", "io_from_fifo_valid"],
    "Writeback": ["clock", "io_out_x_valid", "io_out_x_bits_wb_wxd_rd:32", "io_out_v_valid", "io_out_v_bits_wb_wvd_rd_[lane]:32",
                  "io_out_v_bits_wvd_mask_[lane]", *(f"io_out_{c}_bits_{name}" for c in "xv" for name in [f"w{c}d", "reg_idxw:8", "warp_id:WARP"])],
    "warp_scheduler": ["clock", "io_warp_control_ready", "io_warp_control_valid", "io_warp_control_bits_ctrl_wid:WARP",
                       "io_warp_control_bits_ctrl_simt_stack_op", "warp_bar_data:WARPS"],
    "branch_join": ["clock", "io_complete_valid", "io_complete_bits:WARP", "io_fetch_ctl_ready", "io_fetch_ctl_valid",
                    "io_fetch_ctl_bits_wid:WARP", "io_fetch_ctl_bits_jump", "io_fetch_ctl_bits_new_pc:32", "thread_masks_[warp]:LANES_ONE_EACH",
                    "=", "branch_join_stack[_warp]:branch_join_stack"],
    "branch_join_stack": ["clock", "rd_ptr:DEPTH", "wr_ptr:DEPTH", "=", "stack_mem_ext:stack_mem"],
    "stack_mem": ["clock", "Memory:ENTRY:LANES_ONE_EACH"],
    "CSRexe": ["clock", "io_in_ready", "io_in_valid", "=", "CSRFile[_warp]:CSRFile"],
    "CSRFile": ["clock", *FLAGS, *CSRS],
    "pipe": ["clock", "reset", "io_warpReq_valid", "io_warpReq_bits_wid:WARP", *prefixed("io_warpReq_bits_CTAdata_dispatch2cu_", WARP_REQUEST),
             *prefixed("io_dcache_req_", ["ready", "valid", "bits_tag:17", "bits_setIdx:8", "bits_opcode:3", "bits_param:4"]),
             *prefixed("io_dcache_req_bits_", ACCESS), *prefixed("io_shared_req_", ["ready", "valid", "bits_isWrite", "bits_setIdx:8"]),
             *prefixed("io_shared_req_bits_", ACCESS),
             "=", "warp_sche:warp_scheduler", "operand_collector:operandCollector", "lsu:LSUexe", "wb:Writeback", "simt_stack:branch_join",
             "csrfile:CSRexe"],
    "SM_wrapper": ["clock", "reset", "io_CTAreq_ready", "io_CTAreq_valid", *prefixed("io_CTAreq_bits_dispatch2cu_", CTA), "io_CTArsp_ready",
                   "io_CTArsp_valid", "io_CTArsp_bits_cu2dispatch_wf_tag_done:TAG", "io_memRsp_ready", "io_memRsp_valid",
                   "io_memRsp_bits_d_opcode:3", "io_memRsp_bits_d_source:14", "io_memRsp_bits_d_addr:32", "io_memRsp_bits_d_data_[word]:32",
                   "io_memReq_ready", "io_memReq_valid", "io_memReq_bits_a_opcode:3", "io_memReq_bits_a_param:3", "io_memReq_bits_a_source:32",
                   "io_memReq_bits_a_addr:32", "io_memReq_bits_a_mask_[word]:4", "io_memReq_bits_a_data_[word]:32", "=", "pipe:pipe"],
    "GPGPU_SimTop": ["clock", "=", "SM_wrapper:SM_wrapper"],
}
STORAGE = {"warp_bar_data", "Memory", "rd_ptr", "wr_ptr", *FLAGS, *(name.split(":")[0] for name in CSRS)}  # No ports


def sizes(threads, warps):
    def bits(number):
        return max(1, (number - 1).bit_length())
    return {"WARP": bits(warps), "WARPS": warps, "COUNT": bits(warps + 1), "LANES": bits(threads + 1), "LANES_ONE_EACH": threads,
            "TAG": 2 * bits(warps), "VECTOR": 32 * threads, "DEPTH": bits(threads + 1), "ENTRY": 64 + threads}


def stub(threads, warps, without=None):
    """The modules in the form of firtool's output; without one name, "module.name", where that is given."""
    width = sizes(threads, warps)
    numbers = {"lane": threads, "word": 32, "warp": warps, "bank": 4}
    text = []

    def expand(name):
        match = re.search(r"\[(_?)(\w+)\]", name)
        if not match:
            return [name]
        return [name.replace(match[0], (f"_{i}" if i else "") if match[1] else str(i)) for i in range(numbers[match[2]])]

    for module, names in MODULES.items():
        names, instances = (names[:names.index("=")], names[names.index("=") + 1:]) if "=" in names else (names, [])
        ports, inside = [], []
        for name in names:
            name, bits, depth = (name + "::").split(":")[:3]
            bits = f"[{int(width.get(bits, bits)) - 1}:0] " if bits else ""
            for one in expand(name):
                if f"{module}.{one}" == without:
                    continue
                if depth or name in STORAGE or name.startswith("thread_masks"):
                    inside.append(f"  reg {bits}{one}{f'[0:{int(width.get(depth, depth)) - 1}]' if depth else ''};")
                else:
                    ports.append(f"  input {bits}{one}")
        for instance in instances:
            name, kind = instance.split(":")
            inside += [f"  {kind} {one} (\n    .clock(clock)\n  );" for one in expand(name) if f"{module}.{one}" != without]
        text.append(f"module {module}(\n" + ",\n".join(ports) + "\n);\n" + "\n".join(inside) + "\nendmodule\n")
    return "".join(text)


def names(threads, warps):
    """Every name of the stub, as "module.name"."""
    return [f"{module}.{match[1] or match[2]}" for module, body in
            re.findall(r"module (\w+)\((.*?)endmodule", stub(threads, warps), re.DOTALL)
            for match in re.finditer(r"^  (?:input|reg) (?:\[\d+:0\] )?(\w+)|^  \w+ (\w+) \($", body, re.MULTILINE)]


# The verification modules of a build for GVM: inputs, without io_clock and io_reset.
GVM = {
    "GvmDutCta2Warp": "warp_req_fire software_wg_id:32 software_warp_id:32 sm_id:32 hardware_warp_id:32 sgpr_base:32 vgpr_base:32 "
                      "wg_slot_id_in_warp_sche:32 lds_base:32 rtl_num_thread:32",
    "GvmDutInsnDispatch": "dispatch_fire:WARPS sm_id:EACH_WARP hardware_warp_id:EACH_WARP pc:EACH_WARP instr:EACH_WARP dispatch_id:EACH_WARP "
                          "is_extended:WARPS",
    "GvmDutXRegWriteback": "fire sm_id:32 rd:32 is_scalar_wb reg_idx:32 hardware_warp_id:32 pc:32 inst:32 dispatch_id:32",
    "GvmDutVRegWriteback": "fire sm_id:32 rd:VECTOR is_vector_wb reg_idx:32 hardware_warp_id:32 pc:32 inst:32 dispatch_id:32 wvd_mask:LANES_ONE_EACH",
    "GvmDutWarpXRegInit": "fire sm_id:32 hardware_warp_id:32 xregs:XREGS",
    "GvmDutWarpVRegInit": "fire sm_id:32 hardware_warp_id:32 vregs:VREGS",
    "GvmDutBarrierDone": "bar_done_fire sm_id:32 wg_slot_id:32 pc:32 inst:32 dispatch_id:32",
}


def gvm(threads, warps):
    """One instance of each, somewhere below pipe."""
    width = {**sizes(threads, warps), "EACH_WARP": 32 * warps, "XREGS": 4096 // warps * 32, "VREGS": 4096 // warps * threads * 32}
    text = ["module gvm_users(input clock, input reset);"]
    for module, inputs in GVM.items():
        connections = [".io_clock(clock)", ".io_reset(reset)"]
        for name in inputs.split():
            name, bits = (name + ":1").split(":")[:2]
            text.append(f"  reg [{int(width.get(bits, bits)) - 1}:0] {module}_{name};")
            connections.append(f".io_{name}({module}_{name})")
        text.append(f"  {module} u_{module}({', '.join(connections)});")
    return "\n".join(text) + "\nendmodule\nbind pipe gvm_users u_gvm(.clock(clock), .reset(reset));\n"


if __name__ == "__main__":  # FOLDER: a core of 8 warps of 8 threads there, and its list of files
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "core.sv").write_text(stub(8, 8))
    (out / "core.f").write_text("core.sv\n")
