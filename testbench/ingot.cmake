# The in-tree core in its harnesses: karat-ingot, karat-ingot-sc, karat-ingot-sv, and further sizes.
set(INGOT_NUM_SM 1 CACHE STRING "SMs of karat-ingot, 1 to 4")
set(INGOT_NUM_WARP 8 CACHE STRING "Warp slots of each of its SMs, 1 to 16")
set(INGOT_NUM_THREAD 8 CACHE STRING "Lanes of karat-ingot: 4, 8, 16 or 32")
set(INGOT_MORE default CACHE STRING "Further sizes of karat-ingot as [sms:]warps:threads[/profile], e.g. 2:8:4;4:32/203; default: those of the tests")
if(INGOT_MORE STREQUAL "default")
  set(INGOT_MORE "")
  if(KARAT_TESTS)
    set(INGOT_MORE 2:8:4)
  endif()
  set(INGOT_MORE "${INGOT_MORE}" PARENT_SCOPE) # For tests/
endif()
set(INGOT_MORE_MMU 0 CACHE STRING "1: those have an MMU, for +sv39")
set(INGOT_MORE_OPT -O1 CACHE STRING "Optimisation of those, of karat-ingot-sc and of karat-ingot-sv: -O3 runs faster, -O1 builds in half the time")

# Copies of the core with changes that are switchable: its fault markers, or mutants.  verilate() reads the sources while
# configuring, so that they are made here a first time, and by the build whenever a source changes.
function(karat_switchable name out comment)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(command ${Python3_EXECUTABLE} ${ARGN} --out ${dir} --top ingot ${INGOT_CORE})
  set(copies ${dir}/karat_fault_pkg.sv)
  foreach(source ${INGOT_CORE})
    get_filename_component(file ${source} NAME)
    list(APPEND copies ${dir}/${file})
  endforeach()
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_command(
    OUTPUT ${copies} ${dir}/karat_faults.h
    COMMAND ${command}
    DEPENDS ${INGOT_CORE} ${fault_scripts}
    COMMENT ${comment}
    VERBATIM)
  add_custom_target(ingot_${name} DEPENDS ${copies} ${dir}/karat_faults.h)
  set(${out} ${copies} PARENT_SCOPE)
endfunction()
option(KARAT_MUTANTS "Have karat-ingot-mutants and karat-ingot-mutable, which fault_score and locate_score build in a tree of their own" OFF)
set(KARAT_MUTANT_SEED 1 CACHE STRING "Seed of its mutants")
set(KARAT_MUTANT_COUNT 240 CACHE STRING "How many it has")
set(fault_scripts ${CMAKE_CURRENT_SOURCE_DIR}/../scripts/faults.py ${CMAKE_CURRENT_SOURCE_DIR}/../scripts/mutants.py)
list(GET fault_scripts 0 fault_script)
list(GET fault_scripts 1 mutant_script)
karat_switchable(faults ingot_with_faults "Building the fault markers into ingot" ${fault_script})
if(KARAT_MUTANTS)
  # They are tried on a core of v2.02 without MMU.
  set(without_files ${INGOT_203} ${INGOT_PUBLIC} ${INGOT_FP_PUBLIC} ${INGOT_MMU})
  list(TRANSFORM without_files REPLACE "^.*/" "" OUTPUT_VARIABLE without)
  list(TRANSFORM without PREPEND "--without=")
  karat_switchable(mutants ingot_with_mutants "Building the mutants into ingot"
    ${mutant_script} --seed ${KARAT_MUTANT_SEED} --count ${KARAT_MUTANT_COUNT} ${without})
endif()

