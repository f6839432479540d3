/* Races of a core that provides no WRITE: what a load or an atomic has returned is not known. */
#include "judge.h"

#include <string.h>

/* Of a core that provides no WRITE: what a load or an atomic has returned is not reported where warps race; elsewhere it is the
 * model's. */
static void untold_race(const char *what, karat_verdict want) {
    program p = begin_program("");
    put(&p, "lui", 20, (DATA_BASE + 0x3000) >> 12);
    put_code(&p, "sub 21 20 10; mul 21 21 7");
    put(&p, "add", 21, 21, 10); /* the same in warp 1, own data in warp 0 */
    if (strcmp(what, "store") == 0) {
        put_code(&p, "sw 7 0 20; lw 13 0 20");
    } else if (strcmp(what, "own") == 0) {
        put_code(&p, "sw 7 0 10; lw 13 0 10");
    } else if (strcmp(what, "barrier") == 0) {
        put_code(&p, "sw 7 0 21; barrier 0; lw 13 0 20");
    } else if (strcmp(what, "amo") == 0) {
        put(&p, "amoadd_w", 13, 7, 20, 0);
    } else if (strcmp(what, "lds") == 0) { /* at the same addresses, of another workgroup */
        put_code(&p, "sw 7 0 11; lw 13 0 11");
    } else if (strncmp(what, "lanes", 5) ==
               0) { /* of warp 1 from the last lane of warp 0 on, or from after it */
        put(&p, "addi", 22, 0, what[5] - '0');
        put_code(&p, "mul 22 22 7; add 22 22 20; vadd_vx 4 2 22 1; vsw12_v 1 0 4; vlw12_v 6 0 4; "
                     "vmv_x_s 13 1");
    } else if (strcmp(what, "loads") == 0) {
        put(&p, "lw", 13, 0, 20);
    } else { /* the load is issued before the store */
        put(&p, "lw", 13, 0, 20);
        put(&p, "sw", 7, strcmp(what, "behind") == 0 ? 0 : 4, 21);
    }
    put(&p, "barrier", 0); /* whatever it is, it has happened */
    put_code(&p, "addi 14 13 1; endprg");
    for (int mem = 0; mem < 2; mem++) {
        core_options o = core_default();
        o.audit_percent = 0;
        o.workgroups = strcmp(what, "lds") == 0 ? 2 : 1;
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        o.gives &= mem ? ~0u : ~(1u << KARAT_REC_MEM);
        scoped_stream s = run_program(&p, &o);
        PASSES(&s);
        s.at[of(&s, issue_of(&s, 0, "addi", strncmp(what, "lanes", 5) == 0), KARAT_REC_READ, 0)]
            .read.data[0] ^= 4;
        scoped_outcome out = judge(&s);
        if (out.verdict != want ||
            !strstr(out.text, "this may result from a value") != (want == KARAT_MISMATCH))
            fail_msg("%s: %s\n%s", what, out.line, out.text);
        assert_null(strstr(out.text, "has landed")); /* none is reported */
    }
}

TEST(untold_races) {
    untold_race("store", KARAT_INCOMPLETE);
    untold_race("amo", KARAT_INCOMPLETE);
    untold_race("behind", KARAT_INCOMPLETE);
    untold_race("beside", KARAT_MISMATCH);
    untold_race("loads", KARAT_MISMATCH);
    untold_race("own", KARAT_MISMATCH);
    untold_race("barrier", KARAT_MISMATCH);
    untold_race("lds", KARAT_MISMATCH);
    untold_race("lanes<", KARAT_INCOMPLETE); /* 12 */
    untold_race("lanes@", KARAT_MISMATCH);   /* 16 */
}

RUN_TESTS("untold")
