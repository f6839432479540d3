// Verilator (with VL_USER_STOP) calls this for a failed assertion, after printing it.
#include "session.hpp"

#include <string>

void vl_stop(const char *file, int line, const char *scope);

void vl_stop(const char *file, int line, const char *scope) {
    std::string text = std::string("assertion failed: ") + file + ":" + std::to_string(line);
    if (*scope)
        text += std::string(" in ") + scope;
    Session::assertion_failed(text);
}