# Both can be called from other folders:
#   karat_add_ingot(name [NUM_SM s] NUM_WARP n NUM_THREAD t [PROFILE 203] [MMU 1] [NO_FAULTS|MUTANTS])  executable: an ingot of
#                                                                that size (one SM where s is left out) and ISA profile,
#                                                                perhaps with SV39, with the Verilator harness and the checker
#   karat_add_ingot_sc(name [NUM_SM s] NUM_WARP n NUM_THREAD t [PROFILE 203] [MMU 1] [NO_FAULTS] [COVERAGE line])  the same with the SystemC
#                                                                harness; and name-parts, a library of what it is made of, for
#                                                                other platforms
set(KARAT_INGOT_FAULTS ${ingot_with_faults} CACHE INTERNAL "")
set(KARAT_INGOT_PLAIN ${INGOT_CORE} CACHE INTERNAL "")
set(KARAT_INGOT_MUTANTS ${ingot_with_mutants} CACHE INTERNAL "")
set(KARAT_SWITCHABLE_DIR ${CMAKE_CURRENT_BINARY_DIR} CACHE INTERNAL "")
set(KARAT_SC_SOURCES core.cpp bridge.cpp host.cpp memory.cpp CACHE INTERNAL "")

# The parts of [sms:]warps:threads[/profile], and what such a size is called: 2sm8w4t, 8w4t with one SM, 203-8w4t of
# profile 203, public-8w4t of profile public. A profile is the core's parameter, or a name that features_of() of ingot_pkg has a
# row for. Without one it is 202.
function(karat_ingot_size config name sms warps threads profile)
  if(NOT config MATCHES "^(([1-4]):)?([0-9]+):([0-9]+)(/([0-9a-z]+))?$")
    message(FATAL_ERROR "'${config}' is no size of ingot: [sms:]warps:threads[/profile], sms 1 to 4, profile a number as 203, or public")
  endif()
  set(size_name ${CMAKE_MATCH_3}w${CMAKE_MATCH_4}t)
  set(size_sms 1)
  if(CMAKE_MATCH_2)
    set(size_sms ${CMAKE_MATCH_2})
  endif()
  if(size_sms GREATER 1)
    set(size_name ${size_sms}sm${size_name})
  endif()
  set(size_profile 202)
  set(${warps} ${CMAKE_MATCH_3} PARENT_SCOPE)
  set(${threads} ${CMAKE_MATCH_4} PARENT_SCOPE)
  set(given "${CMAKE_MATCH_6}")
  if(given AND NOT given EQUAL size_profile)
    set(size_name ${given}-${size_name})
    set(size_profile ${given})
  endif()
  if(NOT size_profile MATCHES "^[0-9]+$")
    file(STRINGS ${INGOT_DIR}/ingot_pkg.sv row REGEX "name: \"${given}\"")
    if(NOT row MATCHES "^ *([0-9]+):")
      message(FATAL_ERROR "'${config}': no ingot has the profile ${given}")
    endif()
    set(size_profile ${CMAKE_MATCH_1})
  endif()
  set(${name} ${size_name} PARENT_SCOPE)
  set(${sms} ${size_sms} PARENT_SCOPE)
  set(${profile} ${size_profile} PARENT_SCOPE)
endfunction()

# The target is built from copies with switchable changes.
function(karat_has_faults target what)
  target_compile_definitions(${target} PUBLIC KARAT_FAULTS)
  target_include_directories(${target} PUBLIC ${KARAT_SWITCHABLE_DIR}/${what})
  add_dependencies(${target} ingot_${what})
endfunction()

# Puts a Verilated ingot into a target.  Further arguments go to verilate().
function(karat_verilate_ingot target)
  set(parameters NUM_SM NUM_WARP NUM_THREAD NUM_LDS_PAGE NUM_SGPR_ROW NUM_VGPR_ROW PROFILE MMU)
  cmake_parse_arguments(ARG "NO_FAULTS;MUTANTS" "${parameters}" "" ${ARGN})
  set(values)
  foreach(parameter ${parameters})
    if(NOT "${ARG_${parameter}}" STREQUAL "")
      list(APPEND values ${parameter}=${ARG_${parameter}})
    endif()
  endforeach()
  if(ARG_NO_FAULTS)
    set(sources ${KARAT_INGOT_PLAIN})
    set(warnings -Wall)
  else()
    # The copies need not be pretty; the sources are linted by a test.
    set(what faults)
    set(sources ${KARAT_INGOT_FAULTS})
    set(warnings -Wno-lint -Wno-style)
    if(ARG_MUTANTS)
      set(what mutants)
      set(sources ${KARAT_INGOT_MUTANTS})
      set(warnings ${warnings} -Wno-SELRANGE)
    endif()
    karat_has_faults(${target} ${what})
  endif()
  karat_verilate(${target} ADAPTER ingot SOURCES ${sources} PARAMETERS ${values} WARNINGS ${warnings} ${ARG_UNPARSED_ARGUMENTS})
