/* The C functions that karat_sv_pkg.sv imports: a lockstep run for a test bench in SystemVerilog. They are
 * described there. The types are those of IEEE 1800 for DPI-C: bit is a byte, packed bits are words, least
 * significant first. */
#ifndef KARAT_TESTBENCH_SV_H
#define KARAT_TESTBENCH_SV_H

#include <stdint.h>

#define KARAT_SV_RUNS            (-1)
#define KARAT_SV_WORKGROUP_WORDS 31

#pragma GCC visibility push(default)

const char *karat_sv_argument_name(unsigned i);
void karat_sv_argument(const char *text);
void karat_sv_repeated_arguments(void);
void karat_sv_fault(const char *name);
void karat_sv_translates(void);
void karat_sv_starts_partial(void);
int karat_sv_open(unsigned num_sm, unsigned num_warp, unsigned num_thread, unsigned lds_bytes,
                  unsigned num_sgpr, unsigned num_vgpr, unsigned reg_granule);
unsigned char karat_sv_fault_given(const char *name);

unsigned char karat_sv_offer(uint32_t *wg);
unsigned char karat_sv_read(unsigned long long addr, unsigned *word);
unsigned char karat_sv_ready(unsigned port);
unsigned char karat_sv_fetch_answer(unsigned *id, unsigned char *error, uint32_t *data);
unsigned char karat_sv_data_performed(unsigned *id, uint32_t *data);
unsigned char karat_sv_data_answer(unsigned *id, unsigned char *error, uint32_t *data);
unsigned char karat_sv_walk_answer(unsigned *id, unsigned char *error, unsigned long long *entry);
void karat_sv_fetch_request(unsigned id, unsigned long long addr);
void karat_sv_data_request(unsigned id, unsigned requester, unsigned op, const uint32_t *lanes,
                           const uint32_t *addr, const uint32_t *addr_hi, const uint32_t *be,
                           const uint32_t *data);
void karat_sv_walk_request(unsigned id, unsigned long long addr);
void karat_sv_tick(void);
void karat_sv_object(const char *what);
void karat_sv_page_fault(void);
unsigned char karat_sv_after_edge(unsigned char accepted, unsigned char done, unsigned done_index,
                                  unsigned char print, unsigned print_sm, unsigned print_slot);

int karat_sv_finish(void);
void karat_sv_exit(int status);

#pragma GCC visibility pop

#endif
