/* Commands whose work is done in Python: share/karat/<part>, beside the command's folder. They read their
 * options in C, as all do, and hand them over as --name=value in front of --, and their words. */
#ifndef KARAT_CLI_PYTHON_PART_H
#define KARAT_CLI_PYTHON_PART_H

#include <argp.h>

typedef struct cli_python {
    char **options, **words;
    size_t num_option, num_word;
} cli_python;

/* value: NULL where the option has none. ENOMEM, or 0. */
error_t cli_python_option(cli_python *h, const char *name, const char *value);
/* Lives longer than the call. ENOMEM, or 0. */
error_t cli_python_word(cli_python *h, char *word);
/* Goes on as that part, or frees all and returns the exit status after one line of what is wrong. part NULL:
 * frees all, the status is that of bad input, and somebody else has said why. */
int cli_python_start(cli_python *h, const char *part);

#endif
