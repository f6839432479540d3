#include "run_where.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "progress.h"

enum { WHERE_LINES = 21 };

karat_lines *session_lines(const session *s, const karat_kernel *kernel) {
    for (uint32_t i = 0; i < s->num_kernels; i++)
        if (s->kernels[i] == kernel)
            return karat_lines_load(s->options.files[i]);
    return NULL;
}

const char *session_place(const session *s, const karat_kernel *kernel, uint32_t pc,
                          char text[CLI_PLACE_SIZE]) {
    karat_lines *lines = session_lines(s, kernel);
    const char *file;
    uint32_t line;
    cli_place(kernel, pc, text);
    if (lines && karat_lines_find(lines, pc, &file, &line)) {
        const char *slash = strrchr(file, '/');
        const size_t used = strlen(text);
        snprintf(text + used, CLI_PLACE_SIZE - used, " (%s%s:%" PRIu32 ")",
                 karat_lines_after(lines, pc) ? "after " : "", slash ? slash + 1 : file, line);
    }
    karat_lines_free(lines);
    return text;
}

json_t *run_where(const session *s, const karat_kernel *kernel, const karat_places *places, FILE *out) {
    karat_lines *lines = session_lines(s, kernel);
    const karat_naming names = {kernel, lines, s->options.profile};
    karat_places_put(out, places, &names, "  ", "  ", WHERE_LINES);
    json_t *json = karat_places_json(places, &names);
    karat_lines_free(lines);
    return json;
}

void run_show_progress(const karat_kernel *kernel, const karat_sched_progress *p) {
    if (karat_progress_due())
        karat_progress_show("%s: workgroup %" PRIu64 " of %" PRIu64 ", %" PRIu64 " instructions",
                            kernel->name, p->workgroups, p->num_workgroups, p->steps);
}