endfunction()

function(karat_add_ingot name)
  add_executable(${name} ${KARAT_TESTBENCH_DIR}/verilator/main.cpp)
  karat_verilate_ingot(${name} ${ARGN} PREFIX Vkarat_dut TRACE_FST)
endfunction()

function(karat_add_ingot_sc name)
  list(TRANSFORM KARAT_SC_SOURCES PREPEND ${KARAT_TESTBENCH_DIR}/systemc/ OUTPUT_VARIABLE sources)
  add_library(${name}-parts STATIC ${sources})
  target_include_directories(${name}-parts PUBLIC ${KARAT_TESTBENCH_DIR}/systemc)
  target_link_libraries(${name}-parts PUBLIC PkgConfig::SYSTEMC)
  karat_verilate_ingot(${name}-parts ${ARGN} PREFIX Vingot SYSTEMC TRACE_FST)
  add_executable(${name} ${KARAT_TESTBENCH_DIR}/systemc/main.cpp)
  target_link_libraries(${name} PRIVATE ${name}-parts)
  if(COVERAGE IN_LIST ARGN)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${name}-parts>.xml $<TARGET_FILE:${name}>.xml VERBATIM)
  endif()
endfunction()

karat_add_ingot(karat-ingot NUM_SM ${INGOT_NUM_SM} NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD})

# Further sizes are built as a core of the user's own is, from another folder, a list of files, an include file, a macro and
# a top of another name: so every build tries that way, and its tests run on it.
if(INGOT_MORE)
  set(foreign ${CMAKE_CURRENT_BINARY_DIR}/foreign)
  set(foreign_script ${CMAKE_SOURCE_DIR}/tests/dut/foreign.py)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${foreign_script} --out ${foreign} ${KARAT_INGOT_FAULTS} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${foreign_script} ${INGOT_CORE})
endif()
foreach(config ${INGOT_MORE})
  karat_ingot_size(${config} name sms warps threads profile)
  karat_add_core(karat-ingot-${name} ADAPTER ingot FILELIST ${foreign}/core.f INCDIRS ${foreign}/include DEFINES FOREIGN_TOP=foreign_top
    TOP foreign_top PARAMETERS NUM_SM=${sms} NUM_WARP=${warps} NUM_THREAD=${threads} PROFILE=${profile} MMU=${INGOT_MORE_MMU} OPT ${INGOT_MORE_OPT}
    WARNINGS -Wno-lint -Wno-style)
  karat_has_faults(karat-ingot-${name} faults)
endforeach()

set(INGOT_MORE_SC "" CACHE STRING "Further sizes of karat-ingot-sc, as INGOT_MORE")
if(SYSTEMC_FOUND)
  foreach(config ${INGOT_MORE_SC})
    karat_ingot_size(${config} name sms warps threads profile)
    karat_add_ingot_sc(karat-ingot-sc-${name} NUM_SM ${sms} NUM_WARP ${warps} NUM_THREAD ${threads} PROFILE ${profile} MMU ${INGOT_MORE_MMU}
      OPT ${INGOT_MORE_OPT})
  endforeach()
endif()
# With mutants that karat locate tries, and that locate_score has it look for.
if(KARAT_MUTANTS)
  karat_add_ingot(karat-ingot-mutable NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} OPT ${INGOT_MORE_OPT} COVERAGE line MUTABLE)
  set_target_properties(karat-ingot-mutable PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
if(NOT KARAT_TESTS)
  return()
endif()

set(INGOT_PUBLIC_THREAD 32 CACHE INTERNAL "") # Lanes of karat-ingot-public
# Profile v2.03.
karat_add_ingot(karat-ingot-203 NUM_SM ${INGOT_NUM_SM} NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} PROFILE 203 OPT ${INGOT_MORE_OPT})

