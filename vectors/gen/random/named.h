/* Rows that the structure of random programs is made of: gen.row.addi. random_make() finds them; all modules of random/ use them.
 * The rows belong to the table. */
#ifndef KARAT_RANDOM_NAMED_H
#define KARAT_RANDOM_NAMED_H

#include "../rows.h"

#define NAMED(DO)                                                                                            \
    DO(addi)                                                                                                 \
    DO(add)                                                                                                  \
    DO(sub)                                                                                                  \
    DO(slli)                                                                                                 \
    DO(srli)                                                                                                 \
    DO(mul)                                                                                                  \
    DO(remu)                                                                                                 \
    DO(lui)                                                                                                  \
    DO(auipc)                                                                                                \
    DO(jal)                                                                                                  \
    DO(jalr)                                                                                                 \
    DO(bne)                                                                                                  \
    DO(beq)                                                                                                  \
    DO(csrrs)                                                                                                \
    DO(csrrw)                                                                                                \
    DO(csrrwi)                                                                                               \
    DO(lw)                                                                                                   \
    DO(sw)                                                                                                   \
    DO(xor)                                                                                                  \
    DO(vid_v)                                                                                                \
    DO(vmul_vx)                                                                                              \
    DO(vadd_vx)                                                                                              \
    DO(vmv_v_i)                                                                                              \
    DO(vmv_v_x)                                                                                              \
    DO(vand_vx)                                                                                              \
    DO(vand_vi)                                                                                              \
    DO(vadd_vi)                                                                                              \
    DO(vlw12_v)                                                                                              \
    DO(vsw12_v)                                                                                              \
    DO(vadd12_vi)                                                                                            \
    DO(vmv_x_s)                                                                                              \
    DO(vxor_vv)                                                                                              \
    DO(vadd_vv)                                                                                              \
    DO(setrpc)                                                                                               \
    DO(join)                                                                                                 \
    DO(barrier)                                                                                              \
    DO(endprg)                                                                                               \
    DO(vbeq)                                                                                                 \
    DO(lr_w)                                                                                                 \
    DO(sc_w)                                                                                                 \
    DO(vmerge_vvm)                                                                                           \
    DO(vsetvli)                                                                                              \
    DO(andi)                                                                                                 \
    DO(lb)                                                                                                   \
    DO(sltu)                                                                                                 \
    DO(srai)                                                                                                 \
    DO(vor_vx)                                                                                               \
    DO(vor_vv)                                                                                               \
    DO(vsll_vi)                                                                                              \
    DO(vsra_vi)                                                                                              \
    DO(and)

typedef struct named_rows {
#define DO(name) const row_use *name;
    NAMED(DO)
#undef DO
} named_rows;

#endif
