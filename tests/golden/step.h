/* The groups of test_step. Each returns how many of its tests failed. */
#ifndef KARAT_TESTS_GOLDEN_STEP_H
#define KARAT_TESTS_GOLDEN_STEP_H

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int simt_group(void);
int csr_group(void);
int prefix_group(void);
int vector_group(void);
int float_group(void);
int memory_group(void);
int sync_group(void);
int atomic_group(void);
int tensor_group(void);
int snapshot_group(void);
int params_group(void);
int operands_group(void);
int reads_group(void);
int v203_prefix_group(void);
int v203_memory_group(void);
int v203_widths_group(void);
int sv39_group(void);

#endif
