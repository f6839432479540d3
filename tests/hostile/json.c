/* JSON: core descriptions, META and END of traces.  The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include "core_desc.h"
#include "hostile.h"
#include "meta.h"

static bool one_line(const karat_diag *diag) {
    return *diag->text && !strchr(diag->text, '\n');
}

static void describe(const char *text, size_t size) {
    karat_diag diag = {""};
    karat_core_desc *desc = karat_core_desc_parse(text, size, "core.json", &diag);
    MUST(desc || one_line(&diag));
    if (!desc)
        return;
    karat_check_config config;
    karat_check_config_default(&config);
    karat_core_desc_use(desc, &config);
    MUST(!karat_check_bad_bound(&config));
    karat_checker *c = karat_checker_create(&config);
    MUST(c);
    karat_checker_destroy(c);
    karat_core_desc_free(desc);
}

/* META is written again in the same words. */
static void set_up(const char *text) {
    karat_diag diag = {""};
    karat_trace_setup *s = karat_trace_setup_make(text, &diag);
    MUST(s || one_line(&diag));
    if (!s)
        return;
    char *again = karat_trace_meta_make(&s->config, s->rerun_room);
    MUST(again);
    karat_trace_setup *same = karat_trace_setup_make(again, &diag);
    MUST(same);
    char *twice = karat_trace_meta_make(&same->config, same->rerun_room);
    MUST(twice && strcmp(again, twice) == 0);
    free(again);
    free(twice);
    karat_trace_setup_free(same);
    karat_trace_setup_free(s);
}

static void end(const char *text) {
    char room[20] = "";
    karat_trace_setup s = {.rerun = room, .rerun_room = sizeof room};
    karat_diag diag = {""};
    MUST(karat_trace_end_take(&s, text, &diag) || one_line(&diag));
    MUST(memchr(room, 0, sizeof room));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    const uint8_t kind = (uint8_t)take(&in, 1) % 3;
    char *text = malloc(in.left + 1);
    MUST(text);
    if (in.left)
        memcpy(text, in.at, in.left);
    text[in.left] = 0;
    if (kind == 0)
        describe(text, in.left);
    else if (kind == 1)
        set_up(text);
    else
        end(text);
    free(text);
    return 0;
}
