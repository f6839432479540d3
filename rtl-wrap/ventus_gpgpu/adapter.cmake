# The adapter of the public Verilog Ventus, all of it (../ventus/README.md): the probe of one SM, in each.
set(ventus_gpgpu ${CMAKE_CURRENT_LIST_DIR})
include(${ventus_gpgpu}/../ventus/adapter.cmake)
list(APPEND KARAT_ADAPTER_SOURCES ${ventus_gpgpu}/ventus_done_probe.sv)
set(KARAT_ADAPTER_TOP GPGPU_top)
list(APPEND KARAT_ADAPTER_VERILATOR_ARGS -DKARAT_VENTUS_GPGPU)
