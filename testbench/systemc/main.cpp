// The SystemC harness karat-ingot-sc, with the command line and the verdicts of karat-ingot.
#include <cstdlib>

#include <systemc>

#include "ingot_core.hpp"
#include "memory.hpp"
#include "reset.hpp"
#include "session.hpp"
#include "tile.hpp"

using namespace sc_core;

int sc_main(int argc, char **argv) {
    // One line on stderr is one complaint: no notes of SystemC's own.
    sc_report_handler::set_actions("/OSCI/SystemC", SC_INFO, SC_DO_NOTHING);
    Session session(argc, argv, KaratCore::describe(ingot_core()), KaratCore::list_signals);

    sc_clock clk("clk", 2, SC_NS, 0.5, 1, SC_NS);
    sc_signal<bool> rst_n("rst_n");
    KaratReset reset("reset");
    KaratMemory memory("memory");
    KaratTile tile("tile", session, [&](uint64_t base, uint64_t size) { return memory.map(base, size); });
    reset.clk_i(clk);
    reset.rst_no(rst_n);
    tile.clk_i(clk);
    tile.rst_ni(rst_n);
    tile.fetch.bind(memory.fetch);
    tile.data.bind(memory.data);
    tile.host.bind(memory.host);

    sc_start();
    return session.finish();
}

// SystemC's own main() prints a banner.
int main(int argc, char **argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_elab_and_sim(argc, argv);
}
