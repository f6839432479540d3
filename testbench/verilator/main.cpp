// Runs kernels on a Verilated ingot in lockstep with the golden model.
//
//   host and memory models  <-- ports -->  core  -- probe, DPI -->  retire port  -->  checker
//
// This file only moves values between the three each clock cycle.
#include "Vingot.h"
#include "verilated.h"
#include "verilated_fst_c.h"

#include "args.hpp"
#include "check.h"
#include "host.h"
#include "karat/karat.h"
#include "memory.h"
#include "port.h"
#ifdef KARAT_FAULTS
#include "karat_faults.h"
#endif

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace {

std::string failed_assertion; // the first one: where

} // namespace

// Verilator calls this for a failed assertion, after printing it.  The harness takes it to the checker.
void vl_stop(const char *file, int line, const char *scope) {
    if (failed_assertion.empty())
        failed_assertion =
            std::string("assertion failed: ") + file + ":" + std::to_string(line) + " in " + scope;
}

namespace {

// Words of a port, whatever type Verilator has given it: an integer up to 64 bits, an array beyond.
template <class Port> uint32_t get_word(const Port &port, unsigned word) {
    if constexpr (std::is_integral_v<Port>)
        return static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32 * word);
    else
        return port[word];
}
template <class Port> void set_word(Port &port, unsigned word, uint32_t value) {
    port[word] = value;
}

template <class T, void (*Destroy)(T *)> struct Deleter {
    void operator()(T *object) const { Destroy(object); }
};
template <class T, void (*Destroy)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Destroy>>;

[[noreturn]] void fail(const std::string &message) {
    std::fprintf(stderr, "karat-ingot: %s\n", message.c_str());
    std::exit(KARAT_BAD_INPUT);
}

constexpr uint32_t kNumThread = INGOT_NUM_THREAD;
constexpr uint32_t kNumWarp = INGOT_NUM_WARP;
constexpr uint32_t kLdsBytes = INGOT_NUM_LDS_PAGE << 10;
constexpr uint64_t kTickCycles = 1024;
constexpr uint64_t kDrainCycles = 8; // after the last workgroup and the last answer, for the last records

class Harness {
  public:
    Harness(const Args &args, int argc, char **argv) : args_(args), argc_(argc), argv_(argv) {
        load_kernels();
        karat_ram_config memory{args.seed, args.latency_min, args.latency_max, args.stall_percent};
        memory_.reset(karat_ram_create(&memory));
        port_.reset(karat_port_create(1));
        create_checker();
        create_host();
        if (!memory_ || !port_ || !checker_)
            fail("out of memory");
        if (!karat_port_add_sink(port_.get(), karat_host_record, host_.get()))
            fail("the retire port takes no more sinks");
        if (!args.no_check && !karat_port_add_sink(port_.get(), karat_checker_record, checker_.get()))
            fail("the retire port takes no more sinks");
        karat_port_attach(port_.get());

        context_.commandArgs(argc, argv);
        // State without reset starts at random: nothing may depend on it.
        context_.randReset(2);
        context_.randSeed(static_cast<int>(args.seed % INT32_MAX) + 1);
        if (!args.trace.empty())
            context_.traceEverOn(true);
        core_ = std::make_unique<Vingot>(&context_);
        core_->print_ready_i = 1; // the host takes the text in the cycle in which the core shows it
        if (!args.trace.empty()) {
            // The FST writer removes what is there first: never a device or a folder.
            if (std::filesystem::exists(args.trace) && !std::filesystem::is_regular_file(args.trace))
                fail(args.trace + ": not a regular file");
            core_->trace(&trace_, 99);
            trace_.open(args.trace.c_str());
            if (!trace_.isOpen())
                fail(args.trace + ": cannot be written");
        }
    }

    ~Harness() {
        karat_port_attach(nullptr);
        core_->final();
        for (karat_kernel *kernel : kernels_)
            karat_kernel_free(kernel);
    }

