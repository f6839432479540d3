/* karat compare-log on a register log, as it is and in the forms in which it goes on: after differences, up to a line that is none. */
#include <string.h>

#include "cli.h"
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *log = hostile_file("run.log", data, size);
    const int strict = hostile_run(cmd_compare_log, "compare-log", "--threads", "4", "--max-steps", "400",
                                   "--log", log, KERNEL, (char *)NULL);
    MUST(strict == CLI_OK || strict == CLI_MISMATCH || strict == CLI_BAD_INPUT ||
         strict == CLI_PROGRAM_ERROR || strict == CLI_INCOMPLETE);
    const int going_on = hostile_run(cmd_compare_log, "compare-log", "--threads", "4", "--max-steps", "400",
                                     "--partial", "--continue", "--log", log, KERNEL, (char *)NULL);
    /* Equal states stay equal. */
    MUST(strict != CLI_OK || going_on == CLI_OK);
    MUST(going_on != CLI_OK || strict == CLI_OK || strict == CLI_BAD_INPUT);
    return 0;
}
