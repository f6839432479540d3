# commit.c: the commit that is built; HEAD is the log of a checkout's HEAD, or empty.
if(HEAD AND NOT COMMIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(WRITE ${OUT} "#include \"subcommands.h\"\n\nconst char cli_commit[] = \"${COMMIT}\";\n")
