#include "atomics.h"

static void end_reservation(karat_reservations *reserved, uint32_t requester) {
    karat_reservation *r = &reserved->of[requester];
    reserved->num -= r->stands;
    r->stands = false;
}

/* Bytes are written: the reservations of all but one requester on their words end. */
static void break_reservations(karat_reservations *reserved, uint64_t addr, uint64_t size, uint32_t but) {
    for (uint32_t i = 0; reserved->num && i < KARAT_RAM_REQUESTERS; i++) {
        const karat_reservation *r = &reserved->of[i];
        if (r->stands && i != but && r->addr < addr + size && addr < r->addr + 4)
            end_reservation(reserved, i);
    }
}

void karat_reservations_break(karat_reservations *reserved, uint64_t addr, uint64_t size) {
    break_reservations(reserved, addr, size, KARAT_RAM_REQUESTERS);
}

static uint32_t amo_result(uint8_t op, uint32_t old, uint32_t operand) {
    switch (op) {
    case KARAT_RAM_ADD: return old + operand;
    case KARAT_RAM_XOR: return old ^ operand;
    case KARAT_RAM_AND: return old & operand;
    case KARAT_RAM_OR: return old | operand;
    case KARAT_RAM_MIN: return (int32_t)old < (int32_t)operand ? old : operand;
    case KARAT_RAM_MAX: return (int32_t)old < (int32_t)operand ? operand : old;
    case KARAT_RAM_MINU: return old < operand ? old : operand;
    case KARAT_RAM_MAXU: return old < operand ? operand : old;
    default: return operand;
    }
}

karat_word karat_word_perform(karat_reservations *reserved, const karat_ram_req *req, uint32_t lane,
                              uint32_t old) {
    const uint64_t addr = req->addr[lane] & ~UINT64_C(3);
    const uint32_t data = req->data[lane];
    karat_reservation *own = &reserved->of[req->requester];
    switch (req->op) {
    case KARAT_RAM_LOAD: return (karat_word){.answer = old};
    case KARAT_RAM_LR:
        reserved->num += !own->stands;
        *own = (karat_reservation){true, addr};
        return (karat_word){.answer = old};
    case KARAT_RAM_SC: {
        const bool succeeds = own->stands && own->addr == addr && req->be[lane];
        end_reservation(reserved, req->requester);
        if (!succeeds)
            return (karat_word){.answer = 1};
        break;
    }
    default: break;
    }
    if (req->be[lane])
        break_reservations(reserved, addr, 4, req->requester);
    if (req->op < KARAT_RAM_SWAP)
        return (karat_word){.store = true, .value = data};
    return (karat_word){.answer = old, .store = true, .value = amo_result(req->op, old, data)};
}
