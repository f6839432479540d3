// Plays a recording of the model (karat run --record) to the verification modules of the Chisel Ventus, and
// records what they send:
//
//   gvm_bench IN.ktr OUT.ktr [N]
//
// OUT.ktr has the records of IN.ktr that are the test bench's, and those of the modules in place of the
// model's; karat check judges it. With N the Nth scalar write has another value.
//
// As many records as there are ports for go into one clock cycle; an instruction writes in a later one than
// it is dispatched.
#include "Vgvm_bench.h"
#include "Vgvm_bench__Dpi.h"

#include "port.h"
#include "trace.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace {

constexpr unsigned kWarps = 8, kThreads = 8;

std::map<uint32_t, karat_rec_launch> groups; // The launch of one warp of each workgroup

class Bench {
  public:
    explicit Bench(karat_port *port) : port_(port) {
        idle();
        top_.rst_ni = 0;
        clock();
        top_.rst_ni = 1;
        clock();
        cycle_ = 0;
    }

    void clock() {
        top_.clk_i = 1;
        top_.eval();
        top_.clk_i = 0;
        top_.eval();
        cycle_++;
        idle();
    }

    void take(const karat_rec_launch &r) {
        groups[r.workgroup] = r;
        if (top_.launch_i || top_.dispatch_i >> r.h.slot & 1)
            clock();
        top_.launch_i = 1;
        top_.launch_wg_i = r.workgroup;
        top_.launch_warp_i = r.warp;
        top_.launch_slot_i = r.h.slot;
        top_.launch_lds_i = r.csr[6];
        top_.launch_threads_i = r.csr[2];
        clock();
        first_[r.h.slot] = next_[r.h.slot];
    }

    void take(const karat_rec_issue &r) {
        const unsigned slot = r.h.slot;
        // The modules send those of a cycle in the order of slots; a warp dispatches nothing in the cycle in
        // which it writes.
        if (top_.dispatch_i >> slot || (top_.x_i && top_.x_slot_i == slot) ||
            (top_.v_i && top_.v_slot_i == slot))
            clock();
        top_.dispatch_i |= 1u << slot;
        top_.dispatch_pc_i[slot] = r.pc;
        top_.dispatch_word_i[slot] = r.word;
        top_.dispatch_id_i[slot] = next_[slot]++;
        if (r.prefix_kind != KARAT_PREFIX_NONE)
            top_.dispatch_prefix_i |= 1u << slot;
        top_.thread_masks_i = (top_.thread_masks_i & ~(uint64_t{0xff} << slot * kThreads)) |
                              uint64_t{r.mask} << slot * kThreads;
    }

    void take(const karat_rec_write &r, bool wrong) {
        const unsigned slot = r.h.slot;
        if ((r.cls == KARAT_X ? top_.x_i : top_.v_i) || top_.dispatch_i >> slot & 1)
            clock();
        const uint32_t id = first_[slot] + r.seq;
        if (r.cls == KARAT_X) {
            top_.x_i = 1;
            top_.x_data_i = r.data[0] ^ wrong;
            top_.x_reg_i = r.regno;
            top_.x_slot_i = slot;
            top_.x_id_i = id;
        } else {
            top_.v_i = 1;
            for (unsigned lane = 0; lane < kThreads; lane++)
                top_.v_data_i[lane] = r.data[lane];
            top_.v_reg_i = r.regno;
            top_.v_slot_i = slot;
            top_.v_id_i = id;
            top_.v_mask_i = r.mask;
        }
    }

    // A record of the test bench's, after all that the modules have sent before: scalar writes are a cycle
    // late.
    void pass(const void *record, size_t size) {
        clock();
        clock();
        union {
            karat_rec_header h;
            karat_rec_bye bye;
            unsigned char bytes[1024];
        } copy{};
        std::memcpy(copy.bytes, record, size);
        copy.h.cycle = cycle_;
        if (copy.h.kind == KARAT_REC_BYE)
            copy.bye.records = 0; // The port counts
        karat_port_send(port_, copy.bytes);
    }

  private:
    void idle() { top_.launch_i = top_.dispatch_i = top_.dispatch_prefix_i = top_.x_i = top_.v_i = 0; }

    Vgvm_bench top_;
    karat_port *port_;
    uint64_t cycle_ = 0;
    std::array<uint32_t, kWarps> first_{}, next_{0, 1, 2, 3, 4, 5, 6, 7}; // Numbers of dispatches
};

bool of_bench(unsigned kind) {
    return kind == KARAT_REC_REGION || kind == KARAT_REC_HOST || kind == KARAT_REC_HOSTCSR ||
           kind == KARAT_REC_KERNEL || kind == KARAT_REC_BYE || kind == KARAT_REC_CONTENTS ||
           kind == KARAT_REC_PRINT;
}

} // namespace

// The adapter's functions for the modules.
unsigned karat_ventus_pc(unsigned index) {
    return groups.at(index).pc;
}
void karat_ventus_workgroup(unsigned index, unsigned *known, unsigned *sgprs, unsigned *vgprs,
                            unsigned *lds) {
    *known = index;
    *sgprs = 64;
    *vgprs = 256;
    *lds = groups.at(index).lds_size;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fputs("usage: gvm_bench IN.ktr OUT.ktr [N]\n", stderr);
        return 2;
    }
    const unsigned wrong = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
    karat_diag diag{};
    karat_trace_reader *reader = karat_trace_open(argv[1], &diag);
    karat_trace_writer *writer =
        reader ? karat_trace_create(argv[2], karat_trace_meta(reader), &diag) : nullptr;
    karat_port *port = karat_port_create(1);
    if (!writer || !port || !karat_port_add_sink(port, karat_trace_record, writer)) {
        std::fprintf(stderr, "gvm_bench: %s\n", diag.text);
        return 2;
    }
    karat_port_attach(port);
    karat_trace_entry entry;
    unsigned writes = 0;
    {
        Bench bench(port);
        for (karat_trace_next(reader, &entry, &diag); entry.kind <= KARAT_TRACE_BENCH_ERROR;
             karat_trace_next(reader, &entry, &diag)) {
            if (entry.kind != KARAT_TRACE_RECORD)
                continue;
            const unsigned kind = *static_cast<const uint8_t *>(entry.record);
            if (kind == KARAT_REC_LAUNCH)
                bench.take(*static_cast<const karat_rec_launch *>(entry.record));
            else if (kind == KARAT_REC_ISSUE)
                bench.take(*static_cast<const karat_rec_issue *>(entry.record));
            else if (kind == KARAT_REC_WRITE) {
                const auto &write = *static_cast<const karat_rec_write *>(entry.record);
                bench.take(write, write.cls == KARAT_X && ++writes == wrong);
            } else if (of_bench(kind))
                bench.pass(entry.record, entry.size);
        }
    }
    karat_port_flush(port);
    if (entry.kind != KARAT_TRACE_END || !karat_trace_close(writer, entry.text, &diag)) {
        std::fprintf(stderr, "gvm_bench: %s\n", diag.text);
        return 2;
    }
    karat_trace_reader_free(reader);
    karat_port_destroy(port);
    return 0;
}
