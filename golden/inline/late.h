/* Libraries that are loaded when they are first wanted: what does not want them starts sooner. Not
 * installed. */
#ifndef KARAT_LATE_H
#define KARAT_LATE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Of a list of a library's functions and objects as a macro, LIST(X) with X(name) for each: a struct of
 * pointers to them, and their names. */
#define KARAT_LATE_POINTER(name) __typeof__(name) *name;
#define KARAT_LATE_NAME(name)    #name,

/* Load the library of that soname, which then stays, and find num symbols of it and of the libraries that it
 * wants: symbols is a struct of the pointers. False: it is not there, or has not all of them. */
static inline bool karat_load_late(const char *soname, const char *const *names, size_t num, void *symbols) {
    void *library = dlopen(soname, RTLD_NOW);
    for (size_t i = 0; library && i < num; i++) {
        void *symbol = dlsym(library, names[i]);
        if (!symbol)
            return false;
        memcpy((char *)symbols + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return library;
}

#endif