# Profile public, with the lanes that a matrix product needs.
karat_ingot_size(4:${INGOT_PUBLIC_THREAD}/public name sms warps threads profile)
karat_add_ingot(karat-ingot-public NUM_WARP ${warps} NUM_THREAD ${threads} PROFILE ${profile} OPT ${INGOT_MORE_OPT})

# With SV39; and both, which no test wants, for locate_score.
karat_add_ingot(karat-ingot-mmu NUM_SM ${INGOT_NUM_SM} NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} MMU 1 OPT ${INGOT_MORE_OPT})
karat_add_ingot(karat-ingot-203-mmu NUM_SM ${INGOT_NUM_SM} NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} PROFILE 203 MMU 1
  OPT ${INGOT_MORE_OPT} COVERAGE line)
set_target_properties(karat-ingot-203-mmu PROPERTIES EXCLUDE_FROM_ALL ON)

# With RTL coverage.
karat_add_ingot(karat-ingot-coverage NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} OPT ${INGOT_MORE_OPT} COVERAGE line)

# sv/ by Verilator: its own main(), and the library as any simulator gets it. (A test lints sv/.)
add_library(karat_sv_types OBJECT sv/types.c)
target_include_directories(karat_sv_types PRIVATE $<TARGET_PROPERTY:karat-ingot-sv,INCLUDE_DIRECTORIES>)
target_link_libraries(karat_sv_types PRIVATE karat_sv karat_port)
karat_warnings(karat_sv_types)
add_executable(karat-ingot-sv $<TARGET_OBJECTS:karat_sv_types> sv/vl_fatal.cpp)
target_compile_definitions(karat-ingot-sv PRIVATE VL_USER_FATAL)
target_link_libraries(karat-ingot-sv PRIVATE karat_sv)
add_dependencies(karat-ingot-sv ingot_faults)
karat_verilate_once(karat-ingot-sv SOURCES ${INGOT_LINT} ${KARAT_PORT_PKG} ${KARAT_INGOT_FAULTS} ${INGOT_PROBE} ${KARAT_INGOT_SV}
  TOP_MODULE karat_ingot_sv PREFIX Vkarat_ingot_sv
  OPT_FAST ${INGOT_MORE_OPT} OPT_SLOW -O0 TRACE
  VERILATOR_ARGS --main --timing -DKARAT_FAULTS -Wno-lint -Wno-style --assert -O3 --x-assign fast --x-initial unique
    -GNUM_SM=${INGOT_NUM_SM} -GNUM_WARP=${INGOT_NUM_WARP} -GNUM_THREAD=${INGOT_NUM_THREAD})

# Of two SMs and two groups of four lanes, so that each part of the core has work to do.
if(KARAT_MUTANTS)
  karat_add_ingot(karat-ingot-mutants MUTANTS NUM_SM 2 NUM_WARP 8 NUM_THREAD 8 OPT ${INGOT_MORE_OPT})
  set_target_properties(karat-ingot-mutants PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

if(SYSTEMC_FOUND)
  karat_add_ingot_sc(karat-ingot-sc NUM_SM ${INGOT_NUM_SM} NUM_WARP ${INGOT_NUM_WARP} NUM_THREAD ${INGOT_NUM_THREAD} OPT ${INGOT_MORE_OPT})
  # Small, so that it is built soon: the one of profile v2.03 that tests run, and the one with RTL coverage.
  set(INGOT_SC203_THREAD 4 CACHE INTERNAL "")
  karat_add_ingot_sc(karat-ingot-sc-203 NUM_WARP 4 NUM_THREAD ${INGOT_SC203_THREAD} PROFILE 203 OPT ${INGOT_MORE_OPT} COVERAGE line)
  # An example of how others place the core: the same core in a platform of its own.
  add_executable(karat-platform-sc systemc/platform.cpp)
  target_link_libraries(karat-platform-sc PRIVATE karat-ingot-sc-parts)
else()
  message(STATUS "No SystemC (Debian: libsystemc-dev): karat-ingot-sc is left out")
endif()
