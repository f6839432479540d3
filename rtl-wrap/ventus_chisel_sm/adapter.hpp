// One SM of the Chisel Ventus, under a wrapper with the ports of the Verilog one.
#pragma once

#include "../ventus/one_sm.hpp"

class Adapter : public OneSm<8> { // The program counters stay in reset for five cycles more
  public:
    using OneSm::OneSm;

    static CoreInfo core() { return ventus::core_info("ventus_chisel"); }
};
