/* Results as JSON: docs/results.schema.json defines the object of each subcommand. */
#ifndef KARAT_RESULTS_H
#define KARAT_RESULTS_H

#include <jansson.h>
#include <stdbool.h>

/* The option of a subcommand that prints its results. */
#define RESULTS_OPTION(key, group)                                                                           \
    { "json", key, NULL, 0, "Print the results as JSON (docs/results.schema.json)", group }

/* From now on the notes are kept for the JSON. */
void results_as_json(void);
bool results_are_json(void);

/* A name from outside as a string: what is no text in it is quoted. */
json_t *results_name(const char *name);

/* A line of text about the input or the results. With JSON it is one of "notes". */
void results_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print the object on standard output, with "notes" and "error" (the first line that cli_error() has
 * reported, or null), and free it. NULL, or a field that is missing: there was not enough memory. False: an
 * error was reported. */
bool results_put(json_t *all);

#endif
