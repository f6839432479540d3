/* Levels of the host's processor: vector code (golden/CMakeLists.txt) is compiled for every host, and again
 * for each level of x86-64 where compiler and host have them. All compute the same bytes.
 *
 * KARAT_LEVELS is defined where it is compiled for every host and there are levels; KARAT_AT is v2, v3 or v4
 * where it is compiled for a level. */
#ifndef KARAT_LEVEL_H
#define KARAT_LEVEL_H

#define KARAT_NUM_LEVEL 3 /* Levels x86-64-v2, v3 and v4 */

/* The name of a function or table that each level has: name, or name_v2 and so on. */
#ifdef KARAT_AT
#define KARAT_LEVEL_PASTE(name, level) name##_##level
#define KARAT_LEVEL_NAME(name, level)  KARAT_LEVEL_PASTE(name, level)
#define KARAT_LEVEL(name)              KARAT_LEVEL_NAME(name, KARAT_AT)
#else
#define KARAT_LEVEL(name) name
#endif

#endif
