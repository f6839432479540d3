#include "session.hpp"

#include "meta.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace {

constexpr uint64_t kTickCycles = 1024;
constexpr size_t kBatchBytes = 32768; // of records held before the checker takes them
constexpr uint64_t kDrainCycles = 8;  // after the last workgroup and the last answer, for the last records

std::string failed_assertion; // the first one: where

} // namespace

void Session::fail(const std::string &message) {
    std::fprintf(stderr, "karat-ingot: %s\n", message.c_str());
    std::exit(KARAT_BAD_INPUT);
}

void Session::assertion_failed(const std::string &text) {
    if (failed_assertion.empty())
        failed_assertion = text;
}

Session::Session(int argc, char **argv, const CoreInfo &core) : argc_(argc), argv_(argv), core_(core) {
    std::string error;
    if (!args_.parse(argc, argv, error))
        fail(error);
    if (args_.help) {
        std::fputs(usage, stdout);
        std::exit(0);
    }
    if (args_.list_faults) {
        if (!core_.has_faults)
            fail("this core was built without faults");
        for (const CoreInfo::Fault &fault : core_.faults)
            std::printf("%-26s %-12s %s:%d\n", fault.name, fault.kind, fault.file, fault.line);
        std::exit(0);
    }
    check_fault(core);
    check_json();
    set_plusargs();
    load_description();
    load_kernels();
    // The FST writer removes what is there first: never a device or a folder.
    if (!args_.trace.empty() && std::filesystem::exists(args_.trace) &&
        !std::filesystem::is_regular_file(args_.trace))
        fail(args_.trace + ": not a regular file");
    port_.reset(karat_port_create(core_.num_sm));
    create_checker();
    if (!port_ || !checker_)
        fail("out of memory");
    karat_port_batch(port_.get(), kBatchBytes);
}

Session::~Session() {
    karat_port_attach(nullptr);
    for (karat_kernel *kernel : kernels_)
        karat_kernel_free(kernel);
    for (karat_lines *lines : lines_)
        karat_lines_free(lines);
}

void Session::check_fault(const CoreInfo &core) const {
    if (args_.fault.empty())
        return;
    if (!core.has_faults)
        fail("+fault=" + args_.fault + ": this core was built without faults");
    std::string known;
    for (const CoreInfo::Fault &fault : core.faults) {
        if (args_.fault == fault.name)
            return;
        known += std::string(" ") + fault.name;
    }
    fail("unknown fault '" + args_.fault + "'; known:" + known);
}

// Said before the run, not after it.
void Session::check_json() const {
    const std::filesystem::path file = args_.json, folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code error;
    const bool there = std::filesystem::exists(file, error);
    if (!args_.json.empty() &&
        (std::filesystem::is_directory(file, error) || access((there ? file : folder).c_str(), W_OK)))
        fail(args_.json + ": cannot be written");
}

void Session::set_plusargs() {
    for (int i = 0; i < argc_; i++)
        if (std::strncmp(argv_[i], "+seed=", 6) != 0)
            plusargs_.push_back(argv_[i]);
    seed_arg_ = "+seed=" + std::to_string(args_.seed);
    plusargs_.push_back(seed_arg_.c_str());
}

void Session::load_kernels() {
    for (const std::string &file : args_.kernels) {
        karat_diag diag;
        karat_kernel *kernel = karat_kernel_load(file.c_str(), nullptr, &diag);
        if (!kernel)
            fail(diag.text);
        kernels_.push_back(kernel);
        lines_.push_back(karat_lines_load(file.c_str()));
    }
    const size_t most = 6; // names in the verdict line
    for (size_t i = 0; i < kernels_.size() && i < most; i++)
        program_ += (i ? "," : "") + std::string(kernels_[i]->name);
    if (kernels_.size() > most)
        program_ += ",+" + std::to_string(kernels_.size() - most);
}

void Session::load_description() {
    karat_diag diag;
    description_.reset(args_.core.empty()
                           ? karat_core_desc_parse(core_.description, std::strlen(core_.description),
                                                   "the core's own description", &diag)
                           : karat_core_desc_load(args_.core.c_str(), &diag));
    if (!description_)
        fail(diag.text);
}

void Session::create_checker() {
    kernel_list_.assign(kernels_.begin(), kernels_.end());
    line_list_.assign(lines_.begin(), lines_.end());
    set_rerun();
    karat_check_config config;
    karat_check_config_default(&config);
    config.hang_cycles = args_.hang;
    config.program = program_.c_str();
    config.rerun = rerun_.data();
    config.seed = args_.seed;
    config.has_seed = true;
    config.kernels = kernel_list_.data();
    config.lines = line_list_.data();
    config.num_kernels = static_cast<uint32_t>(kernel_list_.size());
    karat_core_desc_use(description_.get(), &config);
    checker_.reset(karat_checker_create(&config));
    if (!checker_)
        fail("out of memory");
    if (args_.record.empty())
        return;
    char *meta = karat_trace_meta_make(&config, rerun_.size());
    if (!meta)
        fail("out of memory");
    karat_diag diag;
    recording_ = karat_trace_create(args_.record.c_str(), meta, &diag);
    std::free(meta);
    if (!recording_)
        fail(diag.text);
}

// As karat_checker_record, and the simulation goes on behind the verdict.
static bool judge_and_go_on(void *checker, const void *record, size_t size) {
    karat_checker_record(checker, record, size);
    return false;
}

