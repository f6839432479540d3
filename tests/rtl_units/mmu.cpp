// Parts of ingot's MMU (mmu_unit.sv) against the walk of the model: random tables with faults of every kind,
// superpages, several address spaces, a memory of random latency that responds in any order, and changes of
// tables, each with the invalidation that it calls for, at any moment.
#include "Vmmu_unit.h"
#include "unit.hpp"

extern "C" {
#include "mem/sv39.h"
}

#include <algorithm>
#include <array>

namespace {

constexpr unsigned kRequesters = 3, kSpaces = 4, kRoots = 2;
constexpr unsigned kPatience = 2000; // Cycles

uint64_t get64(const EData *port, unsigned i) {
    return port[2 * i] | static_cast<uint64_t>(port[2 * i + 1]) << 32;
}

void set64(EData *port, unsigned i, uint64_t value) {
    port[2 * i] = static_cast<EData>(value);
    port[2 * i + 1] = static_cast<EData>(value >> 32);
}

// Address spaces, each with an ASID and two sets of tables, one of which is in use.
class Tables {
  public:
    explicit Tables(rng *rng) : rng_(rng) {
        const unsigned asid = static_cast<unsigned>(rng_next(rng_)) & 0xffff;
        for (unsigned s = 0; s < kSpaces; s++) {
            asids_[s] = asid ^ (s ? 1u << (rng_below(rng_, 5) + 5 * (s - 1)) : 0);
            for (unsigned r = 0; r < kRoots; r++)
                roots_[s][r] = fill(2);
        }
    }
    ~Tables() { karat_memory_free(&memory_); }
    Tables(const Tables &) = delete;

    uint64_t root(unsigned space) const { return roots_[space][used_[space]]; }
    unsigned asid(unsigned space) const { return asids_[space]; }

    uint64_t random_virt() {
        uint64_t virt = rng_next(rng_) & 0xfff;
        for (unsigned level = 0; level < 3; level++)
            virt |= static_cast<uint64_t>(indices_[rng_below(rng_, static_cast<uint32_t>(indices_.size()))])
                    << (12 + 9 * level);
        return virt >> 38 & 1 ? virt | UINT64_MAX << 38 : virt;
    }

    karat_fault_reason walk(unsigned space, uint64_t virt, karat_page_use use, uint64_t *phys,
                            karat_page_fault *fault) const {
        const uint8_t *entry[LEVELS];
        return karat_sv39_walk(&memory_, root(space), virt, use, phys, fault, entry);
    }

    // The other tables of a space.
    void switch_root(unsigned space) { used_[space] ^= 1; }

    // The entry where the walk of an address ends gets a new value.
    void change(unsigned space, uint64_t virt) {
        uint64_t phys;
        karat_page_fault fault;
        if (walk(space, virt, KARAT_USE_LOAD, &phys, &fault) != KARAT_FAULT_NO_TABLE)
            put(fault.entry_addr, leaf(fault.level));
    }

    bool read(uint64_t addr, uint64_t *data) const {
        const uint8_t *page = karat_page(&memory_, addr);
        if (!page)
            return false;
        std::memcpy(data, page + (addr & 0xfff), sizeof *data);
        return true;
    }

  private:
    // A page of memory, anywhere in 56 bits.
    uint64_t new_page() {
        for (;;) {
            const uint64_t number = (rng_next(rng_) & ((UINT64_C(1) << 44) - 1)) >> rng_below(rng_, 24);
            if (number && !karat_page(&memory_, number << 12)) {
                if (!karat_memory_map(&memory_, number, 1))
                    std::abort();
                return number << 12;
            }
        }
    }

    void put(uint64_t addr, uint64_t entry) {
        std::memcpy(karat_page(&memory_, addr) + (addr & 0xfff), &entry, sizeof entry);
    }

    // An entry that is no table: mostly a leaf that permits much.
    uint64_t leaf(unsigned level) {
        uint64_t number = rng_next(rng_) & ((UINT64_C(1) << 44) - (UINT64_C(1) << 9 * level));
        if (level && rng_below(rng_, 16) == 0)
            number |= UINT64_C(1) << rng_below(rng_, 9 * level);
        uint64_t bits = 0xcf | (rng_next(rng_) & 0x330);
        if (rng_below(rng_, 2))
            bits &= ~(UINT64_C(1) << rng_below(rng_, 8));
        if (rng_below(rng_, 8) == 0)
            bits &= ~UINT64_C(6);
        if (rng_below(rng_, 16) == 0)
            bits |= UINT64_C(1) << (54 + rng_below(rng_, 10));
        return number << 10 | bits;
    }

