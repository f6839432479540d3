/* Around the waveform of a failure: what the records of the warp at fault show, as signals of it, and save
 * files for GTKWave and Surfer that open it at the place. */
#ifndef KARAT_TESTBENCH_WAVE_H
#define KARAT_TESTBENCH_WAVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The warp in a slot as its records show it: the last instruction issued, and the registers. */
typedef struct karat_wave_warp {
    uint32_t sm, slot, num_thread;
    bool changed; /* Since the owner cleared this */
    uint32_t seq, pc, word, mask;
    uint32_t x[KARAT_NUM_X];
    uint32_t v[KARAT_NUM_V][KARAT_MAX_THREAD]; /* By lane */
} karat_wave_warp;

/* Its signals' scope in the waveform. */
#define KARAT_WAVE_SCOPE "karat"

/* Begins with the model's state. */
void karat_wave_warp_begin(karat_wave_warp *warp, const karat_checker *checker, uint32_t sm, uint32_t slot,
                           uint32_t num_thread);
/* A karat_port_sink (context: the warp). */
bool karat_wave_warp_record(void *warp, const void *record, size_t size);

/* The signals of a waveform file, in its order: path is scopes and name with '.', and KARAT_WAVE_DOT for one
 * in a scope's name, as SystemC's have; range is "" or "[msb:lsb]". False: it cannot be read. */
enum { KARAT_WAVE_DOT = 1 };
typedef void karat_wave_each(void *context, const char *path, const char *range);
typedef bool karat_wave_signals(const char *file, karat_wave_each *each, void *context);

/* Contents of the save files. Cycles; scale: units of the waveform's time in one. */
typedef struct karat_wave_state {
    const char *wave; /* The file's name */
    karat_wave_signals *signals;
    uint64_t from, to, scale;
    const karat_check_place *place;
    char *const *names; /* Signals, and scopes, that come first: paths from the core's top module */
    uint32_t num_names;
} karat_wave_state;

/* The forms of a save file, and the end of its name. */
typedef enum karat_wave_form { KARAT_WAVE_GTKWAVE, KARAT_WAVE_SURFER, KARAT_WAVE_FORMS } karat_wave_form;
/* Write one. False with one line in *diag; path is whole or not there. */
bool karat_wave_save(const karat_wave_state *state, const char *path, karat_wave_form form, karat_diag *diag);
/* Its name beside that waveform: the caller frees it; NULL: memory is short. */
char *karat_wave_save_name(const char *wave, karat_wave_form form);

#ifdef __cplusplus
}
#endif
#endif
