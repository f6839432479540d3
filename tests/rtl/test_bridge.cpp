// KaratBridge alone, as wide as 16 lanes: a made-up core drives its pins, made-up targets answer.  +seed=N
// gives the random accesses; exact times are tested with +latency=1 +stall=0 alone.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "bridge.hpp"
#include "memory.hpp"
#include "pins.hpp"
#include "reset.hpp"
#include "session.hpp"

using namespace sc_core;

namespace {

constexpr uint64_t kBase = 0x1290000000, kSize = 8192; // Beyond 32 bits, as translation may put it
int passed, failed;

void check(bool ok, const char *what, int line) {
    ok ? passed++ : failed++;
    if (!ok)
        std::fprintf(stderr, "test_bridge.cpp:%d: %s, at %s\n", line, what,
                     sc_time_stamp().to_string().c_str());
}
#define CHECK(what) check(what, #what, __LINE__)

// In front of memory: takes time where requested, and counts.
class Slow : public sc_module {
  public:
    tlm_utils::simple_target_socket<Slow> in{"in"};
    tlm_utils::simple_initiator_socket<Slow> out{"out"}, host{"host"}; // The host is not used
    sc_time wait_for = SC_ZERO_TIME, annotate = SC_ZERO_TIME;
    unsigned transactions = 0;

    explicit Slow(sc_module_name name) : sc_module(name) {
        in.register_b_transport(this, &Slow::b_transport);
    }

  private:
    void b_transport(tlm::tlm_generic_payload &payload, sc_time &delay) {
        transactions++;
        if (wait_for != SC_ZERO_TIME)
            wait(wait_for);
        out->b_transport(payload, delay);
        delay += annotate;
    }
};

struct Access {
    uint8_t op = KARAT_RAM_LOAD;
    uint32_t warp = 0;
    uint32_t lanes = 0;
    uint64_t addr[kNumThread] = {};
    uint32_t data[kNumThread] = {};
    uint8_t be[kNumThread] = {};
};

struct Answer {
    bool error;
    uint32_t data[kNumThread];
    unsigned cycles; // From the edge that took the request to the one that shows the answer
};

class Core : public sc_module {
  public:
    sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"}, idle_i{"idle_i"};
    INGOT_MEMORY_PINS(INGOT_IN_PORT, INGOT_OUT_PORT)

    Core(sc_module_name name, Slow &slow, KaratBridge &bridge, const Args &args)
        : sc_module(name), slow_(slow), bridge_(bridge),
          undisturbed_(args.latency_max == 1 && args.stall_percent == 0), random_(args.seed) {
        SC_HAS_PROCESS(Core);
        SC_THREAD(run);
    }

  private:
    void run() {
        wait(rst_ni.posedge_event());
        lanes_and_bytes();
        higher_lane_wins();
        no_memory();
        amos();
        reservations();
        lines();
        entries();
        if (undisturbed_)
            slow_target();
        many();
        sc_stop();
    }

    void edge() { wait(clk_i.posedge_event()); }

    void drive(uint32_t id, const Access &a) {
        dmem_req_valid_o = true;
        dmem_req_id_o = id;
        dmem_req_op_o = a.op;
        dmem_req_warp_o = a.warp;
        dmem_req_lanes_o = a.lanes;
        LaneAddrBits addr;
        LaneBits data;
        uint64_t be = 0;
        for (unsigned l = 0; l < kNumThread; l++) {
            addr.set_word(2 * l, static_cast<uint32_t>(a.addr[l]));
            addr.set_word(2 * l + 1, a.addr[l] >> 32);
            data.set_word(l, a.data[l]);
            be |= (uint64_t)a.be[l] << 4 * l;
        }
        dmem_req_addr_o = addr;
        dmem_req_data_o = data;
        dmem_req_be_o = be;
    }

