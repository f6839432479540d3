// karat-ingot-sc: the SystemC harness.  The same command line and the same verdicts as karat-ingot.
//
//   KaratHost --dispatch, print pins--> KaratCore --memory pins--> KaratBridge --TLM-2.0--> KaratMemory
//       |                                   |                                                   ^
//       '------ TLM-2.0, debug transport ---|---------------------------------------------------'
//                                           '-- probe, DPI --> retire port --> checker
#include <cstdlib>

#include <systemc>

#include "bridge.hpp"
#include "core.hpp"
#include "host.hpp"
#include "ingot_core.hpp"
#include "memory.hpp"
#include "pins.hpp"
#include "reset.hpp"
#include "session.hpp"

using namespace sc_core;

int sc_main(int argc, char **argv) {
    // One line on stderr is one complaint: no notes of SystemC's own.
    sc_report_handler::set_actions("/OSCI/SystemC", SC_INFO, SC_DO_NOTHING);
    Session session(argc, argv, ingot_core());

    sc_clock clk("clk", 2, SC_NS, 0.5, 1, SC_NS);
    sc_signal<bool> rst_n("rst_n"), idle("idle");
    KaratPins pins;
    KaratReset reset("reset");
    KaratCore core("core", session, argc, argv);
    KaratMemory memory("memory");
    KaratBridge bridge("bridge", session);
    KaratHost host("host", session, [&](uint64_t base, uint64_t size) { return memory.map(base, size); });

    reset.clk_i(clk);
    reset.rst_no(rst_n);
    core.clk_i(clk);
    core.rst_ni(rst_n);
    pins.connect(core);
    bridge.clk_i(clk);
    bridge.rst_ni(rst_n);
    bridge.idle_o(idle);
    bridge.fetch.bind(memory.fetch);
    bridge.data.bind(memory.data);
    pins.connect_memory(bridge);
    host.clk_i(clk);
    host.rst_ni(rst_n);
    host.idle_i(idle);
    host.memory.bind(memory.host);
    pins.connect_host(host);

    sc_start();
    return session.finish();
}

// SystemC's own main() prints a banner.
int main(int argc, char **argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_elab_and_sim(argc, argv);
}
