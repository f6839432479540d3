#include "judge.h"
int main(void) { return run_kind_tests() + run_mutation_tests(); }
