// Reset for the first two rising edges, low from the start: before it, the core's state is random and so are
// its records.
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
        rst_no = false;
        wait(clk_i.posedge_event());
        wait(clk_i.posedge_event());
        rst_no = true; // In time for the next edge, not for this one
    }
};
