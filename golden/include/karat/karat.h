/* Karat's golden model: the umbrella header.
 *
 * How it works, from the caller's side:
 *
 *  1. karat_create() makes a model: one device memory and room for a number of warps.  Nothing is global; two
 * models in one process share nothing.
 *  2. karat_map() and karat_write() lay out device memory; karat_kernel_place() does it for a loaded kernel.
 *  3. karat_workgroup_open() and karat_launch() make warps live; karat_kernel_launch() fills the descriptors
 * in.
 *  4. karat_step() executes exactly one architectural step of one warp (a prefix and its instruction
 *     together) and reports all its effects in a karat_commit. The caller chooses which warp steps next: the
 *     model has no clock and no scheduler. karat/sched.h has one for whole kernels.
 *
 * The headers below describe their functions; model.h has those above, with karat_commit. docs/library.md is
 * the guide.
 *
 * Errors are returned, never printed and never aborted on. Equal inputs have equal results on every host.
 * Section numbers in comments are those of the Ventus ISA manual v2.02; "decisions" is docs/decisions.md.
 */
#ifndef KARAT_KARAT_H
#define KARAT_KARAT_H

#include "karat/isa.h"
#include "karat/model.h"
#include "karat/kernel.h"
#include "karat/launch.h"
#include "karat/page_change.h"
#include "karat/space.h"
#include "karat/sched.h"
#include "karat/quote.h"
#include "karat/version.h"

#endif
