# Run cpack -G DEB in a tree that is built: packages karat, karat-dev, python3-karat and karat-doc. docs/install.md is the guide.
set(CPACK_PACKAGE_NAME karat)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "Karat maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "golden model of the Ventus RISC-V GPGPU")
# The Debian packages' maintainer is whoever builds them. Debian wants an address, and nobody may have one made up: .invalid is no domain.
set(maintainer "Karat maintainers <unset@karat.invalid>")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(KARAT_MAINTAINER "${maintainer}" CACHE STRING "Maintainer of the Debian packages, 'Name <address>'")
set(CPACK_PACKAGE_CONTACT "${KARAT_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/debian/tools.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# Files that Debian wants of a package besides; no part of cmake --install.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${folder})
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/changelog.in ${folder}/changelog @ONLY)
execute_process(COMMAND ${KARAT_GZIP} -9nc ${folder}/changelog OUTPUT_FILE ${folder}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
function(karat_package name)
  install(FILES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/copyright ${folder}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT debian-${name} EXCLUDE_FROM_ALL)
  if(EXISTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/${name}.overrides)
    install(FILES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debian/${name}.overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name}
      COMPONENT debian-${name} EXCLUDE_FROM_ALL)
  endif()
  string(TOUPPER ${name} group)
  set(CPACK_DEBIAN_${group}_PACKAGE_NAME ${name} PARENT_SCOPE)
endfunction()
karat_package(karat)
karat_package(karat-dev)
karat_package(karat-doc)
karat_package(python3-karat)

set(CPACK_DEBIAN_KARAT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_KARAT_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_DEBIAN_KARAT_PACKAGE_DEPENDS "libdw1, libedit2, python3 (>= 3.11), python3-jinja2")
set(CPACK_DEBIAN_KARAT_PACKAGE_RECOMMENDS "python3-rich")
set(CPACK_DEBIAN_KARAT_PACKAGE_SUGGESTS "karat-dev, karat-doc, slurm-wlm")
set(CPACK_DEBIAN_KARAT_DESCRIPTION "The reference model as a shared library, and the command karat, which runs
kernels on it, judges recordings of cores, generates test vectors, measures
coverage and disassembles.")
set(CPACK_DEBIAN_KARAT-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_KARAT-DEV_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_KARAT-DEV_PACKAGE_DEPENDS
  "karat (= ${PROJECT_VERSION}-1), libjansson-dev, libxxhash-dev, libzstd-dev, pkg-config, python3")
set(CPACK_DEBIAN_KARAT-DEV_PACKAGE_RECOMMENDS "verilator, cmake, ninja-build, g++, clang, lld, python3-jinja2")
set(CPACK_DEBIAN_KARAT-DEV_DESCRIPTION "Development files: headers and CMake package of the model, the lockstep
harness for cores under Verilator, the retire port for any simulator, adapters,
test programs, examples, and the library for hosts of the public driver.")
set(CPACK_DEBIAN_PYTHON3-KARAT_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-KARAT_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON3-KARAT_PACKAGE_DEPENDS "karat (= ${PROJECT_VERSION}-1), python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON3-KARAT_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PYTHON3-KARAT_PACKAGE_SUGGESTS "karat-dev")
set(CPACK_DEBIAN_PYTHON3-KARAT_DESCRIPTION "Python package: the model, the checker, recordings and coverage from
Python, and lockstep of cores that cocotb drives, for which karat-dev is
needed.")
set(CPACK_DEBIAN_KARAT-DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_KARAT-DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_KARAT-DOC_DESCRIPTION "Documentation: guides to lockstep, triage, vectors and coverage, the
definition of the retire port, and the table of instructions.")

set(CPACK_COMPONENTS_ALL library driver karat debian-karat headers harness port dpi adapters vectors examples debian-karat-dev python
  debian-python3-karat docs debian-karat-doc)
if(NOT KARAT_RTL)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL harness)
endif()
include(CPack)
foreach(component library karat debian-karat)
  cpack_add_component(${component} GROUP karat)
endforeach()
foreach(component driver headers harness port dpi adapters vectors examples debian-karat-dev)
  cpack_add_component(${component} GROUP karat-dev)
endforeach()
foreach(component python debian-python3-karat)
  cpack_add_component(${component} GROUP python3-karat)
endforeach()
foreach(component docs debian-karat-doc)
  cpack_add_component(${component} GROUP karat-doc)
endforeach()
