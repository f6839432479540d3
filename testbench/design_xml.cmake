# Writes the design that a target was Verilated from as XML, for karat locate: ARGS is the file of Verilator's command, which verilate() has
# left, OUT the XML, FOLDER a folder for what else Verilator writes. Without -fno-dfg assignments to parts of a signal would be one of many lines.
file(READ ${ARGS} command)
execute_process(COMMAND ${command} -fno-dfg --xml-only --xml-output ${OUT} --Mdir ${FOLDER} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  file(REMOVE ${OUT})
  message(FATAL_ERROR "${OUT}: Verilator writes no XML: ${error}")
endif()
