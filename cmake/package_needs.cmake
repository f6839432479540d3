# Read by cpack before it makes packages: Debian's need tools that only some machines have.
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(tool dpkg-shlibdeps file)
    find_program(found_${tool} ${tool})
    if(NOT found_${tool})
      message(FATAL_ERROR "cpack -G DEB: ${tool} is not installed: expected Debian's packages dpkg-dev and file")
    endif()
  endforeach()
endif()
