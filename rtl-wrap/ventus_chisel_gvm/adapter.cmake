# The Chisel Ventus in a build for GVM (../ventus_chisel/README.md): records from its own verification modules.
set(KARAT_ADAPTER_TOP GPGPU_SimTop)
set(ventus_gvm ON)
include(${CMAKE_CURRENT_LIST_DIR}/../ventus_chisel/elaborated.cmake)
