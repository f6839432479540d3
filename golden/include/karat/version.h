/* Version of this release, and of the library that a program runs with. KARAT_API_VERSION (model.h) says
 * which headers fit which library. */
#ifndef KARAT_VERSION_H
#define KARAT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* CMakeLists.txt reads these lines. */
#define KARAT_VERSION_MAJOR 0
#define KARAT_VERSION_MINOR 1
#define KARAT_VERSION_PATCH 0

#define KARAT_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define KARAT_VERSION_TEXT(major, minor, patch)  KARAT_VERSION_TEXT_(major, minor, patch)
/* "0.1.0" */
#define KARAT_VERSION KARAT_VERSION_TEXT(KARAT_VERSION_MAJOR, KARAT_VERSION_MINOR, KARAT_VERSION_PATCH)

/* KARAT_VERSION and KARAT_API_VERSION as the library was built. */
const char *karat_version(void);
unsigned karat_api_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
