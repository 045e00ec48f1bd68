/* Simulator in C99 without a library: it reads a stream of `litecheck suite make --stream` and answers with the values
 * of LiteRT's reference kernels. docs/stream.md has the protocol.
 *
 *     cc -std=c99 -O2 examples/simulator.c -o simulator -lm
 *     litecheck suite make --stream CONV_2D | ./simulator | litecheck suite judge --stream-results -
 *
 * With -DFAULT=n, n in 1..10, it has one of ten typical faults of hardware. judge names each of them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAULT
#define FAULT 0
#endif
enum { MOST = 4096 };

static char kind[32], operator_[64];
static int32_t x[MOST], w[MOST];

static int32_t number(void) {
    long value;
    if (scanf("%ld", &value) != 1) exit(2);
    return (int32_t)value;
}

static float real(void) {
    unsigned bits;
    uint32_t word;
    float value;
    if (scanf("%x", &bits) != 1) exit(2);
    word = bits;
    memcpy(&value, &word, sizeof value);
    return value;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* a * b / 2^31, to nearest, ties up; shifts of negative numbers to the right keep the sign. */
static int64_t high_product(int64_t a, int64_t b) {
    int64_t high = (a * b + (1LL << 30)) >> 31;
    return high > INT32_MAX ? INT32_MAX : high;
}

/* value / 2^bits, to nearest, ties away from zero. */
static int64_t shifted(int64_t value, int bits) {
    if (!bits) return value;
    return (value + (1LL << (bits - 1)) - (value < 0)) >> bits;
}

/* value * m * 2^(shift - 31), rounded twice. */
static int64_t rescaled(int64_t value, int32_t m, int shift) {
#if FAULT == 1 /* ties of the second rounding go up */
    return shift >= 0 ? high_product(value << shift, m) : (2 * high_product(value, m) + (1LL << -shift)) >> (1 - shift);
#elif FAULT == 2 /* a single rounding */
    return (value * m + (1LL << (30 - shift))) >> (31 - shift);
#elif FAULT == 3 /* truncated toward zero */
    return value < 0 ? -((-value * m) >> (31 - shift)) : (value * m) >> (31 - shift);
#else
    return shift >= 0 ? high_product(value * (1LL << shift), m) : shifted(high_product(value, m), -shift);
#endif
}

/* The zero point, then the clamp. */
static int stored(int64_t value, int zero, int low, int high) {
#if FAULT == 4 /* the fused activation is missing */
    low = -128, high = 127;
#elif FAULT == 5 /* the lowest eight bits are kept */
    return (int)clamp((int8_t)(value + zero), low, high);
#elif FAULT == 6 /* the zero point is not added */
    zero = 0;
#elif FAULT == 7 /* saturates before the zero point is added */
    value = clamp(value, -128, 127);
#endif
    return (int)clamp(value + zero, low, high);
}

static void multiplier(double from, int32_t *m, int *shift) {
    int64_t fixed = (int64_t)floor(frexp(fabs(from), shift) * 2147483648.0 + 0.5);
    if (fixed == 1LL << 31) fixed /= 2, ++*shift;
    if (*shift < -31 || !fixed) fixed = *shift = 0;
    *m = (int32_t)(from < 0 ? -fixed : fixed);
}

/* requantize: acc m shift si sw so zo low high; dot: bias in place of acc, and zi k x*k w*k at the end. */
static int layer(int dot) {
    int32_t bias = number(), m = number(), shift = number();
    float si = real(), sw = real(), so = real();
    int zo = number(), low = number(), high = number(), zi = dot ? number() : 0, k = dot ? number() : 0;
    int64_t sum = 0;
    for (int n = 0; n < k && n < MOST; ++n) x[n] = number();
    for (int n = 0; n < k && n < MOST; ++n) w[n] = number();
    for (int n = 0; n < k; ++n) {
#if FAULT == 8 /* the input zero point is missing */
        zi = 0;
#endif
        sum += (x[n] - zi) * w[n];
#if FAULT == 9 /* sums of 16 bits */
        sum = clamp(sum, -32768, 32767);
#endif
    }
#if FAULT == 9
    sum = clamp(sum + bias, -32768, 32767), bias = 0;
#elif FAULT == 10 /* the bias is added after rescaling */
    if (dot) return stored(rescaled(sum, m, shift) + rescaled(bias, m, shift), zo, low, high);
#endif
    if (!strcmp(operator_, "FULLY_CONNECTED"))
        return stored((int64_t)round((double)(sum + bias) * ((double)si * sw / so)), zo, low, high);
    return stored(rescaled(sum + bias, m, shift), zo, low, high);
}

