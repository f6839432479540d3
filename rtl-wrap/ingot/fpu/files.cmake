# The floating-point units' sources, in compile order; they need ingot_pkg.sv and ingot_result_fifo.sv in front.
set(INGOT_FPU_DIR ${CMAKE_CURRENT_LIST_DIR})
set(INGOT_FPU
  ingot_fp_pkg.sv ingot_fp_results.sv ingot_fp_fma.sv ingot_fp_divsqrt.sv ingot_fp_misc.sv ingot_fp_exp.sv
  ingot_fpu.sv ingot_fdiv.sv ingot_fmisc.sv ingot_sfu.sv ingot_tensor.sv)
list(TRANSFORM INGOT_FPU PREPEND ${INGOT_FPU_DIR}/)