    Answer take_answer(unsigned cycles) {
        Answer answer = {dmem_rsp_error_i, {}, cycles};
        for (unsigned l = 0; l < kNumThread; l++)
            answer.data[l] = dmem_rsp_data_i.read().get_word(l);
        return answer;
    }

    // One access, from request to answer.
    Answer access(uint32_t id, const Access &a) {
        drive(id, a);
        do
            edge();
        while (!dmem_req_ready_i);
        dmem_req_valid_o = false;
        for (unsigned cycles = 1;; cycles++) {
            edge();
            if (!dmem_rsp_valid_i)
                continue;
            CHECK(dmem_rsp_id_i == id);
            return take_answer(cycles);
        }
    }

    static Access one_lane(unsigned lane, uint8_t op, uint64_t addr, uint32_t data = 0, uint8_t be = 15) {
        Access a;
        a.op = op;
        a.lanes = 1u << lane;
        a.addr[lane] = addr;
        a.data[lane] = data;
        a.be[lane] = be;
        return a;
    }

    void lanes_and_bytes() {
        Access a;
        a.op = KARAT_RAM_STORE;
        a.lanes = 0xffff & ~(1u << 5);
        for (unsigned l = 0; l < kNumThread; l++) {
            a.addr[l] = kBase + 4 * (15 - l) + (l % 4); // The low bits are not for the bridge
            a.data[l] = 0x11111111u * l + 0x03020100;
            a.be[l] = l ? l : 15;
        }
        CHECK(!access(2, a).error);
        CHECK(slow_.transactions == 15);
        a.op = KARAT_RAM_LOAD;
        a.lanes = 0xffff;
        Answer got = access(1, a);
        CHECK(!undisturbed_ || got.cycles == 1); // A target that takes no time
        for (unsigned l = 0; l < kNumThread; l++) {
            uint32_t mask = 0;
            for (unsigned b = 0; b < 4; b++)
                mask |= l != 5 && a.be[l] >> b & 1 ? 0xffu << 8 * b : 0;
            CHECK(got.data[l] == (a.data[l] & mask));
        }
        edge();
        CHECK(!dmem_rsp_valid_i);
        CHECK(idle_i);
    }

    void higher_lane_wins() {
        Access a;
        a.op = KARAT_RAM_STORE;
        a.lanes = 0x8081;
        for (unsigned l : {0, 7, 15}) {
            a.addr[l] = kBase + 256;
            a.data[l] = 0xaaaaaa00 + l;
            a.be[l] = l == 15 ? 1 : 15;
        }
        access(0, a);
        CHECK(access(0, one_lane(3, KARAT_RAM_LOAD, kBase + 256)).data[3] == 0xaaaaaa0f);
    }

    void no_memory() {
        Access a = one_lane(0, KARAT_RAM_LOAD, kBase);
        a.lanes = 0x0101;
        a.addr[8] = kBase + kSize;
        CHECK(access(3, a).error);
        CHECK(!access(3, one_lane(0, KARAT_RAM_LOAD, kBase + kSize - 4)).error);
    }

