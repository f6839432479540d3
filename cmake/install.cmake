# The files that are installed, by component:
#
#   library   libkarat.so and libkarat_check.so            headers   the public headers of libkarat, for CMake and pkg-config
#   driver    libkarat_driver.so, with header and pkg-config
#   karat     the command karat, with karat campaign       harness   libraries, headers and sources for karat_add_core()
#   port      the retire port's package and header         dpi       its sources, and libkarat_sv for any simulator
#   adapters  rtl-wrap/ with ingot                         vectors   the directed programs, assembled and as sources
#   python    the Python package karat                     examples  a project of somebody's own, and a core under cocotb
#   docs      guides and reference
#
# Below share/karat the folders are those of the source tree, so that testbench/core.cmake finds the same files in both.
# docs/install.md is the guide.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(share ${CMAKE_INSTALL_DATADIR}/karat)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/Karat)
set(archives ${CMAKE_INSTALL_LIBDIR}/karat)

install(TARGETS karat_shared EXPORT Karat
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT headers)
install(TARGETS karat_check_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_SKIP)
install(TARGETS karat_driver LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT driver)
install(FILES ${PROJECT_SOURCE_DIR}/cli/driver/karat_driver.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/karat-driver COMPONENT driver)
install(FILES ${KARAT_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/karat COMPONENT headers)
install(EXPORT Karat NAMESPACE Karat:: DESTINATION ${config} COMPONENT headers)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/KaratConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/KaratConfig.cmake
  INSTALL_DESTINATION ${config} PATH_VARS share)
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/KaratConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/KaratConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/KaratConfigVersion.cmake
  DESTINATION ${config} COMPONENT headers)
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/+$" "" to_prefix ${to_prefix})
configure_file(${CMAKE_CURRENT_LIST_DIR}/karat.pc.in ${CMAKE_CURRENT_BINARY_DIR}/karat.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/karat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT headers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/karat-driver.pc.in ${CMAKE_CURRENT_BINARY_DIR}/karat-driver.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/karat-driver.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT driver)

install(TARGETS karat RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT karat)
install(FILES ${KARAT_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT karat)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cli/campaign DESTINATION ${share} COMPONENT karat PATTERN "__pycache__" EXCLUDE PATTERN "*.c" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cli/rtl DESTINATION ${share} COMPONENT karat PATTERN "__pycache__" EXCLUDE PATTERN "*.c" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/scripts/lockstep.py DESTINATION ${share}/scripts COMPONENT karat)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/bug_report DESTINATION ${share}/scripts COMPONENT karat)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/templates DESTINATION ${share}/scripts COMPONENT karat PATTERN "adapter" EXCLUDE)
set(KARAT_ZSH_FUNCTIONS zsh/site-functions CACHE STRING "Folder below share/ for zsh's completion: zsh/vendor-completions in a package")
install(FILES ${KARAT_HELP_DIR}/karat.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME karat COMPONENT karat)
install(FILES ${KARAT_HELP_DIR}/karat.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/${KARAT_ZSH_FUNCTIONS} RENAME _karat COMPONENT karat)
install(FILES ${KARAT_HELP_DIR}/karat.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT karat)

# The harness of any core: karat_harness and all that it is made of.
if(KARAT_RTL)
  install(TARGETS karat_golden karat_lines karat_retire karat_port karat_mcm karat_check karat_files karat_cov karat_trace karat_testbench
    karat_session karat_debug karat_harness EXPORT KaratHarness ARCHIVE DESTINATION ${archives} COMPONENT harness)
  install(EXPORT KaratHarness DESTINATION ${config} COMPONENT harness)
  install(FILES ${PROJECT_SOURCE_DIR}/golden/include/karat/lines.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/karat COMPONENT harness)
  set(harness_headers testbench/host.h testbench/memory.h testbench/traffic.h testbench/common/args.h testbench/common/session.h
    testbench/common/session.hpp testbench/common/fst.hpp testbench/common/rtl_coverage.hpp testbench/common/wave.h
    golden/files/dump_arg.h golden/inline/paging.h
    dpi/check/check.h dpi/check/core_desc.h dpi/port/port.h dpi/port/retire.h dpi/port/gen/karat_port.h)
  list(TRANSFORM harness_headers PREPEND ${PROJECT_SOURCE_DIR}/)
  install(FILES ${harness_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/karat-harness COMPONENT harness)
  install(FILES ${PROJECT_SOURCE_DIR}/testbench/core.cmake ${PROJECT_SOURCE_DIR}/testbench/design_xml.cmake
    ${PROJECT_SOURCE_DIR}/testbench/mutable.py
    DESTINATION ${share}/testbench COMPONENT harness)
  install(FILES ${PROJECT_SOURCE_DIR}/testbench/common/description.hpp.in DESTINATION ${share}/testbench/common COMPONENT harness)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/testbench/verilator DESTINATION ${share}/testbench COMPONENT harness)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl-wrap/port DESTINATION ${share}/rtl-wrap COMPONENT harness)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/new_adapter DESTINATION ${share}/scripts COMPONENT harness)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/templates/adapter DESTINATION ${share}/scripts/templates COMPONENT harness)
  install(FILES ${PROJECT_SOURCE_DIR}/dpi/port/records.py DESTINATION ${share}/dpi/port COMPONENT harness)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/dpi/port/gen DESTINATION ${share}/dpi/port COMPONENT port)
install(FILES ${PROJECT_SOURCE_DIR}/dpi/port/port.c ${PROJECT_SOURCE_DIR}/dpi/port/port.h
  ${PROJECT_SOURCE_DIR}/dpi/port/retire.c ${PROJECT_SOURCE_DIR}/dpi/port/retire.h DESTINATION ${share}/dpi/port COMPONENT dpi)
install(TARGETS karat_sv LIBRARY DESTINATION ${archives} COMPONENT dpi)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/testbench/sv DESTINATION ${share}/testbench COMPONENT dpi)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl-wrap/ingot ${PROJECT_SOURCE_DIR}/rtl-wrap/ventus ${PROJECT_SOURCE_DIR}/rtl-wrap/ventus_gpgpu
  DESTINATION ${share}/rtl-wrap COMPONENT adapters)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/vectors/ DESTINATION ${share}/vectors COMPONENT vectors
  FILES_MATCHING PATTERN "*.S" PATTERN "*.inc" PATTERN "*.ld" PATTERN "README.md" PATTERN cov EXCLUDE PATTERN gen EXCLUDE PATTERN debug EXCLUDE)
install(FILES ${KARAT_PROGRAMS} DESTINATION ${archives}/vectors COMPONENT vectors)

set(KARAT_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Folder below the prefix for Python packages")
install(FILES ${KARAT_PYTHON} DESTINATION ${KARAT_PYTHON_DIR}/karat COMPONENT python)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${share} COMPONENT examples USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs
  PATTERN site EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
# The site, where it was built.
install(DIRECTORY ${KARAT_SITE}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT docs OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
install(FILES ${KARAT_ISA_PAGE} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT docs)
