/* Functions of binary32 that are neither arithmetic nor the exponential. */
#include "fp/f32_round.h"

#include "fp/misc.h"

uint32_t karat_f32_from_i32(int32_t i, unsigned rm, uint32_t *flags) {
    return from_integer((uint64_t)(int64_t)i, true, rm, flags);
}

uint32_t karat_f32_from_u32(uint32_t i, unsigned rm, uint32_t *flags) {
    return from_integer(i, false, rm, flags);
}

int32_t karat_f32_to_i32(uint32_t a, unsigned rm, uint32_t *flags) {
    return (int32_t)to_integer(a, 32, true, rm, flags);
}

uint32_t karat_f32_to_u32(uint32_t a, unsigned rm, uint32_t *flags) {
    return (uint32_t)to_integer(a, 32, false, rm, flags);
}
