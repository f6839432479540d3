# Ingot's sources, in compile order: packages first.  INGOT_LINT says what lint need not; INGOT_CORE is the core alone;
# INGOT_PROBE binds the retire port to it (and needs karat_port_pkg.sv in front).
set(INGOT_DIR ${CMAKE_CURRENT_LIST_DIR})
include(${INGOT_DIR}/fpu/files.cmake)
# Of profile v2.03 alone: the units, and all of it.
set(INGOT_WIDE wide/ingot_wide_pkg.sv wide/ingot_wide_int.sv wide/ingot_wide_fp.sv wide/ingot_wide.sv)
set(INGOT_203 ingot_decode203.sv ingot_operands.sv ${INGOT_WIDE})
# Of profile public alone.
set(INGOT_PUBLIC ingot_decode_public.sv ingot_lane_ids.sv ingot_shuffle.sv ingot_public_units.sv)
# The MMU.
set(INGOT_MMU mmu/ingot_mmu_pkg.sv mmu/ingot_tlb.sv mmu/ingot_fetch_pages.sv mmu/ingot_lsu_pages.sv mmu/ingot_l2tlb.sv mmu/ingot_walker.sv)
set(INGOT_CORE
  ingot_pkg.sv ingot_rr_arb.sv ingot_share.sv ingot_result_fifo.sv ${INGOT_MMU}
  ingot_alloc.sv ingot_dispatch.sv ingot_fetch.sv ingot_icache.sv ingot_decode.sv ingot_decode203.sv ${INGOT_PUBLIC}
  ingot_bounds.sv ingot_front.sv ingot_frontend.sv ingot_issue.sv ingot_scoreboard.sv ingot_regfile.sv ingot_operands.sv ingot_issue_stage.sv
  ingot_alu.sv ingot_mul.sv ingot_div.sv ingot_int_units.sv ingot_fp_units.sv ${INGOT_WIDE}
  ingot_csr.sv ingot_simt.sv ingot_barrier.sv ingot_control.sv ingot_lds.sv ingot_lsu.sv
  ingot_writeback.sv ingot_sm.sv ingot_distribute.sv ingot.sv)
list(TRANSFORM INGOT_CORE PREPEND ${INGOT_DIR}/)
list(FIND INGOT_CORE ${INGOT_DIR}/ingot_dispatch.sv at)
list(INSERT INGOT_CORE ${at} ${INGOT_FP_UNITS})
list(PREPEND INGOT_CORE ${INGOT_FP_PKG})
set(INGOT_LINT ${INGOT_DIR}/ingot_lint.vlt)
set(INGOT_PROBE ${INGOT_DIR}/../port/karat_port_assert.sv ${INGOT_DIR}/../port/karat_wave.sv ${INGOT_DIR}/ingot_probe.sv ${INGOT_DIR}/ingot_bind.sv)
