// Two clock cycles of reset at the start.
#pragma once

#include <systemc>

class KaratReset : public sc_core::sc_module {
  public:
    sc_core::sc_in<bool> clk_i{"clk_i"};
    sc_core::sc_out<bool> rst_no{"rst_no"};

    explicit KaratReset(sc_core::sc_module_name name) : sc_module(name) {
        SC_HAS_PROCESS(KaratReset);
        SC_THREAD(run);
    }

  private:
    void run() {
        rst_no = true;
        wait(sc_core::SC_ZERO_TIME);
        rst_no = false; // an edge, for the asynchronous reset
        wait(clk_i.posedge_event());
        wait(clk_i.posedge_event());
        rst_no = true; // in time for the next edge, not for this one
    }
};
