#include "session.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "staged_file.h"

namespace {

std::string harness = "karat"; // With the core's name, once that is known
std::string failed_assertion;  // The first one: where
bool close_failed;             // A file's close has failed since begin_closing()
std::string no_room;           // The message of on_bus_error()

// The waveform writer maps parts of its files: a full disk shows as this signal.
void on_bus_error(int) {
    if (write(STDERR_FILENO, no_room.c_str(), no_room.size()) >= 0)
        karat_temporary_remove_all();
    _exit(KARAT_BAD_INPUT);
}

// The error is from the C interfaces.
[[noreturn]] void fail_with(char *error) {
    const std::string message = error ? error : "out of memory";
    std::free(error);
    Session::fail(message);
}

} // namespace

void Session::fail(const std::string &message) {
    char *quoted = karat_quoted(message.c_str()); // It may have names in it
    std::fprintf(stderr, "%s: %s\n", harness.c_str(), quoted ? quoted : "out of memory");
    std::exit(KARAT_BAD_INPUT);
}

// The waveform writer never reports a failed write, and stdio keeps the error to the end: every fclose() in
// the harness goes through here (the linker's --wrap).
extern "C" int __real_fclose(FILE *file);
extern "C" int __wrap_fclose(FILE *file) {
    const bool failed = std::ferror(file) != 0;
    const int result = __real_fclose(file);
    close_failed |= failed || result != 0;
    return result;
}

void Session::begin_closing() {
    close_failed = false;
}

bool Session::closed_whole() {
    return !close_failed;
}

void Session::assertion_failed(const std::string &text) {
    if (failed_assertion.empty())
        failed_assertion = text;
}

Session::Session(int argc, char **argv, const CoreInfo &core, karat_wave_signals *signals) : core_(core) {
    harness = "karat-" + core.name;
    char *error;
    if (!karat_args_parse(&args_, argc, argv, &error))
        fail_with(error);
    if (args_.help) {
        karat_args_print_usage(stdout);
        std::exit(0);
    }
    if (args_.list_faults) {
        list_faults();
        std::exit(0);
    }
    const karat_core_info info = {core_.num_sm,
                                  core_.num_warp,
                                  core_.num_thread,
                                  core_.lds_bytes,
                                  core_.num_sgpr,
                                  core_.num_vgpr,
                                  core_.reg_granule,
                                  core_.description,
                                  core_.has_faults,
                                  core_.faults.data(),
                                  static_cast<uint32_t>(core_.faults.size()),
                                  core_.translates,
                                  core_.starts_partial,
                                  core_.counts_rtl};
    if (args_.describe) {
        karat_core_describe(core_.name.c_str(), &info);
        std::exit(0);
    }
    // The core's probe looks for the plusarg.
    const bool pages = core_.translates && !args_.sv39 && changes_pages();
    args_.sv39 |= pages;
    set_plusargs(argc, argv);
    if (pages)
        plusargs_.push_back("+sv39");
    karat_session_config config{};
    config.name = harness.c_str();
    config.wave = "karat.fst";
    config.argc = argc;
    config.argv = argv;
    config.args = &args_;
    config.signals = signals;
    config.wave_scale = kWaveScale;
    config.core = info;
    session_.reset(karat_session_create(&config, &error));
    if (!session_)
        fail_with(error);
    trace_from_ = args_.trace_from;
    trace_to_ = args_.trace_to;
    if (args_.trace || args_.wave_window) {
        no_room = harness + ": " + (args_.trace ? args_.trace : config.wave) +
                  ": cannot be written: a bus error (is the disk, or that of temporary files, full?)\n";
        std::signal(SIGBUS, on_bus_error);
    }
}

// A kernel that changes page tables runs with translation, as on the model. Other errors of a file are
// reported later.
bool Session::changes_pages() const {
    bool changes = false;
    for (uint32_t i = 0; i < args_.num_kernels && !changes; i++) {
        karat_diag diag;
        karat_kernel *kernel = karat_kernel_load(args_.kernels[i], nullptr, &diag);
        changes = kernel && kernel->num_pages;
        karat_kernel_free(kernel);
    }
    return changes;
}

void Session::list_faults() const {
    if (!core_.has_faults)
        fail("this core was built without faults");
    for (const karat_core_fault &fault : core_.faults)
        std::printf("%-26s %-12s %s:%d\n", fault.name, fault.kind, fault.file, fault.line);
}

void Session::set_plusargs(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (std::strncmp(argv[i], "+seed=", 6) != 0 && std::strncmp(argv[i], "+fault=", 7) != 0)
            plusargs_.push_back(argv[i]);
    if (args_.num_faults) { // One plusarg: the core's $value$plusargs sees the first only
        for (uint32_t i = 0; i < args_.num_faults; i++)
            faults_arg_ += (i ? "," : "+fault=") + std::string(args_.faults[i]);
        plusargs_.push_back(faults_arg_.c_str());
    }
    seed_arg_ = "+seed=" + std::to_string(args_.seed);
    plusargs_.push_back(seed_arg_.c_str());
}

static bool ends_with_newline(const char *path) {
    std::FILE *const file = std::fopen(path, "rb");
    const bool does = file && !std::fseek(file, -1, SEEK_END) && std::getc(file) == '\n';
    if (file)
        std::fclose(file);
    return does;
}

void Session::write_lines(const std::string &path, const std::function<void(const char *)> &write) {
    karat_staged_file file;
    karat_diag diag;
    if (!karat_staged_reserve(&file, path.c_str(), &diag))
        fail(diag.text);
    write(file.next);
    if (!ends_with_newline(file.next)) {
        karat_staged_drop(&file);
        fail(path + ": cannot be written");
    }
    if (!karat_staged_end(&file, &diag))
        fail(diag.text);
}

Traffic Session::make_traffic() const {
    Traffic traffic(karat_session_traffic(session_.get()));
    if (!traffic)
        fail("out of memory");
    return traffic;
}

void Session::connect(const karat_host_memory &memory) {
    if (!karat_session_connect(session_.get(), &memory))
        fail(karat_session_error(session_.get()));
}

bool Session::after_edge(const Edge &edge, bool memory_idle) {
    Edge told = edge;
    if (!failed_assertion.empty())
        told.objection = failed_assertion.c_str();
    const karat_session_state state = karat_session_after_edge(session_.get(), &told, memory_idle);
    if (state == KARAT_SESSION_FAILED)
        fail(karat_session_error(session_.get()));
    return state == KARAT_SESSION_OVER;
}

karat_verdict Session::finish() {
    karat_verdict verdict;
    if (!karat_session_finish(session_.get(), &verdict))
        fail(karat_session_error(session_.get()));
    return verdict;
}
