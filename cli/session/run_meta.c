/* META of a recording that a run on the model makes: its configuration, kernels and lines of source. */
#include "run_session.h"

#include <stdlib.h>

#include "meta.h"
#include "run_where.h"

char *session_meta(const session *s) {
    karat_lines **lines = calloc(s->num_kernels, sizeof *lines);
    char *program = NULL, *meta = NULL;
    size_t size;
    FILE *out = open_memstream(&program, &size);
    for (uint32_t i = 0; out && lines && i < s->num_kernels; i++) {
        fprintf(out, "%s%s", i ? "," : "", s->kernels[i]->name);
        lines[i] = session_lines(s, s->kernels[i]);
    }
    if (out && !fclose(out) && lines) {
        karat_check_config config;
        karat_check_config_default(&config);
        config.model = *karat_get_config(s->model);
        config.hang_cycles = INT64_MAX; /* Neither steps in turn nor lines of a log are time */
        config.program = program;
        config.kernels = (const karat_kernel *const *)s->kernels;
        config.lines = (const karat_lines *const *)lines;
        config.num_kernels = s->num_kernels;
        meta = karat_trace_meta_make(&config, 0);
    }
    for (uint32_t i = 0; lines && i < s->num_kernels; i++)
        karat_lines_free(lines[i]);
    free(lines);
    free(program);
    return meta;
}