Traffic Session::make_traffic() const {
    karat_traffic_config config{args_.seed, args_.latency_min, args_.latency_max, args_.stall_percent};
    Traffic traffic(karat_traffic_create(&config));
    if (!traffic)
        fail("out of memory");
    return traffic;
}

void Session::connect(const karat_host_memory &memory) {
    karat_host_config config{};
    config.kernels = kernels_.data();
    config.num_kernels = static_cast<uint32_t>(kernels_.size());
    config.num_sm = core_.num_sm;
    config.num_warp = core_.num_warp;
    config.num_thread = core_.num_thread;
    config.lds_bytes = core_.lds_bytes;
    config.num_sgpr = core_.num_sgpr;
    config.num_vgpr = core_.num_vgpr;
    config.reg_granule = core_.reg_granule;
    config.memory = memory;
    config.port = port_.get();
    karat_diag diag;
    host_.reset(karat_host_create(&config, &diag));
    if (!host_)
        fail(diag.text);
    if (!karat_port_add_sink(port_.get(), karat_host_record, host_.get()))
        fail("the retire port takes no more sinks");
    if (recording_ && !karat_port_add_sink(port_.get(), karat_trace_record, recording_))
        fail("the retire port takes no more sinks");
    if (!args_.no_check &&
        !karat_port_add_sink(port_.get(), args_.go_on ? judge_and_go_on : karat_checker_record,
                             checker_.get()))
        fail("the retire port takes no more sinks");
    karat_port_attach(port_.get());
}

bool Session::after_edge(const Edge &edge, bool memory_idle) {
    cycle_++;
    if (edge.accepted)
        karat_host_accepted(host_.get());
    karat_diag diag;
    if (edge.print && !karat_host_print(host_.get(), edge.print_sm, edge.print_slot, cycle_,
                                        args_.quiet ? nullptr : stdout, &diag))
        object(diag.text);
    if (edge.done && !karat_host_workgroup_done(host_.get(), edge.done_index))
        object("the core says that workgroup " + std::to_string(edge.done_index) +
               " has ended, which is not running");
    if (!karat_host_step(host_.get(), cycle_, &diag))
        fail(diag.text);
    if (!failed_assertion.empty())
        object(failed_assertion);
    if ((objected_ && !args_.go_on) || karat_port_stopped(port_.get()))
        return true;
    if (!karat_host_finished(host_.get()))
        end_ = UINT64_MAX;
    else if (end_ == UINT64_MAX || !memory_idle)
        end_ = cycle_ + kDrainCycles;
    if (args_.max_cycles && cycle_ >= args_.max_cycles && end_ == UINT64_MAX) {
        bye_reason_ = KARAT_BYE_CYCLE_LIMIT;
        return true;
    }
    if (cycle_ % kTickCycles == 0) {
        karat_port_flush(port_.get());
        if (recording_)
            karat_trace_tick(recording_, cycle_);
        if (!args_.no_check && karat_checker_tick(checker_.get(), cycle_) && !args_.go_on)
            return true;
        show_progress();
    }
    return cycle_ >= end_;
}

void Session::object(const std::string &what) {
    karat_port_flush(port_.get()); // what the core said before comes first
    if (recording_)
        karat_trace_object(recording_, cycle_, what.c_str());
    karat_checker_object(checker_.get(), cycle_, what.c_str());
    objected_ = true;
}

void Session::bad_access(bool store, uint32_t lane, uint32_t addr) {
    if (!bad_access_.any)
        bad_access_ = {true, store, cycle_, lane, addr};
}

void Session::show_progress() {
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
void Session::set_rerun() {
    const size_t longest = Args::rerun(argc_, argv_, UINT64_MAX / 2).size();
    rerun_.resize(longest + 1);
    std::snprintf(rerun_.data(), rerun_.size(), "%s",
                  Args::rerun(argc_, argv_, checker_ ? karat_checker_look_at(checker_.get()) : 0).c_str());
}

karat_verdict Session::finish() {
    karat_port_flush(port_.get());
    const char *lost = bye_reason_ == KARAT_BYE_DONE ? karat_host_lost_print(host_.get()) : nullptr;
    if (lost && end_ != UINT64_MAX)
        object(lost);
    karat_host_bye(host_.get(), cycle_, bye_reason_);
    if (progress_shown_)
        std::fputc('\n', stderr);
    set_rerun();
    end_recording();
    karat_verdict verdict = karat_checker_verdict(checker_.get());
    if (bad_access_.any && !args_.quiet)
        std::fprintf(
            stderr, "karat-ingot: memory: cycle %" PRIu64 ": %s of lane %u at 0x%08x, which is not mapped\n",
            bad_access_.cycle, bad_access_.store ? "store" : "load", bad_access_.lane, bad_access_.addr);
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

void Session::end_recording() {
    char *end = recording_ ? karat_trace_end_make(rerun_.data()) : nullptr;
    karat_diag diag{};
    if (recording_ && (!end || !karat_trace_close(recording_, end, &diag)))
        fail(end ? diag.text : "out of memory");
    recording_ = nullptr;
    std::free(end);
}

void Session::write_json() {
    std::FILE *file = std::fopen(args_.json.c_str(), "w");
    bool ok = file && karat_checker_report_json(checker_.get(), file);
    if (file && std::fclose(file))
        ok = false;
    if (!ok)
        fail(args_.json + ": cannot be written");
}
