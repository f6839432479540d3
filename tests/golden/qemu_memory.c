/* Part of test_qemu: scalar loads and stores, the A extension, vector loads and stores. Each case has a
 * window of memory, which is set before it and compared after it: in the guest it is where the case's output
 * goes, in the model it is at MODEL_WINDOW. */
#include "qemu_case.h"

#include <string.h>

static void set_window(const uint32_t *words, uint32_t num) {
    uint8_t bytes[4 * 512];
    for (uint32_t i = 0; i < 4 * num; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    karat_write(model, MODEL_WINDOW, bytes, 4 * num);
}

static void compare_window(const test_case *t, const uint32_t *expected, uint32_t num, const uint32_t *in) {
    uint8_t b[4 * 512];
    karat_read(model, MODEL_WINDOW, b, 4 * num);
    for (uint32_t i = 0; i < num; i++) {
        uint32_t word = b[4 * i] | (uint32_t)b[4 * i + 1] << 8 | (uint32_t)b[4 * i + 2] << 16 |
                        (uint32_t)b[4 * i + 3] << 24;
        expect(t, "word of memory", i, word, expected[i], in);
    }
}

/* Another register than the base: x1 or x2. */
static unsigned other_register(unsigned base) {
    return base == 1 ? 2 : 1;
}

/* --- Scalar loads and stores, in a window of four words --- */

enum { WORDS = 4 };

static uint32_t width(const test_case *t) {
    return 1u << (t->row->match >> 12 & 3);
}

static void choose_memory(test_case *t) {
    if (t->rs1 == 0)
        set_operand(t, "rs1", (int32_t)(t->rs1 = 1 + rng_below(&rng, AVL - 1)));
    if (t->rs2 == t->rs1) /* A store of the address differs */
        set_operand(t, "rs2", (int32_t)(t->rs2 = other_register(t->rs1)));
    int32_t offset = (int32_t)rng_below(&rng, 4001) - 2000;
    set_operand(t, "offset12", offset);
    set_operand(t, "offset12s", offset);
    t->base = (int32_t)(rng_below(&rng, 4 * WORDS) & ~(width(t) - 1)) - offset;
}

static void emit_window(uint32_t num) {
    for (int32_t i = 0; i < (int32_t)num; i++) {
        EMIT("lw", SCRATCH, 4 * i, IN);
        EMIT("sw", SCRATCH, 4 * i, OUT);
    }
}

static void emit_memory(test_case *t) {
    emit_window(WORDS);
    EMIT("lw", (int32_t)t->rs2, 4 * WORDS, IN);
    EMIT("addi", (int32_t)t->rs1, OUT, t->base);
    EMIT("addi", IN, IN, 4 * (WORDS + 1));
    emit(t->word);
    EMIT("sw", (int32_t)t->rd, 4 * WORDS, OUT);
    EMIT("addi", OUT, OUT, 4 * (WORDS + 1));
    place(t->word);
    header->in_words += WORDS + 1;
    header->out_words += WORDS + 1;
}

static void memory_operands(uint32_t *in, const test_case *t) {
    (void)t;
    for (unsigned i = 0; i <= WORDS; i++)
        in[i] = random_integer();
}

static bool compare_memory(const test_case *t, const uint32_t *in, const uint32_t *out) {
    set_window(in, WORDS);
    set_scalar(t->rs2, in[WORDS]);
    set_scalar(t->rs1, MODEL_WINDOW + (uint32_t)t->base);
    if (!step_model(t))
        return false;
    compare_window(t, out, WORDS, in);
    if (t->row->owes & KARAT_OWES_X)
        expect(t, "register", t->rd, get_scalar(t->rd), out[WORDS], in);
    expect(t, "accesses", 0, commit.mem.num, 1, in);
    return true;
}

const part memory_part = {choose_memory, emit_memory, memory_operands, compare_memory, NULL};

/* --- The A extension ---
 *
 * Before LR, SC and AMO alike, some word may be reserved, and the reservation used up; after them an SC
 * shows whether a reservation stands. Not compared: SC after a store or an AMO of the same warp to
 * the reserved word. The specification lets it fail; in the model it succeeds, under QEMU it does where the
 * word has its value still. */

enum { RESERVED = 1, OTHER_WORD = 2, STORED = 4, USED_UP = 8 };

/* Emits lr.w, sc.w or the like without aq and rl. */
static uint32_t amo_word(const char *name, unsigned rd, unsigned rs2, unsigned base) {
    karat_insn insn;
    uint32_t word = 0;
    int row = karat_find_row(name);
    const karat_row *info = karat_row_info(row);
    if (!info)
        fail_msg("the table has no row '%s'", name);
    karat_decode(KARAT_V202, info->match, &insn);
    for (unsigned i = 0; i < info->num_operands; i++)
        switch (karat_operand_info(info->operands[i])->role) {
        case KARAT_ROLE_DEST: insn.value[i] = (int32_t)rd; break;
        case KARAT_ROLE_SRC1: insn.value[i] = (int32_t)base; break;
        case KARAT_ROLE_SRC2: insn.value[i] = (int32_t)rs2; break;
        default: break;
        }
    karat_encode(row, insn.value, &word);
    return word;
}

/* Neither lr.w nor sc.w. */
static bool is_amo(const test_case *t) {
    uint32_t funct5 = t->row->match >> 27;
    return funct5 != 2 && funct5 != 3;
}

static void choose_amo(test_case *t) {
    if (t->rs1 == 0)
        set_operand(t, "base", (int32_t)(t->rs1 = 1 + rng_below(&rng, AVL - 1)));
    if (t->rs2 == t->rs1)
        set_operand(t, "rs2", (int32_t)(t->rs2 = other_register(t->rs1)));
    t->base = 4 * (int32_t)rng_below(&rng, WORDS);
    t->before = rng_below(&rng, 16);
    if (rng_below(&rng, 4)) /* Success should be common */
        t->before &= ~(unsigned)(OTHER_WORD | USED_UP);
    if (is_amo(t))
        t->before |= OTHER_WORD;
}

/* An instruction for both sides. */
static void emit_both(uint32_t word) {
    emit(word);
    place(word);
}

static int32_t reserved_word(const test_case *t) {
    return t->before & OTHER_WORD ? (t->base + 4) % (4 * WORDS) : t->base;
}

/* A word that is neither the instruction's nor the reserved one. */
static int32_t stored_word(const test_case *t) {
    return (t->base + 8) % (4 * WORDS);
}

static void emit_amo(test_case *t) {
    EMIT("addi", AVL, OUT, t->base);
    emit_both(amo_word("sc.w", 0, 0, AVL)); /* No reservation is left of earlier cases */
    emit_window(WORDS);
    EMIT("lw", (int32_t)t->rs2, 4 * WORDS, IN);
    EMIT("addi", (int32_t)t->rs1, OUT, t->base);
    EMIT("addi", IN, IN, 4 * (WORDS + 1));
    if (t->before & RESERVED) {
        EMIT("addi", AVL, OUT, reserved_word(t));
        emit_both(amo_word("lr.w", SCRATCH, 0, AVL));
    }
    if (t->before & STORED)
        emit_both(OP("sw", SCRATCH, stored_word(t), OUT));
    if (t->before & USED_UP)
        emit_both(amo_word("sc.w", SCRATCH, 0, AVL));
    emit_both(t->word);
    EMIT("sw", (int32_t)t->rd, 4 * WORDS, OUT);
    emit_both(amo_word("sc.w", SCRATCH, 0, is_amo(t) || t->rs1 == t->rd ? AVL : t->rs1));
    EMIT("sw", SCRATCH, 4 * WORDS + 4, OUT);
    EMIT("addi", OUT, OUT, 4 * (WORDS + 2));
    header->in_words += WORDS + 1;
    header->out_words += WORDS + 2;
}

static bool compare_amo(const test_case *t, const uint32_t *in, const uint32_t *out) {
    const uint32_t addr = MODEL_WINDOW + (uint32_t)t->base;
    set_scalar(AVL, addr);
    if (!step_model(t))
        return false;
    set_window(in, WORDS);
    set_scalar(SCRATCH, in[WORDS - 1]);
    set_scalar(t->rs2, in[WORDS]);
    set_scalar(t->rs1, addr);
    if (t->before & RESERVED) {
        set_scalar(AVL, MODEL_WINDOW + (uint32_t)reserved_word(t));
        if (!step_model(t))
            return false;
    }
    set_scalar(OUT, MODEL_WINDOW);
    if (t->before & STORED && !step_model(t))
        return false;
    if (t->before & USED_UP && !step_model(t))
        return false;
    if (!step_model(t))
        return false;
    expect(t, "register", t->rd, get_scalar(t->rd), out[WORDS], in);
    expect(t, "writes", 0, commit.num_writes, t->rd != 0, in);
    if (!step_model(t))
        return false;
    expect(t, "sc.w behind it", 0, get_scalar(SCRATCH), out[WORDS + 1], in);
    compare_window(t, out, WORDS, in);
    return true;
}

const part amo_part = {choose_amo, emit_amo, memory_operands, compare_amo, NULL};

/* --- Vector loads and stores ---
 *
 * Elements of 8 and 16 bits are packed in V 1.0; Ventus gives each its 32-bit element, zero-extended where it
 * is loaded. So the guest runs vle8.v at SEW 8 with packed elements in its registers, and the indices of
 * vluxei8.v are packed there as well (SEW stays 32); the model gets them as the low bits of elements, under
 * random bits. Which lanes access what, in which order, and what they get is the same. */

enum { WINDOW = 320, HALF = WINDOW / 2, E32M8 = 0x13, WINDOW_BYTES = 4 * WINDOW };

static bool is_store(const test_case *t) {
    return (t->row->owes & KARAT_OWES_V) == 0;
}

/* Bytes of an element, or, of an indexed one, of an index. */
static uint32_t eew(const test_case *t) {
    switch (t->row->match >> 12 & 7) {
    case 0: return 1;
    case 5: return 2;
    default: return 4;
    }
}

static bool is_indexed(const test_case *t) {
    return t->v2;
}

static bool is_strided(const test_case *t) {
    return (t->row->match >> 26 & 3) == 2;
}

/* Bytes of what each lane loads or stores, and of how its register holds it in the guest. */
static uint32_t data_bytes(const test_case *t) {
    return is_indexed(t) ? 4 : eew(t);
}

static unsigned data_register(const test_case *t) {
    return is_store(t) ? t->rs3 : t->rd;
}

static void choose_vector_memory(test_case *t) {
    if (t->rs1 == 0)
        set_operand(t, "base", (int32_t)(t->rs1 = 1 + rng_below(&rng, AVL - 1)));
    if (is_strided(t) && t->rs2 == t->rs1)
        set_operand(t, "rs2", (int32_t)(t->rs2 = other_register(t->rs1)));
    /* V 1.0 does not let registers overlap that hold elements of different widths. */
    if (is_indexed(t) && eew(t) != 4 && t->rs2 == data_register(t))
        set_operand(t, "vs2", (int32_t)(t->rs2 = t->rs2 >= 8 ? t->rs2 - 4 : t->rs2 + 4));
}

static uint32_t element(const uint32_t *packed, uint32_t i, uint32_t bytes) {
    uint32_t at = i * bytes, word = packed[at / 4] >> 8 * (at % 4);
    return bytes == 4 ? word : word & ((1u << 8 * bytes) - 1);
}

static void set_element(uint32_t *packed, uint32_t i, uint32_t bytes, uint32_t value) {
    uint32_t at = i * bytes, shift = 8 * (at % 4), mask = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
    packed[at / 4] = (packed[at / 4] & ~(mask << shift)) | (value & mask) << shift;
}

/* Input: window, base, vl, stride, data, indices, mask; output: window, vl, data. */
enum { AT_BASE = WINDOW, AT_VL, AT_STRIDE, AT_DATA };

static void emit_vector_memory(test_case *t) {
    const uint32_t group = LANES * t->lmul;
    const int32_t data = (int32_t)data_register(t), e32 = vtype_of(t->lmul);
    EMIT("addi", AVL, 0, HALF);
    EMIT("vsetvli", SCRATCH, AVL, E32M8);
    for (unsigned i = 0; i < 2; i++) {
        EMIT("vle32.v", 8, IN, 1);
        EMIT("vse32.v", 8, OUT, 1);
        EMIT("addi", IN, IN, 4 * HALF);
        EMIT("addi", OUT, OUT, 4 * HALF);
    }
    EMIT("addi", OUT, OUT, -WINDOW_BYTES);
    EMIT("lw", (int32_t)t->rs1, 0, IN);
    EMIT("add", (int32_t)t->rs1, (int32_t)t->rs1, OUT);
    EMIT("lw", AVL, 4, IN);
    if (is_strided(t))
        EMIT("lw", (int32_t)t->rs2, 8, IN);
    EMIT("addi", IN, IN, 12);
    EMIT("vsetvli", SCRATCH, 0, e32);
    emit_vector(true, (unsigned)data, t->lmul);
    if (is_indexed(t))
        emit_vector(true, t->rs2, t->lmul);
    else
        EMIT("addi", IN, IN, (int32_t)(4 * group));
    emit_mask(t);
    EMIT("vsetvli", SCRATCH, AVL, e32);
    EMIT("sw", SCRATCH, WINDOW_BYTES, OUT);
    if (data_bytes(t) != 4)
        EMIT("vsetvli", SCRATCH, SCRATCH, data_bytes(t) == 1 ? 0x00 : 0x08); /* Type e8 or e16, m1 */
    emit(t->word);
    EMIT("vsetvli", SCRATCH, 0, e32);
    EMIT("addi", OUT, OUT, WINDOW_BYTES + 4);
    emit_vector(false, (unsigned)data, t->lmul);
    place(OP("vsetvli", SCRATCH, AVL, e32));
    place(t->word);
    header->in_words += WINDOW + 3 + 2 * group + 2;
    header->out_words += WINDOW + 1 + group;
}

/* Base and stride, or indices, so that every lane stays in the window. */
static void make_addresses(uint32_t *in, const test_case *t) {
    const int32_t n = (int32_t)(LANES * t->lmul), bytes = (int32_t)data_bytes(t);
    uint32_t *index = in + AT_DATA + n, base;
    if (is_indexed(t)) {
        in[AT_BASE] = base = rng_below(&rng, WINDOW_BYTES - 256);
        for (uint32_t i = 0; i < (uint32_t)n; i++) {
            uint32_t first = eew(t) == 4 ? 0 : (base + 3) & ~3u, last = WINDOW_BYTES - 4;
            if (eew(t) == 1 && last > base + 255)
                last = (base + 255) & ~3u;
            uint32_t target = first + 4 * rng_below(&rng, (last - first) / 4 + 1);
            set_element(index, i, eew(t), target - base);
        }
        return;
    }
    int32_t stride = bytes, room = (WINDOW_BYTES - bytes) / (n - 1) / bytes;
    if (is_strided(t))
        stride = t->rs2 == 0 ? 0 : ((int32_t)rng_below(&rng, 2 * (uint32_t)room + 1) - room) * bytes;
    int32_t span = stride * (n - 1), low = span < 0 ? -span : 0,
            high = WINDOW_BYTES - bytes - (span > 0 ? span : 0);
    base = (uint32_t)(low + (int32_t)rng_below(&rng, (uint32_t)((high - low) / bytes + 1)) * bytes);
    in[AT_BASE] = base;
    in[AT_STRIDE] = (uint32_t)stride;
}

static void vector_memory_operands(uint32_t *in, const test_case *t) {
    const uint32_t group = LANES * t->lmul;
    for (uint32_t i = 0; i < WINDOW + 3 + 2 * group + 2; i++)
        in[i] = random_word();
    in[AT_VL] = rng_below(&rng, 4) ? 2 * group : rng_below(&rng, group + 2);
    make_addresses(in, t);
}

/* Elements of the guest's packed register as the low bits of the model's. */
static void adopt_packed(unsigned reg, const test_case *t, const uint32_t *packed, uint32_t bytes) {
    uint32_t value[MAX_ELEMENT];
    for (uint32_t i = 0; i < LANES * t->lmul; i++)
        value[i] = element(packed, i, bytes) | (bytes == 4 ? 0 : random_word() << 8 * bytes);
    adopt_v(reg, t->lmul, value);
}

static bool compare_vector_memory(const test_case *t, const uint32_t *in, const uint32_t *out) {
    const uint32_t group = LANES * t->lmul, bytes = data_bytes(t);
    const uint32_t *data = in + AT_DATA, *packed = in + AT_DATA + 2 * group;
    uint32_t old[MAX_ELEMENT];
    set_window(in, WINDOW);
    set_scalar(AVL, in[AT_VL]);
    set_scalar(t->rs1, MODEL_WINDOW + in[AT_BASE]);
    if (is_strided(t))
        set_scalar(t->rs2, in[AT_STRIDE]);
    adopt_packed(data_register(t), t, data, bytes);
    if (is_indexed(t))
        adopt_packed(t->rs2, t, in + AT_DATA + group, eew(t));
    if (t->masked)
        adopt_mask(t->lmul, packed);
    if (!step_model(t)) /* The vsetvli */
        return false;
    const uint32_t vl = out[WINDOW], *result = out + WINDOW + 1;
    expect(t, "vl", 0, commit.write[0].value[0], vl, in);
    memcpy(old, vector(data_register(t)), group * sizeof *old);
    if (!step_model(t))
        return false;
    compare_window(t, out, WINDOW, in);
    const uint32_t *now = vector(data_register(t));
    uint32_t accesses = 0;
    for (uint32_t i = 0; i < group; i++) {
        bool active = i < vl && (!t->skips || packed[i / 32] >> i % 32 & 1);
        bool loaded = active && !is_store(t);
        expect(t, "element", i, now[i], loaded ? element(result, i, bytes) : old[i], in);
        accesses += active;
    }
    expect(t, "accesses", 0, commit.mem.num, accesses, in);
    count_elements(t, accesses);
    return true;
}

const part vector_memory_part = {choose_vector_memory, emit_vector_memory, vector_memory_operands,
                                 compare_vector_memory, NULL};