    // Returns the verdict.
    karat_verdict run() {
        reset();
        uint32_t reason = KARAT_BYE_DONE;
        uint64_t end = UINT64_MAX; // cycle to stop in
        while (cycle_ < end) {
            clock_cycle();
            if (!karat_host_step(host_.get(), cycle_))
                fail("the next kernel's memory cannot be mapped (out of memory, or it does not fit 32 bits)");
            if (!failed_assertion.empty())
                object(failed_assertion);
            if (objected_ || karat_port_stopped(port_.get()))
                break;
            if (!karat_host_finished(host_.get()))
                end = UINT64_MAX;
            else if (end == UINT64_MAX || !karat_ram_idle(memory_.get()))
                end = cycle_ + kDrainCycles;
            if (args_.max_cycles && cycle_ >= args_.max_cycles && end == UINT64_MAX) {
                reason = KARAT_BYE_CYCLE_LIMIT;
                break;
            }
            if (cycle_ % kTickCycles == 0) {
                karat_port_flush(port_.get());
                if (!args_.no_check && karat_checker_tick(checker_.get(), cycle_))
                    break;
                show_progress();
            }
        }
        karat_port_flush(port_.get());
        karat_host_bye(host_.get(), cycle_, reason);
        if (trace_.isOpen())
            trace_.close();
        return report();
    }

  private:
    void load_kernels() {
        for (const std::string &file : args_.kernels) {
            karat_diag diag;
            karat_kernel *kernel = karat_kernel_load(file.c_str(), nullptr, &diag);
            if (!kernel)
                fail(diag.text);
            kernels_.push_back(kernel);
        }
        const size_t most = 6; // names in the verdict line
        for (size_t i = 0; i < kernels_.size() && i < most; i++)
            program_ += (i ? "," : "") + std::string(kernels_[i]->name);
        if (kernels_.size() > most)
            program_ += ",+" + std::to_string(kernels_.size() - most);
    }

    void create_checker() {
        kernel_list_.assign(kernels_.begin(), kernels_.end());
        set_rerun();
        karat_check_config config;
        karat_check_config_default(&config);
        config.hang_cycles = args_.hang;
        config.program = program_.c_str();
        config.rerun = rerun_.data();
        config.seed = args_.seed;
        config.has_seed = true;
        config.kernels = kernel_list_.data();
        config.num_kernels = static_cast<uint32_t>(kernel_list_.size());
        checker_.reset(karat_checker_create(&config));
    }

    void create_host() {
        karat_host_config config{};
        config.kernels = kernels_.data();
        config.num_kernels = static_cast<uint32_t>(kernels_.size());
        config.num_warp = kNumWarp;
        config.num_thread = kNumThread;
        config.lds_bytes = kLdsBytes;
        config.memory = memory_.get();
        config.port = port_.get();
        karat_diag diag;
        host_.reset(karat_host_create(&config, &diag));
        if (!host_)
            fail(diag.text);
    }

    void half_cycle(bool clk) {
        context_.time(2 * cycle_ + clk);
        core_->clk_i = clk;
        core_->eval();
        if (out_of_reset_ && trace_.isOpen() && cycle_ >= args_.trace_from && cycle_ <= args_.trace_to)
            trace_.dump(2 * cycle_ + clk);
    }

    void reset() {
        core_->rst_ni = 1;
        half_cycle(false);
        core_->rst_ni = 0; // an edge, for the asynchronous reset
        for (int i = 0; i < 2; i++) {
            half_cycle(false);
            half_cycle(true);
        }
        core_->clk_i = 0;
        core_->rst_ni = 1;
        out_of_reset_ = true;
    }

