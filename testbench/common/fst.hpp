// Waveforms by Verilator's writer of FST, for the harnesses that have it: their signals, and signals of the
// warp at fault.
#pragma once

#include "verilated_fst_c.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "session.hpp"

// Lists the signals of a waveform, by the library that is part of Verilator's writer.
inline bool list_signals(const char *file, karat_wave_each *each, void *context) {
    void *const reader = fstReaderOpen(file);
    if (!reader)
        return false;
    std::vector<std::string> scopes{""};
    while (const fstHier *const h = fstReaderIterateHier(reader)) {
        if (h->htyp == FST_HT_SCOPE) {
            std::string name = h->u.scope.name;
            std::replace(name.begin(), name.end(), '.', char{KARAT_WAVE_DOT});
            scopes.push_back(scopes.back() + name + ".");
        } else if (h->htyp == FST_HT_UPSCOPE && scopes.size() > 1) {
            scopes.pop_back();
        } else if (h->htyp == FST_HT_VAR && h->u.var.typ != FST_VT_VCD_PARAMETER) {
            const std::string name = h->u.var.name;
            const size_t space = name.find(' '); // Before the range
            each(context, (scopes.back() + name.substr(0, space)).c_str(),
                 space == std::string::npos ? "" : name.c_str() + space + 1);
        }
    }
    fstReaderClose(reader);
    return true;
}

// The registers of the warp at fault, and its instruction, as signals of their own. v registers have lane 0
// in their lowest word.
struct WarpSignals {
    karat_wave_warp *warp = nullptr;
    uint32_t base = 0; // Code of the first signal

    void add_to(VerilatedFstC &trace) {
        trace.spTrace()->addInitCb(declare, this);
        trace.spTrace()->addFullCb(dump<true>, this);
        trace.spTrace()->addChgCb(dump<false>, this);
    }

  private:
    // Code, name and words of each signal.
    template <class Each> void each_signal(const Each &each) const {
        uint32_t code = base;
        const auto put = [&](const std::string &name, const uint32_t *words, uint32_t num) {
            each(code, name, words, num);
            code += num;
        };
        put("seq", &warp->seq, 1);
        put("pc", &warp->pc, 1);
        put("word", &warp->word, 1);
        put("mask", &warp->mask, 1);
        for (uint32_t r = 0; r < KARAT_NUM_X; r++)
            put("x" + std::to_string(r), &warp->x[r], 1);
        for (uint32_t r = 0; r < KARAT_NUM_V; r++)
            put("v" + std::to_string(r), warp->v[r], warp->num_thread);
    }

    static void declare(void *self, VerilatedFst *trace, uint32_t code) {
        auto *const s = static_cast<WarpSignals *>(self);
        s->base = code;
        trace->pushNamePrefix(KARAT_WAVE_SCOPE " ");
        s->each_signal([&](uint32_t c, const std::string &name, const uint32_t *, uint32_t words) {
            trace->declArray(c, name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1,
                             static_cast<int>(32 * words) - 1, 0);
        });
        trace->popNamePrefix();
    }

    template <bool Full> static void dump(void *self, VerilatedFst::Buffer *buffer) {
        const auto *const s = static_cast<const WarpSignals *>(self);
        if (!Full && !s->warp->changed)
            return;
        s->each_signal([&](uint32_t c, const std::string &, const uint32_t *words, uint32_t num) {
            if (Full)
                buffer->fullWData(buffer->oldp(c), words, static_cast<int>(32 * num));
            else
                buffer->chgWData(buffer->oldp(c), words, static_cast<int>(32 * num));
        });
        s->warp->changed = false;
    }
};
