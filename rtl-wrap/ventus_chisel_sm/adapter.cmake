# One SM of the Chisel Ventus (../ventus_chisel/README.md).
set(KARAT_ADAPTER_TOP sm_wrapper)
include(${CMAKE_CURRENT_LIST_DIR}/../ventus_chisel/elaborated.cmake)
