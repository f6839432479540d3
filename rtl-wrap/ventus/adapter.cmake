# The adapter of the public Verilog Ventus, one SM (README.md).
set(ventus ${CMAKE_CURRENT_LIST_DIR})
set(KARAT_ADAPTER_SOURCES ${ventus}/ventus_params.sv ${ventus}/ventus_probe.sv ${ventus}/ventus_bind.sv)
set(KARAT_ADAPTER_DESCRIPTION ${ventus}/core.json)
set(KARAT_ADAPTER_TOP sm_wrapper)
# Its memories are cleared in loops; the warnings are of its own sources.
set(KARAT_ADAPTER_VERILATOR_ARGS +incdir+${ventus} --no-timing --unroll-count 4096 --unroll-stmts 200000 -Wno-fatal -Wno-lint -Wno-style
  -Wno-COMBDLY -Wno-UNOPTFLAT -Wno-MULTIDRIVEN)
