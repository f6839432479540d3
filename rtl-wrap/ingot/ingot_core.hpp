// The session's facts of the ingot that this file is compiled for: its parameters are the macros that
// karat_verilate() defines (rtl-wrap/ingot/adapter.cmake has their defaults).
#pragma once

#include "karat_description.hpp"
#include "session.hpp"
#ifdef KARAT_FAULTS
#include "karat_faults.h"
#endif

inline CoreInfo ingot_core() {
    const uint32_t reg_granule = 8; // As RegGranule of ingot_pkg
    CoreInfo core{"ingot",
                  KARAT_PARAM_NUM_SM,
                  KARAT_PARAM_NUM_WARP,
                  KARAT_PARAM_NUM_THREAD,
                  KARAT_PARAM_NUM_LDS_PAGE << 10,
                  KARAT_PARAM_NUM_SGPR_ROW,
                  KARAT_PARAM_NUM_VGPR_ROW,
                  reg_granule,
                  karat_description,
                  false,
                  {},
                  KARAT_PARAM_MMU != 0,
                  true};
#ifdef KARAT_FAULTS
    core.has_faults = true;
    for (const karat_fault &fault : karat_faults)
        core.faults.push_back({fault.name, fault.kind, fault.file, fault.line});
#endif
    return core;
}
