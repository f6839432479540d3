#include "fp/dot.h"

#include <stdio.h>
#include <string.h>

#include "fp/f16.h"
#include "fp/f32.h"

enum {
    WORDS = KARAT_DOT_WORDS,
    LOWEST = -298
}; /* Exponent of bit 0: of the product of two smallest numbers */

/* The formats of a result. */
static const struct {
    int fraction, low,
        high; /* Bits of the fraction, exponents of the smallest normal and of the largest numbers */
} formats[] = {[KARAT_DOT_F16] = {10, -14, 15}, [KARAT_DOT_F32] = {23, -126, 127}};

static bool is_negative(const uint64_t *x) {
    return x[WORDS - 1] >> 63;
}

static void negate(uint64_t *x) {
    bool carry = true;
    for (int i = 0; i < WORDS; i++) {
        x[i] = ~x[i] + carry;
        carry = carry && x[i] == 0;
    }
}

static void add(uint64_t *x, const uint64_t *y) {
    bool carry = false;
    for (int i = 0; i < WORDS; i++) {
        const uint64_t with = y[i] + carry;
        carry = with < y[i];
        x[i] += with;
        carry |= x[i] < with;
    }
}

/* A number at bit `at` and above it. */
static void place(uint64_t *x, uint64_t value, unsigned at) {
    memset(x, 0, WORDS * sizeof *x);
    x[at / 64] = value << at % 64;
    if (at % 64)
        x[at / 64 + 1] = value >> (64 - at % 64);
}

/* Its highest one; -1: there is none. */
static int highest(const uint64_t *x) {
    for (int i = WORDS; i-- > 0;)
        if (x[i])
            return 64 * i + 63 - __builtin_clzll(x[i]);
    return -1;
}

/* The 64 bits from `at` on, which may be up to 64 places below bit 0, and whether there is a one below
 * them. */
static uint64_t bits_from(const uint64_t *x, int at) {
    if (at < 0)
        return at <= -64 ? 0 : x[0] << -at;
    const int word = at / 64, shift = at % 64;
    const uint64_t above = word + 1 < WORDS && shift ? x[word + 1] << (64 - shift) : 0;
    return x[word] >> shift | above;
}

static bool any_below(const uint64_t *x, int at) {
    for (int i = 0; i < at; i += 64)
        if (at - i >= 64 ? x[i / 64] : x[i / 64] & ((UINT64_C(1) << (at - i)) - 1))
            return true;
    return false;
}

/* Significand and exponent of its last bit; the number is finite. */
static uint64_t significand(uint32_t a, int *exponent) {
    const uint32_t exp = a >> 23 & 0xff;
    *exponent = (exp ? (int)exp : 1) - 127 - 23;
    return (a & 0x7fffff) | (uint32_t)(exp != 0) << 23;
}

static bool is_nan(uint32_t a) {
    return (a & ~KARAT_F32_SIGN) > KARAT_F32_INF;
}

static bool is_inf(uint32_t a) {
    return (a & ~KARAT_F32_SIGN) == KARAT_F32_INF;
}

static bool is_zero(uint32_t a) {
    return (a & ~KARAT_F32_SIGN) == 0;
}

void karat_dot_add(karat_dot *dot, uint32_t a, uint32_t b) {
    const bool negative = (a ^ b) >> 31;
    int ea, eb;
    uint64_t term[WORDS];
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b))) {
        dot->nan = true;
    } else if (is_inf(a) || is_inf(b)) {
        dot->infinite[negative] = true;
    } else {
        const uint64_t product = significand(a, &ea) * significand(b, &eb);
        place(term, product, (unsigned)(ea + eb - LOWEST));
        add(dot->magnitude, term);
        if (negative)
            negate(term);
        add(dot->sum, term);
    }
}

/* A finite number of a result, or an infinity as the number after the largest one. */
static void place_number(uint64_t *x, uint32_t number, karat_dot_format format) {
    uint32_t flags = 0, binary32 = number;
    int exponent;
    if (format == KARAT_DOT_F16)
        binary32 = karat_f32_from_f16((uint16_t)number, KARAT_RNE, &flags);
    if (is_inf(binary32)) {
        place(x, 1, (unsigned)(formats[format].high + 1 - LOWEST));
    } else {
        const uint64_t value = significand(binary32, &exponent);
        place(x, value, (unsigned)(exponent - LOWEST));
    }
    if (binary32 >> 31)
        negate(x);
}

uint64_t karat_dot_distance(const karat_dot *dot, uint32_t number, karat_dot_format format) {
    const bool half = format == KARAT_DOT_F16;
    const uint32_t magnitude = number & (half ? 0x7fff : ~KARAT_F32_SIGN),
                   infinity = half ? KARAT_F16_INF : KARAT_F32_INF, negative = number >> (half ? 15 : 31) & 1;
    if (magnitude > infinity || dot->nan || (dot->infinite[0] && dot->infinite[1]))
        return KARAT_DOT_FAR;
    if (dot->infinite[0] || dot->infinite[1])
        return magnitude == infinity && dot->infinite[negative] ? 0 : KARAT_DOT_FAR;
    uint64_t x[WORDS], distance[WORDS];
    place_number(x, number, format);
    negate(x);
    add(x, dot->sum);
    if (is_negative(x))
        negate(x);
    memset(distance, 0, sizeof distance);
    for (int i = 0; i < 100; i++)
        add(distance, x);
    const int top = highest(dot->magnitude) + LOWEST, low = formats[format].low, high = formats[format].high,
              last = (top < low    ? low
                      : top > high ? high
                                   : top) -
                     formats[format].fraction - LOWEST;
    if (highest(distance) - last >= 63)
        return KARAT_DOT_FAR - 1;
    return bits_from(distance, last) + any_below(distance, last);
}

void karat_dot_text(const karat_dot *dot, char text[KARAT_DOT_TEXT]) {
    uint64_t x[WORDS];
    memcpy(x, dot->sum, sizeof x);
    const bool negative = is_negative(x);
    if (negative)
        negate(x);
    const int top = highest(x);
    if (dot->nan || (dot->infinite[0] && dot->infinite[1])) {
        snprintf(text, KARAT_DOT_TEXT, "nan");
    } else if (dot->infinite[0] || dot->infinite[1]) {
        snprintf(text, KARAT_DOT_TEXT, dot->infinite[1] ? "-inf" : "inf");
    } else if (top < 0) {
        snprintf(text, KARAT_DOT_TEXT, "0");
    } else {
        char digits[2 * 16 + 1];
        snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)bits_from(x, top - 64),
                 (unsigned long long)(top >= 64 ? bits_from(x, top - 128) : 0));
        const bool more = any_below(x, top - 128);
        int num = (int)sizeof digits - 1;
        while (!more && num && digits[num - 1] == '0')
            num--;
        snprintf(text, KARAT_DOT_TEXT, "%s0x1%s%.*s%sp%+d", negative ? "-" : "", num ? "." : "", num, digits,
                 more ? "..." : "", top + LOWEST);
    }
}
