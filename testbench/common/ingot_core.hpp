// What the session has to know of the ingot that this file is compiled for (karat_add_ingot in
// CMakeLists.txt).
#pragma once

#include "ingot_description.hpp"
#include "session.hpp"
#ifdef KARAT_FAULTS
#include "karat_faults.h"
#endif

inline CoreInfo ingot_core() {
    const uint32_t reg_granule = 8; // ingot_pkg::RegGranule
    CoreInfo core{INGOT_NUM_SM,
                  INGOT_NUM_WARP,
                  INGOT_NUM_THREAD,
                  INGOT_NUM_LDS_PAGE << 10,
                  INGOT_NUM_SGPR_ROW,
                  INGOT_NUM_VGPR_ROW,
                  reg_granule,
                  ingot_description,
                  false,
                  {}};
#ifdef KARAT_FAULTS
    core.has_faults = true;
    for (const karat_fault &fault : karat_faults)
        core.faults.push_back({fault.name, fault.kind, fault.file, fault.line});
#endif
    return core;
}