    uint64_t fill(unsigned level) {
        const uint64_t page = new_page();
        for (unsigned i = 0; i < 512; i++)
            put(page + 8 * i, rng_next(rng_) & ~UINT64_C(1));
        for (unsigned index : indices_) {
            uint64_t entry;
            if (level && rng_below(rng_, 4)) {
                // Tables that are not there, and entries of tables with bits that they may not have.
                const uint64_t next = rng_below(rng_, 24) ? fill(level - 1) : rng_next(rng_) >> 20 << 12;
                entry = next >> 12 << 10 | 1 | (rng_next(rng_) & 0x320);
                if (rng_below(rng_, 12) == 0)
                    entry |= UINT64_C(1)
                             << (rng_below(rng_, 2) ? 54 + rng_below(rng_, 10) : 4 + 2 * rng_below(rng_, 2));
            } else {
                entry = leaf(level);
                if (!level && rng_below(rng_, 24) == 0)
                    entry &= ~UINT64_C(0xce);
            }
            put(page + 8 * index, entry);
        }
        return page;
    }

    rng *rng_;
    karat_memory memory_{};
    // Of all levels. Every bit is the only difference of two of them.
    static constexpr std::array<unsigned, 11> indices_{0, 1, 3, 5, 9, 17, 33, 65, 129, 257, 511};
    uint64_t roots_[kSpaces][kRoots];
    unsigned asids_[kSpaces];
    unsigned used_[kSpaces] = {};
};

// Page table memory: takes requests now and then, responds in any order.
class Memory {
  public:
    Memory(rng *rng, const Tables &tables) : rng_(rng), tables_(tables) {}

