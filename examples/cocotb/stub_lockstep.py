"""The stub core stub.sv under cocotb, in lockstep with the model. run.py builds and runs it."""
import cocotb
from cocotb.triggers import Timer

from karat import Verdict, records
from karat.cocotb import Core, Edge, Lockstep, Probe


class Stub(Core):
    """Its pins: dispatch, and a memory that answers in the same cycle."""

    def __init__(self, dut):
        self.dut, self.clock = dut, dut.clk_i

    async def reset(self):
        self.dut.wg_valid_i.value = 0
        self.dut.wg_pc_i.value = 0
        self.dut.insn_i.value = 0
        self.dut.rst_ni.value = 1
        await Timer(1, "ns")
        self.dut.rst_ni.value = 0  # An edge, for the asynchronous reset
        await Timer(1, "ns")
        self.dut.rst_ni.value = 1
        await Timer(1, "ns")

    def live(self):
        return not int(self.dut.wg_ready_o.value)

    def drive(self, run):
        workgroup = run.offer()
        self.dut.wg_valid_i.value = workgroup is not None
        if workgroup:
            self.dut.wg_pc_i.value = workgroup.pc
        self.dut.insn_i.value = run.read(int(self.dut.pc_o.value)) if self.live() else 0

    def edge(self, run):
        accepted = bool(int(self.dut.wg_valid_i.value)) and not self.live()
        return Edge(accepted=accepted, done=0 if int(self.dut.wg_done_o.value) else None)


class ProbedStub(Stub):
    """The same with records made in Python, for simulators without DPI-C: it looks at what stub_probe.sv looks at."""

    GIVES = (records.REC_HELLO, records.REC_LAUNCH, records.REC_ISSUE, records.REC_WRITE, records.REC_EXIT)
    LANES = 0xf

    def __init__(self, dut, run):
        super().__init__(dut)
        self.probe = Probe(run)

    def records(self, run):
        dut, probe = self.dut, self.probe
        if run.cycle == 0:
            yield probe.hello("stub", self.GIVES, stack_depth=1, num_sm=1, num_warp=1, num_thread=4)
        if self.live():
            word = int(dut.insn_i.value)
            yield probe.issue(0, pc=int(dut.pc_o.value), word=word, mask=self.LANES)
            rd = word >> 7 & 31
            if int(dut.endprg.value):
                yield probe.record(records.Exit, 0)
            elif rd:
                yield probe.record(records.Write, 0, seq=probe.seq(0), cls=records.X, regno=rd, mask=1, data=[int(dut.sum.value)])
        elif int(dut.wg_valid_i.value):
            yield probe.launch(0, pc=int(dut.wg_pc_i.value), mask=self.LANES, regs=records.REGS_CLEARED)


@cocotb.test()
async def lockstep(dut):
    """Runs the kernel that +kernel names."""
    run = Lockstep(warps=1, threads=4, sgprs=64, vgprs=256, faults=["sum"])
    core = Stub(dut) if "dpi" in cocotb.plusargs else ProbedStub(dut, run)
    verdict = await run.run(core)
    assert verdict == Verdict.PASS, verdict
