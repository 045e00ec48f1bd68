/* Sums of products and their requantization to int8, exact or with a planted fault. */
#ifndef LITECHECK_TESTS_DELEGATE_ARITHMETIC_H
#define LITECHECK_TESTS_DELEGATE_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "settings.h"

/* Real multiplier: mantissa * 2^(shift - 31) with a mantissa in [2^30, 2^31) or 0, and the float64 and float32 values. */
typedef struct {
    int64_t mantissa;
    int shift;
    double real;
    float narrow;
} Multiplier;

/* Output zero point, and the bounds of the activation within int8, applied after it is added. */
typedef struct {
    int32_t zero_point;
    int32_t low, high;
    bool wrap;
} Store;

Multiplier multiplier(double real, float narrow);

/* True for faults of the rounding of a rescaling. */
bool rounds(Fault fault);

/* Return x times the multiplier, with the rounding of the fault; x has at most 32 bits. */
int64_t rescale(Fault fault, int64_t x, const Multiplier *by);

/* Return zero point and bounds for values with the output's scale. */
Store store_for(Fault fault, const TfLiteTensor *output, TfLiteActivation activation);

/* Return the int8 value of a rescaled sum. */
int8_t stored(const Store *store, int64_t rescaled);

/* Return the input zero point that the fault computes with. */
static inline int32_t zero_kept(Fault fault, int32_t zero_point) {
    return fault == ZERO_POINT_INT8 ? -(int8_t)(uint8_t)(-zero_point) : zero_point;
}

/* Return the nearest float16 to an integer, ties to even; infinity beyond the largest float16. */
double float16(double x);

static inline int64_t clamped(int64_t x, int64_t low, int64_t high) {
    return x < low ? low : x > high ? high : x;
}

/* Return the int32 equal to x modulo 2^32. */
static inline int64_t wrapped(int64_t x) {
    return (int32_t)(uint32_t)(uint64_t)x;
}

/* Sum of products of stored inputs, minus their zero point, and weights. */
typedef struct {
    Fault fault;
    int32_t zero_point;
    int64_t total;
    int64_t weights; /* sum of the weights */
    int32_t first;   /* U8S8: first product of a pair */
    bool half;
    double floating; /* FLOAT16_SUMS: the sum */
} Sum;

/* Return an empty sum for a number of products. */
Sum sum_of(Fault fault, int32_t zero_point, int64_t depth);

static inline void add_product(Sum *sum, int32_t input, int32_t weight) {
    int32_t product = (input - sum->zero_point) * weight;
    switch (sum->fault) {
        case NO_INPUT_ZERO_POINT:
            sum->total += input * weight;
            break;
        case ACCUMULATOR_16:
            sum->total = clamped(sum->total + product, INT16_MIN, INT16_MAX);
            break;
        case ACCUMULATOR_24:
            sum->total = clamped(sum->total + product, -(1 << 23), (1 << 23) - 1);
            break;
        case FLOAT16_SUMS:
            sum->floating = float16(sum->floating + product);
            break;
        case U8S8:
            product = (input + 128) * weight;
            sum->weights += weight;
            if (sum->half) {
                sum->total += clamped(sum->first + product, INT16_MIN, INT16_MAX);
            } else {
                sum->first = product;
            }
            sum->half = !sum->half;
            break;
        default:
            sum->total += product;
    }
}

/* Return the sum with its bias, in 32 bits. */
int64_t finished(const Sum *sum, int32_t bias);

#endif