/* Two inputs: lhs rhs zl zr zo low high, the multipliers, sl sr so. */
static int elementwise(void) {
    int32_t lhs = number(), rhs = number(), zl = number(), zr = number(), zo = number();
    int32_t low = number(), high = number(), p[7];
    int product = !strcmp(operator_, "MUL"), subtract = !strcmp(operator_, "SUB");
    for (int n = 0; n < (product ? 2 : 7); ++n) p[n] = number();
    for (int n = 0; n < 3; ++n) real();
#if FAULT == 8
    zl = zr = 0;
#endif
    if (product) return stored(rescaled((int64_t)(lhs - zl) * (rhs - zr), p[0], p[1]), zo, low, high);
    int64_t left = rescaled((int64_t)(lhs - zl) * (1 << p[0]), p[1], p[2]);
    int64_t right = rescaled((int64_t)(rhs - zr) * (1 << p[0]), p[3], p[4]);
    return stored(rescaled(subtract ? left - right : left + right, p[5], p[6]), zo, low, high);
}

/* The 16-bit steps of HARD_SWISH. */
static int64_t hard_swish(int q, float si, float so) {
    int32_t m, m_relu;
    int shift, shift_relu;
    float fine = si * (1 / 128.0f);
    multiplier(fine / so, &m, &shift);
    multiplier(fine / (3 / 32768.0f), &m_relu, &shift_relu);
    int64_t m16 = clamp(((int64_t)m + 32768) >> 16, 0, 32767), relu16 = clamp(((int64_t)m_relu + 32768) >> 16, 0, 32767);
    int64_t fixed = (int16_t)(q * 128), wide = (fixed * m16 + 16384) >> 15, product;
    int64_t relu = clamp(fixed * (1LL << (shift_relu > 1 ? shift_relu - 1 : 0)), -32768, 32767);
    relu = (relu * relu16 + 16384) >> 15;
    if (shift_relu > 0) relu = clamp(relu * 2, -32768, 32767);
    relu = (shifted(relu, shift_relu < 0 ? -shift_relu : 0) + 32768) >> 1;
    product = relu * wide;
    return shifted(product < 0 ? -(-product >> 15) : product >> 15, -shift);
}

/* Function of one value in float32, as the entries of a table of 256 values. */
static float curve(float v, int approximate) {
    if (!strcmp(operator_, "LOGISTIC")) return 1 / (1 + (float)exp(-(double)v));
    if (!strcmp(operator_, "TANH")) return (float)tanh(v);
    if (!strcmp(operator_, "ELU")) return v < 0 ? (float)expm1(v) : v;
    if (!approximate) return 0.5f * v * (float)erfc(v * (float)-sqrt(0.5));
    return 0.5f * v * (1 + (float)tanh((float)sqrt(2 / 3.14159265358979323846) * (v + 0.044715f * v * v * v)));
}

/* One input: x si zi so zo, and an option if the operator has one. */
static int table(void) {
    int q = number();
    float si = real();
    int zi = number();
    float so = real(), alpha = 0;
    int zo = number(), approximate = 0, low = -128, high = 127, shift, leaky = !strcmp(operator_, "LEAKY_RELU");
    int32_t m;
    if (leaky) alpha = real();
    if (!strcmp(operator_, "GELU")) approximate = number();
#if FAULT == 8
    zi = 0;
#endif
    q -= zi;
    if (!strcmp(operator_, "HARD_SWISH")) return stored(hard_swish(q, si, so), zo, low, high);
    if (!strcmp(operator_, "QUANTIZE") || leaky || !strncmp(operator_, "RELU", 4)) {
        if (!strncmp(operator_, "RELU", 4)) low = zo;
        if (!strcmp(operator_, "RELU6")) high = (int)clamp(zo + (int64_t)roundf(6 / so), -128, 127);
        if (leaky && q < 0) multiplier((float)(si * alpha) / so, &m, &shift);
        else if (leaky || low == zo) multiplier(si / so, &m, &shift);
        else multiplier((double)si / so, &m, &shift);
        return stored(rescaled(q, m, shift), zo, low, high);
    }
    return stored((int64_t)roundf(curve(si * (float)q, approximate) * (1 / so)), zo, low, high);
}

