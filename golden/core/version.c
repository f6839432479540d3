#include "karat/karat.h"

const char *karat_version(void) {
    return KARAT_VERSION;
}

unsigned karat_api_version(void) {
    return KARAT_API_VERSION;
}
