#include "gen.h"
int gen_cover(const row_table *table, const recipe *r, const char *holes, const char *out) {
    (void)table, (void)r, (void)holes, (void)out;
    return CLI_BAD_INPUT;
}
