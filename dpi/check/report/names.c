#include "names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "karat_port.h"

phrase karat_register_name(unsigned cls, unsigned reg) {
    phrase w;
    if (cls == KARAT_CSR)
        snprintf(w.text, sizeof w.text, "%s", karat_csr_name(reg));
    else
        snprintf(w.text, sizeof w.text, "%c%u", cls == KARAT_X ? 'x' : 'v', reg);
    return w;
}

phrase karat_warp_name(uint32_t workgroup, uint32_t warp) {
    phrase w;
    snprintf(w.text, sizeof w.text, "workgroup %" PRIu32 " warp %" PRIu32, workgroup, warp);
    return w;
}

phrase karat_insn_text(karat_profile profile, uint32_t pc, uint32_t prefix, uint32_t word) {
    phrase w;
    karat_disassemble(profile, pc, prefix, word, w.text, sizeof w.text);
    return w;
}

phrase karat_step_text(karat_profile profile, uint32_t seq, uint32_t pc, uint32_t prefix, uint32_t word) {
    phrase w;
    snprintf(w.text, sizeof w.text, "seq %" PRIu32 " 0x%08" PRIx32 " %.96s", seq, pc,
             karat_insn_text(profile, pc, prefix, word).text);
    return w;
}

phrase karat_commit_text(karat_profile profile, uint32_t seq, const karat_commit *m) {
    return karat_step_text(profile, seq, m->pc, m->prefix, m->word);
}

void karat_append(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}
