# The floating-point units' sources, in compile order: INGOT_FP_PKG comes before ingot_pkg.sv, the others, INGOT_FP_UNITS,
# after it and ingot_result_fifo.sv.  INGOT_FPU is all of them.
set(INGOT_FPU_DIR ${CMAKE_CURRENT_LIST_DIR})
set(INGOT_FP_PKG ${INGOT_FPU_DIR}/ingot_fp_pkg.sv)
# Of profile public alone.
set(INGOT_FP_PUBLIC ingot_fp_half.sv ingot_half.sv ingot_special_pkg.sv ingot_fp_special.sv ingot_special.sv ingot_matrix.sv)
set(INGOT_FP_UNITS
  ingot_fp_results.sv ingot_fp_fma.sv ingot_fp_divsqrt.sv ingot_fp_misc.sv ingot_fp_exp.sv
  ingot_fpu.sv ingot_fdiv.sv ingot_fmisc.sv ingot_sfu.sv ingot_tensor.sv ${INGOT_FP_PUBLIC})
list(TRANSFORM INGOT_FP_UNITS PREPEND ${INGOT_FPU_DIR}/)
set(INGOT_FPU ${INGOT_FP_PKG} ${INGOT_FP_UNITS})