    // Every operation's old and new value; lanes on one word follow each other.
    void amos() {
        const struct {
            uint8_t op;
            uint32_t old, operand, value;
        } cases[] = {
            {KARAT_RAM_SWAP, 0x12345678, 0x9abcdef0, 0x9abcdef0},
            {KARAT_RAM_ADD, 0xffffffff, 3, 2},
            {KARAT_RAM_XOR, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
            {KARAT_RAM_AND, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
            {KARAT_RAM_OR, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
            {KARAT_RAM_MIN, 0x80000000, 1, 0x80000000},
            {KARAT_RAM_MAX, 0x80000000, 1, 1},
            {KARAT_RAM_MINU, 0x80000000, 1, 1},
            {KARAT_RAM_MAXU, 0x80000000, 1, 0x80000000},
        };
        const uint64_t addr = kBase + 768;
        for (const auto &c : cases) {
            access(0, one_lane(2, KARAT_RAM_STORE, addr, c.old));
            CHECK(access(0, one_lane(11, c.op, addr, c.operand)).data[11] == c.old);
            CHECK(access(0, one_lane(2, KARAT_RAM_LOAD, addr)).data[2] == c.value);
        }
        access(0, one_lane(0, KARAT_RAM_STORE, addr, 100));
        Access a;
        a.op = KARAT_RAM_ADD;
        a.lanes = 0xffff;
        for (unsigned l = 0; l < kNumThread; l++)
            a.addr[l] = addr, a.data[l] = l, a.be[l] = 15;
        const Answer got = access(1, a);
        for (unsigned l = 0; l < kNumThread; l++)
            CHECK(got.data[l] == 100 + l * (l - 1) / 2);
        CHECK(access(1, one_lane(0, KARAT_RAM_LOAD, addr)).data[0] == 220);
        CHECK(access(1, one_lane(0, KARAT_RAM_ADD, kBase + kSize, 1)).error);
        CHECK(access(1, one_lane(0, KARAT_RAM_SC, kBase + kSize, 1)).error); // Though it has no reservation
    }

    uint32_t by_warp(uint32_t warp, uint8_t op, uint64_t addr, uint32_t data = 0, uint8_t be = 15) {
        Access a = one_lane(7, op, addr, data, be);
        a.warp = warp;
        return access(warp % 4, a).data[7];
    }

    // An SC answers 0 where it has stored.
    void reservations() {
        const uint64_t a = kBase + 800, b = kBase + 804;
        by_warp(0, KARAT_RAM_STORE, a, 1);
        by_warp(0, KARAT_RAM_STORE, b, 2);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 9) == 1); // Without a reservation
        CHECK(by_warp(0, KARAT_RAM_LR, a) == 1);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 10) == 0);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 11) == 1); // The first has ended it
        CHECK(by_warp(0, KARAT_RAM_LOAD, a) == 10);
        by_warp(0, KARAT_RAM_LR, a);
        CHECK(by_warp(0, KARAT_RAM_SC, b, 12) == 1); // Of another word
        by_warp(0, KARAT_RAM_LR, a);
        CHECK(by_warp(0, KARAT_RAM_LR, b) == 2);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 13) == 1); // The second LR's place
        by_warp(0, KARAT_RAM_LR, a);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 14, 0) == 1); // No byte enabled
        by_warp(0, KARAT_RAM_LR, a);
        by_warp(0, KARAT_RAM_STORE, a, 15); // Its own store leaves the reservation
        by_warp(5, KARAT_RAM_STORE, b, 16); // Another's store to another word leaves it, too
        CHECK(by_warp(0, KARAT_RAM_SC, a, 17) == 0);
        for (uint8_t op : {KARAT_RAM_STORE, KARAT_RAM_ADD, KARAT_RAM_SC}) {
            by_warp(0, KARAT_RAM_LR, a);
            by_warp(5, KARAT_RAM_LR, a);
            by_warp(5, op, a, 18);
            CHECK(by_warp(0, KARAT_RAM_SC, a, 19) == 1);
        }
        by_warp(0, KARAT_RAM_LR, a);
        bridge_.host_writes(a + 4, 100);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 20) == 0);
        by_warp(0, KARAT_RAM_LR, a);
        bridge_.host_writes(a + 3, 1);
        CHECK(by_warp(0, KARAT_RAM_SC, a, 21) == 1);
        CHECK(by_warp(0, KARAT_RAM_LOAD, a) == 20);
    }

    void lines() {
        access(0, one_lane(9, KARAT_RAM_STORE, kBase + 0x108, 0xcafe0001));
        for (uint64_t addr : {kBase + 0x104, kBase + 0x10c, uint64_t{0x1000}}) {
            imem_req_valid_o = true;
            imem_req_id_o = 6;
            imem_req_addr_o = addr;
            do
                edge();
            while (!imem_req_ready_i);
            imem_req_valid_o = false;
            do
                edge();
            while (!imem_rsp_valid_i);
            CHECK(imem_rsp_id_i == 6);
            CHECK(imem_rsp_error_i == (addr == 0x1000));
            if (addr != 0x1000)
                CHECK(imem_rsp_data_i.read().get_word(2) == 0xcafe0001);
        }
    }

    void entries() {
        access(0, one_lane(3, KARAT_RAM_STORE, kBase + 0x208, 0x12345678));
        access(0, one_lane(3, KARAT_RAM_STORE, kBase + 0x20c, 0xfedcba98));
        for (uint64_t addr : {kBase + 0x208, kBase - 8}) {
            ptw_req_valid_o = true;
            ptw_req_id_o = 2;
            ptw_req_addr_o = addr;
            do
                edge();
            while (!ptw_req_ready_i);
            ptw_req_valid_o = false;
            do
                edge();
            while (!ptw_rsp_valid_i);
            CHECK(ptw_rsp_id_i == 2);
            CHECK(ptw_rsp_error_i == (addr < kBase));
            if (addr > kBase)
                CHECK(ptw_rsp_data_i == 0xfedcba9812345678);
        }
    }

    // Ports are shut while a target takes its time.
    void slow_target() {
        const sc_time tenth(200, SC_PS); // A tenth of a clock cycle
        for (int way = 0; way < 3; way++) {
            slow_.wait_for = way == 1 ? SC_ZERO_TIME : 35 * tenth;
            slow_.annotate = way == 0 ? SC_ZERO_TIME : 35 * tenth;
            const unsigned least = way == 2 ? 7 : 4;
            drive(1, one_lane(4, KARAT_RAM_STORE, kBase + 512, 77 + way));
            edge();
            CHECK(dmem_req_ready_i);
            drive(2, one_lane(4, KARAT_RAM_LOAD, kBase + 512));
            unsigned cycles = 0;
            for (;; cycles++) {
                edge();
                if (dmem_rsp_valid_i)
                    break;
                CHECK(!dmem_req_ready_i && !imem_req_ready_i && !idle_i);
            }
            CHECK(cycles >= least && cycles <= least + 1);
            CHECK(dmem_rsp_id_i == 1 && dmem_req_ready_i);
            dmem_req_valid_o = false;
            do
                edge();
            while (!dmem_rsp_valid_i);
            CHECK(dmem_rsp_id_i == 2 && dmem_rsp_data_i.read().get_word(4) == 77u + way);
        }
        slow_.wait_for = slow_.annotate = SC_ZERO_TIME;
    }

    static uint8_t *word_of(uint8_t *bytes, uint64_t addr) { return bytes + (addr - kBase - 1024); }

    // The answers to an access that is performed now, in ascending order of lanes.
    static Answer perform(uint8_t *bytes, const Access &a) {
        Answer answer{};
        for (unsigned l = 0; l < kNumThread; l++) {
            if (!(a.lanes >> l & 1))
                continue;
            uint8_t *word = word_of(bytes, a.addr[l]);
            if (a.op != KARAT_RAM_STORE)
                std::memcpy(&answer.data[l], word, 4);
            const uint32_t value = a.data[l] + (a.op == KARAT_RAM_ADD ? answer.data[l] : 0);
            for (unsigned b = 0; a.op != KARAT_RAM_LOAD && b < 4; b++)
                if (a.be[l] >> b & 1)
                    word[b] = value >> 8 * b;
        }
        return answer;
    }

    // Four accesses on their way, against bytes that are changed when memory performs one, not later than its
    // answer.
    void many() {
        uint8_t bytes[64];
        Access first;
        for (unsigned l = 0; l < kNumThread; l++)
            first.addr[l] = kBase + 1024 + 4 * l;
        first.lanes = 0xffff;
        Answer got = access(0, first);
        std::memcpy(bytes, got.data, sizeof bytes);
        std::map<uint32_t, Access> pending;
        std::map<uint32_t, Answer> performed;
        unsigned early = 0;
        unsigned answers = 0, sent = 0;
        Access next;
        uint32_t id = 0;
        bool valid = false;
        while (answers < 2000) {
            if (!valid && pending.size() < 4 && sent < 2000) {
                do
                    id = random_() % 4;
                while (pending.count(id));
                next = {};
                next.op = random_() % 2 ? KARAT_RAM_STORE : random_() % 2 ? KARAT_RAM_LOAD : KARAT_RAM_ADD;
                next.lanes = random_() & 0xffff;
                for (unsigned l = 0; l < kNumThread; l++) {
                    next.addr[l] = kBase + 1024 + 4 * (random_() % 16);
                    next.be[l] = next.op == KARAT_RAM_STORE ? random_() & 15 : 15;
                    next.data[l] = random_();
                }
                drive(id, next);
                valid = true;
            }
            edge();
            if (dmem_performed_valid_i) {
                const uint32_t which = dmem_performed_id_i;
                CHECK(pending.count(which) == 1 && performed.count(which) == 0);
                performed[which] = perform(bytes, pending[which]);
                if (pending[which].op != KARAT_RAM_STORE && pending[which].lanes & 1)
                    CHECK(dmem_performed_data_i == performed[which].data[0]);
                early += !(dmem_rsp_valid_i && dmem_rsp_id_i == which);
            }
            if (dmem_rsp_valid_i) {
                const uint32_t which = dmem_rsp_id_i;
                CHECK(performed.count(which) == 1);
                const Answer answer = take_answer(0);
                CHECK(!answer.error);
                const Access &a = pending[which];
                for (unsigned l = 0; l < kNumThread; l++)
                    if (a.lanes >> l & 1 && a.op != KARAT_RAM_STORE)
                        CHECK(answer.data[l] == performed[which].data[l]);
                pending.erase(which);
                performed.erase(which);
                answers++;
            }
            if (valid && dmem_req_ready_i) {
                pending[id] = next;
                sent++;
                valid = false;
                dmem_req_valid_o = false;
            }
        }
        CHECK(pending.empty());
        CHECK(undisturbed_ ? early == 0 : early > 200);
    }

    Slow &slow_;
    KaratBridge &bridge_;
    const bool undisturbed_;
    std::mt19937_64 random_;
};

} // namespace