    void drive(Vmmu_unit &unit) {
        unit.mem_req_ready_i = rng_below(rng_, 4) != 0;
        unit.mem_rsp_valid_i = 0;
        if (asked_.empty() || rng_below(rng_, 6))
            return;
        const size_t i = rng_below(rng_, static_cast<uint32_t>(asked_.size()));
        uint64_t data = rng_next(rng_);
        unit.mem_rsp_valid_i = 1;
        unit.mem_rsp_error_i = !tables_.read(asked_[i].addr, &data);
        unit.mem_rsp_data_i = data;
        unit.mem_rsp_id_i = asked_[i].id;
        asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    void edge(const Vmmu_unit &unit) {
        if (unit.mem_req_valid_o && unit.mem_req_ready_i)
            asked_.push_back({unit.mem_req_addr_o, unit.mem_req_id_o});
    }

  private:
    struct Request {
        uint64_t addr;
        unsigned id;
    };
    rng *rng_;
    const Tables &tables_;
    std::vector<Request> asked_;
};

struct Lookup {
    bool shown = false;
    bool current = false; // Nothing was invalidated since it is shown
    unsigned space = 0;
    uint64_t virt = 0;
    karat_page_use use = KARAT_USE_LOAD;
    unsigned cycles = 0;
};

void compare(Run &run, const Vmmu_unit &unit, const Tables &tables, const Lookup &lookup, unsigned n) {
    uint64_t phys = 0;
    karat_page_fault fault;
    karat_fault_reason reason = tables.walk(lookup.space, lookup.virt, lookup.use, &phys, &fault);
    // Permissions are a matter of first-level TLBs.
    if (UNIT_KIND != 2 && reason >= KARAT_FAULT_NOT_READABLE) {
        reason = KARAT_FAULT_NONE;
        phys = fault.phys;
    }
    if (unit.reason_o[n] != static_cast<unsigned>(reason))
        run.fail("asid %x, use %d of %" PRIx64 ": %s, model %s", tables.asid(lookup.space), lookup.use,
                 lookup.virt, karat_fault_name(static_cast<karat_fault_reason>(unit.reason_o[n])),
                 karat_fault_name(reason));
    else if (reason == KARAT_FAULT_NONE && get64(unit.frame_o, n) != phys >> 12)
        run.fail("asid %x, %" PRIx64 ": page %" PRIx64 ", model %" PRIx64, tables.asid(lookup.space),
                 lookup.virt, get64(unit.frame_o, n), phys >> 12);
    else if (reason != KARAT_FAULT_NONE &&
             (unit.level_o[n] != fault.level || get64(unit.entry_o, n) != fault.entry))
        run.fail("asid %x, %" PRIx64 ": level %u entry %" PRIx64 ", model %u %" PRIx64,
                 tables.asid(lookup.space), lookup.virt, unit.level_o[n], get64(unit.entry_o, n), fault.level,
                 fault.entry);
}

// A change of tables, with an invalidation that is enough for it.
void change(Run &run, Vmmu_unit &unit, Tables &tables) {
    rng *rng = &run.rng;
    const unsigned space = rng_below(rng, kSpaces);
    const uint64_t virt = tables.random_virt();
    unit.invalidate_i = 1;
    unit.by_asid_i = rng_below(rng, 2);
    unit.by_page_i = 0;
    unit.old_asid_i = static_cast<SData>(unit.by_asid_i ? tables.asid(space) : rng_next(rng));
    unit.old_vpn_i = static_cast<IData>(virt >> 12 & 0x7ffffff);
    if (rng_below(rng, 3) == 0) {
        tables.switch_root(space);
    } else {
        tables.change(space, virt);
        unit.by_page_i = rng_below(rng, 2);
    }
}

void bench(Run &run) {
    rng *rng = &run.rng;
    Vmmu_unit unit{&run.context};
    auto tables = std::make_unique<Tables>(rng);
    Memory memory(rng, *tables);
    std::array<Lookup, kRequesters> lookups;
    std::array<uint64_t, 24> recent; // Most lookups are of a few pages
    unit.clk_i = 0;
    unit.valid_i = 0;
    unit.invalidate_i = 0;
    unit.mem_req_ready_i = 0;
    unit.mem_rsp_valid_i = 0;
    unit.rst_ni = 1;
    unit.eval();
    unit.rst_ni = 0;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    for (uint64_t &virt : recent)
        virt = tables->random_virt();
    while (run.more(run.options().cases)) {
        if (rng_below(rng, 8) == 0)
            recent[rng_below(rng, static_cast<uint32_t>(recent.size()))] = tables->random_virt();
        for (unsigned n = 0; n < kRequesters; n++) {
            Lookup &lookup = lookups[n];
            if (lookup.shown && UNIT_KIND == 2 && rng_below(rng, 64) == 0)
                lookup.shown = false; // Withdrawn
            if (lookup.shown || rng_below(rng, 3) == 0)
                continue;
            lookup.shown = lookup.current = true;
            lookup.cycles = 0;
            lookup.space = rng_below(rng, kSpaces);
            lookup.virt = recent[rng_below(rng, static_cast<uint32_t>(recent.size()))];
            lookup.use = static_cast<karat_page_use>(rng_below(rng, 3));
            if (UNIT_KIND == 2 && rng_below(rng, 32) == 0)
                lookup.virt ^= UINT64_C(1) << (39 + rng_below(rng, 25));
            set64(unit.virt_i, n, lookup.virt);
        }
        unit.invalidate_i = 0;
        if (rng_below(rng, 24) == 0)
            change(run, unit, *tables);
        unit.valid_i = 0;
        for (unsigned n = 0; n < kRequesters; n++) {
            Lookup &lookup = lookups[n];
            // A first-level TLB answers by what holds after an invalidation; without one an answer may be of
            // before.
            if (unit.invalidate_i && UNIT_KIND != 2)
                lookup.current = false;
            unit.valid_i = static_cast<CData>(unit.valid_i | lookup.shown << n);
            set64(unit.root_i, n, tables->root(lookup.space));
            unit.asid_i[n] = tables->asid(lookup.space);
            unit.use_i[n] = lookup.use;
        }
        memory.drive(unit);
        unit.eval();
        for (unsigned n = 0; n < kRequesters; n++) {
            Lookup &lookup = lookups[n];
            if (!lookup.shown)
                continue;
            if (unit.answered_o >> n & 1) {
                lookup.shown = false;
                if (!lookup.current || unit.invalidate_i)
                    continue;
                run.count();
                compare(run, unit, *tables, lookup, n);
            } else if (++lookup.cycles > kPatience) {
                run.fail("no answer to a lookup of %" PRIx64, lookup.virt);
            }
        }
        memory.edge(unit);
        clock_edge(unit);
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 200000, bench);
}
