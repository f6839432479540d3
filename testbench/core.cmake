# Any core under the Verilator harness; docs/your-core.md is the guide.
#
#   karat_add_core(name ADAPTER folder [FILELIST file] [SOURCES file...] [INCDIRS folder...] [DEFINES NAME[=VALUE]...]
#                  [PARAMETERS NAME=VALUE...] [TOP module] [OPT -O3] [COVERAGE line|toggle...] [MUTABLE] [WARNINGS arg...])
#     An executable: the core with its adapter's probe, the Verilator harness and the checker.  The core's files come from
#     a list as simulators take it (file names relative to the list's folder, +incdir+, +define+, comments), or are named.
#     Without WARNINGS those of Verilator stop nothing (-Wno-fatal), and CMake's verilate() does not show them.
#     COVERAGE line, or line toggle, counts which branches run and which bits change, for +rtl-coverage=FILE; the probe's
#     files are left out. The design is beside the executable as name.xml, for karat locate.
#     MUTABLE builds mutants into the core (mutable.py), which karat locate --mutants tries; name.mutants.json has their places.
#   karat_verilate(target PREFIX prefix ...the same... [WARNINGS arg...] [further arguments of verilate()])
#     The same core in a target of yours, for another harness.
#
# An adapter is a folder with adapter.hpp (described in verilator/karat_adapter.hpp) and adapter.cmake, which sets
#   KARAT_ADAPTER_SOURCES         SystemVerilog: the probe and its bind, in compile order
#   KARAT_ADAPTER_DESCRIPTION     the core's description, docs/your-core.md
#   KARAT_ADAPTER_TOP             top module, where the user names none
#   KARAT_ADAPTER_PARAMETERS      NAME=VALUE of the top's parameters, where the user gives none
#   KARAT_ADAPTER_LINT            Verilator's waivers (.vlt), read first
#   KARAT_ADAPTER_VERILATOR_ARGS  further arguments for Verilator
# and may read KARAT_PARAMETERS, those that the user gives, KARAT_FILELIST, and KARAT_GENERATED, a folder for files that it
# makes of the core's.  Parameters reach the core, and C++ as macros
# KARAT_PARAM_<NAME>.
get_filename_component(KARAT_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(KARAT_PORT_PKG ${KARAT_ROOT}/dpi/port/gen/karat_port_pkg.sv CACHE INTERNAL "")
set(KARAT_RTL_WRAP ${KARAT_ROOT}/rtl-wrap CACHE INTERNAL "")
set(KARAT_TESTBENCH_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")
option(KARAT_TRACE_STRUCTS "Waveforms show structures by their fields, and packed arrays by element: a larger build and larger files" OFF)

# A file or folder that must exist; else an error of one line.
function(karat_expect what path)
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "${what}: no ${path}")
  endif()
endfunction()

# verilate(), with Verilator's own files compiled once for all targets that want the same of them: they take longer than most units.
function(karat_verilate_once target)
  verilate(${target} ${ARGN})
  get_target_property(sources ${target} SOURCES)
  set(runtime ${sources})
  list(FILTER runtime INCLUDE REGEX "/include/verilated[^/]*[.]cpp$")
  list(FILTER sources EXCLUDE REGEX "/include/verilated[^/]*[.]cpp$")
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
  get_target_property(definitions ${target} COMPILE_DEFINITIONS)
  list(FILTER definitions INCLUDE REGEX "^VL_")
  foreach(property COVERAGE SYSTEMC TRACE TRACE_VCD TRACE_FST)
    get_target_property(value ${target} VERILATOR_${property})
    string(REPLACE SYSTEMC SC macro VM_${property})
    list(APPEND definitions ${macro}=$<BOOL:${value}>)
  endforeach()
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(MD5 kind "${runtime};${definitions};${options}")
  string(SUBSTRING ${kind} 0 8 kind)
  set(library karat_verilated_${kind})
  if(NOT TARGET ${library})
    add_library(${library} OBJECT EXCLUDE_FROM_ALL ${runtime})
    target_compile_definitions(${library} PRIVATE ${definitions})
    target_include_directories(${library} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    if(options)
      target_compile_options(${library} PRIVATE ${options})
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${library})
endfunction()

function(karat_verilate target)
  cmake_parse_arguments(ARG "MUTABLE" "PREFIX;ADAPTER;FILELIST;TOP;OPT" "SOURCES;INCDIRS;DEFINES;PARAMETERS;WARNINGS;COVERAGE" ${ARGN})
  get_filename_component(adapter "${ARG_ADAPTER}" ABSOLUTE BASE_DIR ${KARAT_RTL_WRAP})
  karat_expect("${target}: adapter" ${adapter}/adapter.cmake)
  karat_expect("${target}: adapter" ${adapter}/adapter.hpp)
  if(ARG_FILELIST)
    get_filename_component(list "${ARG_FILELIST}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
    karat_expect("${target}: list of files" ${list})
    if(IS_DIRECTORY ${list})
      message(FATAL_ERROR "${target}: list of files: ${list} is a folder")
    endif()
    set(files -F ${list})
  elseif(NOT ARG_SOURCES)
    message(FATAL_ERROR "${target}: no sources: KARAT_DUT_FILELIST names the list of the core's files")
  endif()
  set(generated ${CMAKE_BINARY_DIR}/testbench/generated/${target})
  set(KARAT_PARAMETERS ${ARG_PARAMETERS})
  set(KARAT_FILELIST ${list})
  set(KARAT_GENERATED ${generated})
  include(${adapter}/adapter.cmake)
  if(NOT ARG_TOP)
    set(ARG_TOP ${KARAT_ADAPTER_TOP})
  endif()
  if(NOT ARG_OPT)
    set(ARG_OPT -O3)
  endif()

  set(args)
  foreach(folder ${ARG_INCDIRS})
    get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
    karat_expect("${target}: folder of include files" ${folder})
    list(APPEND args +incdir+${folder})
  endforeach()
  foreach(define ${ARG_DEFINES})
    list(APPEND args -D${define})
  endforeach()
  # The user's parameters, and the adapter's where there is none.
  set(given)
  foreach(parameter ${ARG_PARAMETERS} ${KARAT_ADAPTER_PARAMETERS})
    if(NOT parameter MATCHES "^([A-Za-z_][A-Za-z0-9_]*)=(.+)$")
      message(FATAL_ERROR "${target}: parameter '${parameter}', expected NAME=VALUE")
    endif()
    if(NOT CMAKE_MATCH_1 IN_LIST given)
      list(APPEND given ${CMAKE_MATCH_1})
      list(APPEND args -G${parameter})
      target_compile_definitions(${target} PUBLIC KARAT_PARAM_${parameter})
    endif()
  endforeach()

  # The core's description, built in; and its adapter, by a name that does not depend on it.
  set(KARAT_DESCRIPTION_FILE ${KARAT_ADAPTER_DESCRIPTION})
  set(KARAT_DESCRIPTION "{}")
  if(KARAT_ADAPTER_DESCRIPTION)
    karat_expect("${target}: description" ${KARAT_ADAPTER_DESCRIPTION})
    file(READ ${KARAT_ADAPTER_DESCRIPTION} KARAT_DESCRIPTION)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KARAT_ADAPTER_DESCRIPTION})
  endif()
  configure_file(${KARAT_TESTBENCH_DIR}/common/description.hpp.in ${generated}/karat_description.hpp @ONLY)
  file(CONFIGURE OUTPUT ${generated}/karat_dut_adapter.hpp CONTENT "#include \"${adapter}/adapter.hpp\"\n")

  set(lint ${KARAT_ADAPTER_LINT})
  if(ARG_COVERAGE)
    set(uncounted "`verilator_config\n")
    foreach(source ${KARAT_PORT_PKG} ${KARAT_ADAPTER_SOURCES})
      string(APPEND uncounted "coverage_off -file \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${generated}/uncounted.vlt CONTENT "${uncounted}" @ONLY)
    list(APPEND lint ${generated}/uncounted.vlt)
  endif()
  foreach(kind ${ARG_COVERAGE})
    if(NOT kind MATCHES "^(line|toggle)$")
      message(FATAL_ERROR "${target}: COVERAGE ${kind}: expected line, toggle or both")
    endif()
    list(APPEND args --coverage-${kind})
  endforeach()
  if(KARAT_TRACE_STRUCTS)
    list(APPEND args --trace-structs)
  endif()
  target_compile_definitions(${target} PUBLIC VL_USER_STOP)
  target_link_libraries(${target} PUBLIC karat_harness)
  target_include_directories(${target} PUBLIC ${KARAT_TESTBENCH_DIR}/verilator ${generated} ${adapter})
  set(args ${ARG_WARNINGS} ${KARAT_ADAPTER_VERILATOR_ARGS} ${args})
  if(ARG_MUTABLE)
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    # verilate() reads the sources while configuring, so that they are made here.
    set(mutants ${generated}/mutants.sv)
    list(APPEND args -Wno-fatal -Wno-lint -Wno-style -Wno-ENUMVALUE -Wno-SELRANGE) # A mutant may deserve them
    set(lists)
    foreach(list front source probe)
      set(front ${lint} ${KARAT_PORT_PKG})
      set(source ${files} ${ARG_SOURCES})
      set(probe ${KARAT_ADAPTER_SOURCES})
      foreach(file ${${list}})
        list(APPEND lists --${list}=${file})
      endforeach()
    endforeach()
    execute_process(COMMAND ${Python3_EXECUTABLE} ${KARAT_TESTBENCH_DIR}/mutable.py --out ${mutants} --top ${ARG_TOP} ${lists}
        -- ${VERILATOR_BIN} --cc --top-module ${ARG_TOP} ${args}
      OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
    list(FILTER files EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/") # Those are made of the others
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${KARAT_TESTBENCH_DIR}/mutable.py)
    set(ARG_SOURCES ${mutants})
    set(files)
    configure_file(${mutants}.json ${CMAKE_CURRENT_BINARY_DIR}/${target}.mutants.json COPYONLY)
  endif()
  # Slow code runs once, at the start, and is a third of the generated code: not worth compiling well.
  karat_verilate_once(${target} TOP_MODULE ${ARG_TOP} PREFIX ${ARG_PREFIX} OPT_FAST ${ARG_OPT} OPT_SLOW -O0 ${ARG_UNPARSED_ARGUMENTS}
    SOURCES ${lint} ${KARAT_PORT_PKG} ${ARG_SOURCES} ${KARAT_ADAPTER_SOURCES}
    VERILATOR_ARGS -O3 --x-assign fast --x-initial unique ${args} ${files})
  if(ARG_COVERAGE)
    get_target_property(binary_dir ${target} BINARY_DIR)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -DARGS=${binary_dir}/CMakeFiles/${target}.dir/${ARG_PREFIX}.dir/verilator_args.txt -DOUT=$<TARGET_FILE:${target}>.xml
              -DFOLDER=${generated} -P ${KARAT_TESTBENCH_DIR}/design_xml.cmake VERBATIM)
  endif()
endfunction()

function(karat_add_core name)
  add_executable(${name} ${KARAT_TESTBENCH_DIR}/verilator/main.cpp)
  set(warnings)
  if(NOT WARNINGS IN_LIST ARGN)
    set(warnings WARNINGS -Wno-fatal)
  endif()
  karat_verilate(${name} PREFIX Vkarat_dut TRACE_FST ${ARGN} ${warnings})
endfunction()

# A core of the user's own, from the command line: karat-<KARAT_DUT>.
set(KARAT_DUT "" CACHE STRING "Name of a core of your own to build karat-<name> for, and of its adapter in rtl-wrap/")
set(KARAT_DUT_ADAPTER "" CACHE STRING "Folder of its adapter, where that is not rtl-wrap/<name>")
set(KARAT_DUT_FILELIST "" CACHE STRING "The core's list of files, as simulators take it")
set(KARAT_DUT_INCDIRS "" CACHE STRING "Folders of its include files; further ones may be in the list")
set(KARAT_DUT_DEFINES "" CACHE STRING "Its macros, NAME or NAME=VALUE")
set(KARAT_DUT_PARAMETERS "" CACHE STRING "Parameters of its top module, NAME=VALUE")
set(KARAT_DUT_TOP "" CACHE STRING "Its top module, where that is not the adapter's")
set(KARAT_DUT_WARNINGS -Wno-fatal CACHE STRING
  "Verilator's options for warnings: -Wno-fatal goes on in spite of them; empty or -Wall shows them and ends")
set(KARAT_DUT_COVERAGE "" CACHE STRING "RTL coverage that it counts for +rtl-coverage: line, or line;toggle")
option(KARAT_DUT_MUTABLE "Have mutants in it, for karat locate --mutants" OFF)
set(KARAT_DUT_OPT -O3 CACHE STRING "Optimisation of its C++: -O3 runs faster, -O1 builds in half the time")
function(karat_add_dut)
  if(NOT KARAT_DUT MATCHES "^[A-Za-z0-9_.-]+$")
    message(FATAL_ERROR "KARAT_DUT=${KARAT_DUT}: expected a name of letters, digits, '_', '.' and '-'")
  endif()
  if(TARGET karat-${KARAT_DUT})
    message(FATAL_ERROR "KARAT_DUT=${KARAT_DUT}: karat-${KARAT_DUT} exists already: choose another name")
  endif()
  set(adapter ${KARAT_DUT_ADAPTER})
  if(NOT adapter)
    set(adapter ${KARAT_DUT})
  endif()
  set(mutable)
  if(KARAT_DUT_MUTABLE)
    set(mutable MUTABLE)
  endif()
  if(KARAT_DUT_WARNINGS MATCHES "-Wno-fatal")
    message(STATUS "karat-${KARAT_DUT}: Verilator's warnings stop nothing, and are not shown (-DKARAT_DUT_WARNINGS= shows them and ends)")
  endif()
  karat_add_core(karat-${KARAT_DUT} ADAPTER "${adapter}" FILELIST "${KARAT_DUT_FILELIST}" INCDIRS ${KARAT_DUT_INCDIRS}
    DEFINES ${KARAT_DUT_DEFINES} PARAMETERS ${KARAT_DUT_PARAMETERS} TOP "${KARAT_DUT_TOP}" OPT ${KARAT_DUT_OPT}
    ${mutable} COVERAGE ${KARAT_DUT_COVERAGE} WARNINGS ${KARAT_DUT_WARNINGS})
endfunction()
