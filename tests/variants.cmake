# The C side once more by other compilers and with other flags, whatever the preset is. Object by object, so that ccache
# and the dependencies work.
#
#   karat_variant_executable(file name variant source...)   file: the executable's path. With libkarat, and what else
#                                                           KARAT_VARIANT_LINK names; compiled with KARAT_VARIANT_FLAGS, too
find_program(KARAT_GCC gcc REQUIRED)
find_program(KARAT_CLANG clang REQUIRED)
set(KARAT_VARIANTS gcc-O0 gcc-O3 clang-O0 clang-O3 sanitized)
set(variant_gcc-O0 ${KARAT_GCC} -O0)
set(variant_gcc-O3 ${KARAT_GCC} -O3)
set(variant_clang-O0 ${KARAT_CLANG} -O0)
set(variant_clang-O3 ${KARAT_CLANG} -O3)
set(variant_sanitized ${KARAT_GCC} -O2 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all)
set(variant_includes golden/include golden/inline golden/isa golden ${KARAT_CHECK_FOLDERS} dpi/mcm dpi/port dpi/port/gen dpi/trace
  vectors/cov golden/files vectors/gen ${KARAT_CLI_FOLDERS} tests)
list(TRANSFORM variant_includes PREPEND -I${CMAKE_SOURCE_DIR}/)

# The release preset is a gcc -O3 build itself.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_C_FLAGS)
  set(KARAT_IS_GCC_O3 TRUE)
endif()

function(karat_variant_compile objects variant)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${variant})
  file(MAKE_DIRECTORY ${folder})
  set(made)
  foreach(source ${ARGN})
    get_filename_component(path ${source} ABSOLUTE)
    if(path MATCHES "^${CMAKE_BINARY_DIR}/")
      get_filename_component(object ${path} NAME)
    else()
      file(RELATIVE_PATH object ${CMAKE_SOURCE_DIR} ${path})
      string(REPLACE "/" "_" object ${object})
    endif()
    set(object ${folder}/${object}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${variant_${variant}} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic
              -Werror ${variant_includes} ${KARAT_VARIANT_FLAGS} -pthread -MD -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path}
      DEPFILE ${object}.d
      VERBATIM)
    list(APPEND made ${object})
  endforeach()
  set(${objects} ${made} PARENT_SCOPE)
endfunction()

# libkarat: the target karat_golden_VARIANT.
get_target_property(golden_sources karat_golden SOURCES)
get_target_property(golden_dir karat_golden SOURCE_DIR)
set(sources)
foreach(source ${golden_sources})
  get_filename_component(path ${source} ABSOLUTE BASE_DIR ${golden_dir})
  list(APPEND sources ${path})
endforeach()
set(KARAT_VARIANT_DIR ${CMAKE_CURRENT_BINARY_DIR})
foreach(variant ${KARAT_VARIANTS})
  karat_variant_compile(objects ${variant} ${sources})
  add_custom_command(
    OUTPUT ${variant}/libkarat.a
    COMMAND ${CMAKE_COMMAND} -E rm -f ${variant}/libkarat.a
    COMMAND ${CMAKE_AR} rcs ${variant}/libkarat.a ${objects}
    DEPENDS ${objects}
    COMMENT "Archiving libkarat, ${variant}"
    VERBATIM)
  add_custom_target(karat_golden_${variant} DEPENDS ${variant}/libkarat.a)
endforeach()

function(karat_variant_executable file name variant)
  karat_variant_compile(objects ${variant} ${ARGN})
  set(golden ${KARAT_VARIANT_DIR}/${variant}/libkarat.a)
  add_custom_command(
    OUTPUT ${variant}/${name}
    COMMAND ${variant_${variant}} -pthread ${objects} ${golden} ${KARAT_VARIANT_LINK} -o ${variant}/${name}
    DEPENDS ${objects} ${golden} karat_golden_${variant}
    COMMENT "Linking ${name}, ${variant}"
    VERBATIM)
  set(${file} ${CMAKE_CURRENT_BINARY_DIR}/${variant}/${name} PARENT_SCOPE)
endfunction()
