# Shared by the adapters of the Chisel Ventus: files made for the elaborated Verilog, and a mistake in one line if it does not fit.
set(ventus ${CMAKE_CURRENT_LIST_DIR}/../ventus)
set(ventus_chisel ${CMAKE_CURRENT_LIST_DIR})
set(gvm)
if(ventus_gvm)
  set(gvm --gvm)
endif()
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${ventus_chisel}/elaborated.py --core ${KARAT_FILELIST} --top ${KARAT_ADAPTER_TOP} --out ${KARAT_GENERATED}
          ${gvm}
  ERROR_VARIABLE unfit ERROR_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${target}: ${unfit}")
endif()
foreach(file elaborated.py ventus_params.sv.in ventus_storage.svh.in ventus_masks.svh.in ventus_bind.sv.in sm_wrapper.sv.in)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ventus_chisel}/${file})
endforeach()
set(KARAT_ADAPTER_SOURCES ${KARAT_GENERATED}/ventus_params.sv)
if(ventus_gvm)
  list(APPEND KARAT_ADAPTER_SOURCES ${ventus_chisel}/ventus_gvm.sv)
else()
  list(APPEND KARAT_ADAPTER_SOURCES ${ventus}/ventus_probe.sv ${KARAT_GENERATED}/ventus_bind.sv)
endif()
if(KARAT_ADAPTER_TOP STREQUAL "sm_wrapper")
  list(APPEND KARAT_ADAPTER_SOURCES ${KARAT_GENERATED}/sm_wrapper.sv)
endif()
set(KARAT_ADAPTER_DESCRIPTION ${ventus_chisel}/core.json)
# The core prints every result, and stops at words that it does not know: Karat judges both.
set(KARAT_ADAPTER_VERILATOR_ARGS +incdir+${KARAT_GENERATED} -DPRINTF_COND=0 -DSTOP_COND=0 -DASSERT_VERBOSE_COND=0 --no-timing
  -Wno-fatal -Wno-lint -Wno-style)
