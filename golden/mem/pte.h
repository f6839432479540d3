/* Private: an entry of a page table of SV39 (privileged specification, section "Sv39"). The walk (sv39.c)
 * reads them, the host side (golden/load) writes them. */
#ifndef KARAT_PTE_H
#define KARAT_PTE_H

#include <stdint.h>

/* U and G have no meaning without privilege modes. */
enum {
    PTE_V = 1 << 0,
    PTE_R = 1 << 1,
    PTE_W = 1 << 2,
    PTE_X = 1 << 3,
    PTE_U = 1 << 4,
    PTE_G = 1 << 5,
    PTE_A = 1 << 6,
    PTE_D = 1 << 7
};

#define LEVELS    3
#define VPN_BITS  9
#define VIRT_BITS 39

#endif
