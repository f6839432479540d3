/* karat import on a log, and karat check on the trace that it makes.  FORMAT: log or chisel. */
#include <string.h>

#include "cli.h"
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char format[] = FORMAT;
    const char *log = hostile_file("run.log", data, size), *trace = hostile_path("run.ktr");
    int status = hostile_run(cmd_import, "import", format, "--threads", "4", "-o", trace, "--log", log,
                             KERNEL, (char *)NULL);
    MUST(status == CLI_OK || status == CLI_BAD_INPUT);
    /* check accepts the output of import: whatever the verdict on the run, it never objects to import's own records. */
    if (status == CLI_OK)
        MUST(hostile_run(cmd_check, "check", trace, (char *)NULL) != CLI_BAD_INPUT);
    return 0;
}
