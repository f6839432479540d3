/* Runs karat check on a log, as it is and in the forms in which it goes on (after differences, up to a line
 * that is none), and on the recording that karat import makes of it. */
#include <string.h>

#include "subcommands.h"
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *log = hostile_file("run.log", data, size), *trace = hostile_path("run.ktr");
    const int strict = hostile_run(cmd_check, "check", "--threads", "4", log, KERNEL, (char *)NULL);
    MUST(strict >= CLI_OK && strict <= CLI_INCOMPLETE && strict != CLI_HANG);
    const int going_on = hostile_run(cmd_check, "check", "--threads", "4", "--partial", "--continue", log,
                                     KERNEL, (char *)NULL);
    /* Equal states stay equal. */
    MUST(strict != CLI_OK || going_on == CLI_OK);
    MUST(going_on != CLI_OK || strict == CLI_OK || strict == CLI_BAD_INPUT);
    /* The recording has the same verdict. */
    const int made =
        hostile_run(cmd_import, "import", "--threads", "4", "-o", trace, log, KERNEL, (char *)NULL);
    MUST(made == (strict == CLI_BAD_INPUT ? CLI_BAD_INPUT : CLI_OK));
    if (made == CLI_OK)
        MUST(hostile_run(cmd_check, "check", trace, (char *)NULL) == strict);
    return 0;
}