int sc_main(int argc, char **argv) {
    sc_report_handler::set_actions("/OSCI/SystemC", SC_INFO, SC_DO_NOTHING);
    CoreInfo info{}; // Without faults; the bridge runs no kernel
    info.num_sm = kNumSm;
    info.num_warp = kNumWarp;
    info.num_thread = kNumThread;
    info.lds_bytes = 1024;
    Session session(argc, argv, info);
    std::printf("test_bridge: seed %llu\n", (unsigned long long)session.args().seed);
    sc_clock clk("clk", 2, SC_NS, 0.5, 1, SC_NS);
    sc_signal<bool> rst_n("rst_n"), idle("idle");
    KaratPins pins;
    KaratReset reset("reset");
    KaratMemory memory("memory");
    Slow slow("slow");
    KaratBridge bridge("bridge", session);
    Core core("core", slow, bridge, session.args());
    if (!memory.map(kBase, kSize))
        Session::fail("out of memory");
    reset.clk_i(clk);
    reset.rst_no(rst_n);
    bridge.clk_i(clk);
    bridge.rst_ni(rst_n);
    bridge.idle_o(idle);
    core.clk_i(clk);
    core.rst_ni(rst_n);
    core.idle_i(idle);
    pins.connect_memory(bridge);
    pins.connect_memory(core);
    bridge.fetch.bind(memory.fetch);
    bridge.data.bind(slow.in);
    slow.out.bind(memory.data);
    slow.host.bind(memory.host);
    sc_start(sc_time(1, SC_MS));
    CHECK(sc_get_status() == SC_STOPPED); // By the core, not by time
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