    void clock_cycle() {
        drive_dispatch();
        drive_memory();
        half_cycle(false);

        // What the core does at this clock edge.
        bool accepted = core_->wg_valid_i && core_->wg_ready_o;
        bool done = core_->wg_done_o;
        bool print = core_->print_valid_o;
        uint32_t print_slot = core_->print_warp_o;
        uint32_t done_index = core_->wg_done_index_o;
        bool fetch = core_->imem_req_valid_o && core_->imem_req_ready_i;
        bool data = core_->dmem_req_valid_o && core_->dmem_req_ready_i;
        if (fetch)
            take_fetch();
        if (data)
            take_data();
        half_cycle(true);

        cycle_++;
        if (fetch)
            karat_ram_request(memory_.get(), KARAT_RAM_FETCH, &fetch_req_);
        if (data)
            karat_ram_request(memory_.get(), KARAT_RAM_DATA, &data_req_);
        karat_ram_tick(memory_.get());
        if (accepted)
            karat_host_accepted(host_.get());
        karat_diag diag;
        if (print &&
            !karat_host_print(host_.get(), 0, print_slot, cycle_, args_.quiet ? nullptr : stdout, &diag))
            object(diag.text);
        if (done && !karat_host_workgroup_done(host_.get(), done_index))
            object("the core says that workgroup " + std::to_string(done_index) +
                   " has ended, which is not running");
    }

    // The test bench itself has found the core wrong.
    void object(const std::string &what) {
        karat_checker_object(checker_.get(), cycle_, what.c_str());
        objected_ = true;
    }

    void drive_dispatch() {
        const karat_workgroup *wg = karat_host_offer(host_.get());
        core_->wg_valid_i = wg != nullptr;
        if (!wg)
            return;
        core_->wg_index_i = wg->index;
        core_->wg_warps_i = wg->warps;
        core_->wg_threads_i = wg->threads;
        core_->wg_pc_i = wg->pc;
        core_->wg_knl_i = wg->csr[KARAT_CSR_KNL];
        core_->wg_wgid_i = wg->csr[KARAT_CSR_WGID];
        core_->wg_lds_i = wg->csr[KARAT_CSR_LDS];
        core_->wg_pds_i = wg->csr[KARAT_CSR_PDS];
        core_->wg_gdx_i = wg->csr[KARAT_CSR_GDX];
        core_->wg_gdy_i = wg->csr[KARAT_CSR_GDY];
        core_->wg_gdz_i = wg->csr[KARAT_CSR_GDZ];
        core_->wg_lds_size_i = wg->lds_size;
    }

    void drive_memory() {
        core_->imem_req_ready_i = karat_ram_ready(memory_.get(), KARAT_RAM_FETCH);
        core_->dmem_req_ready_i = karat_ram_ready(memory_.get(), KARAT_RAM_DATA);
        karat_ram_rsp rsp;
        core_->imem_rsp_valid_i = karat_ram_respond(memory_.get(), KARAT_RAM_FETCH, &rsp);
        if (core_->imem_rsp_valid_i) {
            core_->imem_rsp_id_i = rsp.id;
            core_->imem_rsp_error_i = rsp.error;
            for (unsigned i = 0; i < KARAT_RAM_LINE_WORDS; i++)
                set_word(core_->imem_rsp_data_i, i, rsp.data[i]);
        }
        core_->dmem_rsp_valid_i = karat_ram_respond(memory_.get(), KARAT_RAM_DATA, &rsp);
        if (core_->dmem_rsp_valid_i) {
            core_->dmem_rsp_id_i = rsp.id;
            core_->dmem_rsp_error_i = rsp.error;
            for (unsigned lane = 0; lane < kNumThread; lane++)
                set_word(core_->dmem_rsp_data_i, lane, rsp.data[lane]);
        }
    }

    void take_fetch() {
        fetch_req_.id = core_->imem_req_id_o;
        fetch_req_.addr[0] = core_->imem_req_addr_o;
    }

    void take_data() {
        data_req_.id = core_->dmem_req_id_o;
        data_req_.requester = core_->dmem_req_warp_o;
        data_req_.op = core_->dmem_req_op_o;
        data_req_.lanes = core_->dmem_req_lanes_o;
        for (unsigned lane = 0; lane < kNumThread; lane++) {
            data_req_.addr[lane] = get_word(core_->dmem_req_addr_o, lane);
            data_req_.be[lane] = get_word(core_->dmem_req_be_o, lane / 8) >> lane % 8 * 4 & 15;
            data_req_.data[lane] = get_word(core_->dmem_req_data_o, lane);
        }
    }

