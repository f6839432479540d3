// One SM of the Verilog Ventus.
#pragma once

#include "one_sm.hpp"

class Adapter : public OneSm<0> {
  public:
    using OneSm::OneSm;

    static CoreInfo core() { return ventus::core_info("ventus"); }
};
