# The adapter of the Chisel Ventus (README.md): its bind is made for the Verilog that the user has elaborated.
set(KARAT_ADAPTER_TOP GPGPU_SimTop)
include(${CMAKE_CURRENT_LIST_DIR}/elaborated.cmake)