    void show_progress() {
        const bool tty = isatty(STDERR_FILENO);
        const uint64_t every = tty ? 1 << 18 : 1 << 22;
        if (args_.quiet || cycle_ % every)
            return;
        uint32_t kernel, done, total;
        karat_host_progress(host_.get(), &kernel, &done, &total);
        std::fprintf(stderr, "%scycle %" PRIu64 ": %s, workgroup %u of %u, %" PRIu64 " instructions%s",
                     tty ? "\r" : "", cycle_, kernels_[kernel]->name, done, total,
                     karat_port_count(port_.get(), KARAT_REC_ISSUE), tty ? "\033[K" : "\n");
        progress_shown_ = tty;
    }

    // The checker keeps a pointer to the command and prints it at the end, when the cycle is known.
    void set_rerun() {
        const size_t longest = Args::rerun(argc_, argv_, UINT64_MAX / 2).size();
        rerun_.resize(longest + 1);
        std::snprintf(
            rerun_.data(), rerun_.size(), "%s",
            Args::rerun(argc_, argv_, checker_ ? karat_checker_look_at(checker_.get()) : 0).c_str());
    }

    karat_verdict report() {
        if (progress_shown_)
            std::fputc('\n', stderr);
        set_rerun();
        karat_verdict verdict = karat_checker_verdict(checker_.get());
        karat_ram_fault fault = karat_ram_first_fault(memory_.get());
        if (fault.any && !args_.quiet)
            std::fprintf(stderr,
                         "karat-ingot: memory: cycle %" PRIu64
                         ": %s of lane %u at 0x%08x, which is not mapped\n",
                         fault.cycle, fault.store ? "store" : "load", fault.lane, fault.addr);
        if (verdict != KARAT_PASS && !args_.quiet)
            karat_checker_report(checker_.get(), stdout);
        char line[1024];
        karat_checker_line(checker_.get(), line, sizeof line);
        std::puts(line);
        if (!args_.json.empty())
            write_json();
        if (std::fflush(stdout) || std::ferror(stdout))
            fail("standard output cannot be written");
        return verdict;
    }

    void write_json() {
        std::FILE *file = std::fopen(args_.json.c_str(), "w");
        bool ok = file && karat_checker_report_json(checker_.get(), file);
        if (file && std::fclose(file))
            ok = false;
        if (!ok)
            fail(args_.json + ": cannot be written");
    }

    const Args &args_;
    const int argc_;
    char **const argv_;
    std::vector<karat_kernel *> kernels_;
    std::vector<const karat_kernel *> kernel_list_;
    std::string program_;
    std::vector<char> rerun_;
    bool out_of_reset_ = false, objected_ = false;
    Handle<karat_ram, karat_ram_destroy> memory_;
    Handle<karat_port, karat_port_destroy> port_;
    Handle<karat_checker, karat_checker_destroy> checker_;
    Handle<karat_host, karat_host_destroy> host_;
    VerilatedContext context_;
    VerilatedFstC trace_;
    std::unique_ptr<Vingot> core_;
    karat_ram_req fetch_req_{}, data_req_{};
    uint64_t cycle_ = 0;
    bool progress_shown_ = false;
};

void check_fault(const std::string &name) {
#ifdef KARAT_FAULTS
    std::string known;
    for (const karat_fault &fault : karat_faults) {
        if (name == fault.name)
            return;
        known += std::string(" ") + fault.name;
    }
    fail("unknown fault '" + name + "'; known:" + known);
#else
    fail("+fault=" + name + ": this core was built without faults");
#endif
}

void list_faults() {
#ifdef KARAT_FAULTS
    for (const karat_fault &fault : karat_faults)
        std::printf("%-26s %-12s %s:%d\n", fault.name, fault.kind, fault.file, fault.line);
#else
    fail("this core was built without faults");
#endif
}

} // namespace

int main(int argc, char **argv) {
    Args args;
    std::string error;
    if (!args.parse(argc, argv, error))
        fail(error);
    if (args.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    if (args.list_faults) {
        list_faults();
        return 0;
    }
    if (!args.fault.empty())
        check_fault(args.fault);
    return Harness(args, argc, argv).run();
}
