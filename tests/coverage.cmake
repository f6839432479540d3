# The target coverage: builds, runs every test of the C side, and prints how much of golden/ they reach.  It fails below
# these shares of lines and branches (in percent).  Branches that no compiler can reach or that only C++ would throw
# on are not counted; nothing else is left out. golden.table, which links the library in its own way, does not run.
set(coverage_lines 95)
set(coverage_branches 85)
find_program(KARAT_GCOVR gcovr REQUIRED)

# The counted code is not optimised; the tests themselves may be.
foreach(target karat_golden karat_gen_index)
  target_compile_options(${target} PRIVATE --coverage -O0)
endforeach()

# Everything that a plain build makes.
function(coverage_targets out folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  set(found)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      list(APPEND found ${target})
    elseif(type STREQUAL "UTILITY")
      get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
      if(NOT excluded)
        list(APPEND found ${target})
      endif()
    endif()
  endforeach()
  foreach(below ${folders})
    coverage_targets(more ${below})
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
coverage_targets(coverage_all ${CMAKE_SOURCE_DIR})

set(gcovr ${KARAT_GCOVR} --root ${CMAKE_SOURCE_DIR})
set(tracefile ${CMAKE_BINARY_DIR}/coverage.json)
add_custom_target(
  coverage
  COMMAND find ${CMAKE_BINARY_DIR} -name "*.gcda" -delete
  COMMAND sh -c "$<TARGET_FILE:karat_gen_index> >gen_index.out" # A tool of the build, which has run by now
  COMMAND ${CMAKE_CTEST_COMMAND} --no-tests=error --output-on-failure -E ^golden\\.table$
  COMMAND ${gcovr} --filter ${CMAKE_SOURCE_DIR}/golden/ --exclude ${CMAKE_SOURCE_DIR}/golden/files/
          --exclude-unreachable-branches --exclude-throw-branches --json ${tracefile} ${CMAKE_BINARY_DIR}
  COMMAND ${gcovr} -a ${tracefile} --html-details ${CMAKE_BINARY_DIR}/coverage.html
  COMMAND ${gcovr} -a ${tracefile} --branches
  COMMAND ${gcovr} -a ${tracefile} --txt - --print-summary --fail-under-line ${coverage_lines} --fail-under-branch ${coverage_branches}
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  USES_TERMINAL
  VERBATIM)
add_dependencies(coverage ${coverage_all})