/* exp(a / 2^26) in Q0.31 for a <= 0: a polynomial around -1/8, then factors exp(-2^n). */
static int64_t exponential(int64_t a) {
    static const int64_t factor[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    int64_t b = (a & ((1 << 24) - 1)) - (1 << 24), rest = b - a, v = b * 32 + (1 << 28), v2 = high_product(v, v);
    int64_t cubes = high_product(shifted(high_product(v2, v2), 2) + high_product(v2, v), 715827883);
    int64_t made = 1895147668 + high_product(v + shifted(cubes + v2, 1), 1895147668);
    for (int n = 0; n < 7; ++n)
        if (rest & (1LL << (24 + n))) made = high_product(made, factor[n]);
    return a ? made : INT32_MAX;
}

/* 1 / (1 + a) in Q0.31 for a in [0, 1): three steps of Newton's method. */
static int64_t reciprocal(int64_t a) {
    int64_t d = shifted(a + INT32_MAX, 1), made = 1515870810 + high_product(d, -1010580540);
    for (int n = 0; n < 3; ++n) made += high_product(made, (1 << 29) - high_product(d, made)) * 4;
    return clamp(made * 2, INT32_MIN, INT32_MAX);
}

/* SOFTMAX of a row: si zi so zo beta k x*k; the answers are k values. */
static void softmax(void) {
    float si = real();
    int zi = number();
    float so = real();
    int zo = number();
    double step = (double)real() * si;
    int k = number(), shift, zeros = 0;
    int64_t most = -128, sum = 0;
    int32_t m;
    (void)zi, (void)so, (void)zo;
    for (int n = 0; n < k && n < MOST; ++n) x[n] = number(), most = x[n] > most ? x[n] : most;
    multiplier(step * (1 << 26) < INT32_MAX ? step * (1 << 26) : INT32_MAX, &m, &shift);
    int64_t farthest = -(int64_t)floor(31.0 * (1 << 26) / ldexp(1, shift));
    for (int n = 0; n < k; ++n)
        if (x[n] - most >= farthest) sum += shifted(exponential(rescaled(x[n] - most, m, shift)), 12);
    while (!(sum << zeros & 1LL << 31)) ++zeros;
    int64_t inverse = reciprocal((sum << zeros) - (1LL << 31));
    for (int n = 0; n < k; ++n) {
        int64_t share = high_product(inverse, exponential(rescaled(x[n] - most, m, shift)));
        printf(" %d", x[n] - most < farthest ? -128 : (int)clamp(shifted(share, 12 - zeros + 23) - 128, -128, 127));
    }
}

int main(void) {
    static char line[1 << 10];
    int first;
    while (scanf(" ") != EOF && (first = getchar()) != EOF) {
        ungetc(first, stdin);
        if (first == '#') { /* comments are copied; the first comment names the operator */
            if (!fgets(line, sizeof line, stdin)) return 2;
            sscanf(line, "#litecheck-stream 1 name=%*s kind=%31s operator=%63s", kind, operator_);
            fputs(line, stdout);
            continue;
        }
        printf("%d", number());
        if (!strcmp(kind, "requantize")) printf(" %d", layer(0));
        else if (!strcmp(kind, "dot")) printf(" %d", layer(1));
        else if (!strcmp(kind, "elementwise")) printf(" %d", elementwise());
        else if (!strcmp(kind, "table")) printf(" %d", table());
        else if (!strcmp(kind, "softmax")) softmax();
        else return 2;
        putchar('\n');
        if (scanf("%*s") == EOF) return 2; /* the flags */
    }
    return 0;
}
