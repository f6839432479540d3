/* PAIR: compared as the two WRITEs of one word that it is made of. */
#include "records.h"
#include "retire.h"

bool karat_check_pair(karat_checker *c, const karat_rec_pair *r) {
    karat_rec_write half;
    bool stop = false;
    c->whole = r;
    /* The upper one first: one that does not exist is found before anything is taken. */
    for (unsigned part = 2; part-- > 0 && !stop;) {
        karat_retire_shown(r, part, &half);
        half.h.kind = KARAT_REC_WRITE;
        stop = karat_check_write(c, &half);
    }
    c->whole = NULL;
    return stop;
}
