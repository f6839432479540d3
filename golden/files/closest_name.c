#include "closest_name.h"

#include <string.h>

#define LONGEST 40

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void karat_closest_offer(karat_closest_name *near, const char *name) {
    const size_t length = strlen(name);
    if (length > LONGEST || near->length > LONGEST)
        return;
    const size_t edits = distance(near->word, near->length, name, length);
    /* Short words are near to anything by two edits. */
    const size_t allowed = near->length < 3 ? 0 : near->length < 6 ? 1 : near->length / 3;
    if (edits <= allowed && (!near->name || edits < near->edits)) {
        near->name = name;
        near->edits = edits;
    }
}
