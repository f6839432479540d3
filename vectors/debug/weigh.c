/* Called by lines.S: code as a compiler makes it, one function within another. */
static inline int twice(int x) {
    return x * 34; /* here: twice */
}

int weigh(int x) {
    return twice(x) % 1021; /* here: weigh */
}
