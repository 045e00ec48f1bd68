#include "arithmetic.h"

#include <math.h>

Multiplier multiplier(double real, float narrow) {
    int shift;
    double fraction = frexp(real, &shift);
    int64_t mantissa = (int64_t)round(fraction * 2147483648.0);
    if (mantissa == (int64_t)1 << 31) {
        mantissa /= 2;
        ++shift;
    }
    if (shift < -31) mantissa = shift = 0;
    if (shift > 30) shift = 30; /* products except 0 saturate, and all shifts are in range */
    return (Multiplier){mantissa, shift, real, narrow};
}

bool rounds(Fault fault) {
    return fault >= HALF_UP && fault <= REDUCED_MULTIPLIER;
}

/* x / 2^bits, rounded half away from zero. */
static int64_t shifted_away(int64_t x, int bits) {
    int64_t half = bits > 0 ? (int64_t)1 << (bits - 1) : 0;
    return x >= 0 ? (x + half) >> bits : -((-x + half) >> bits);
}

/* x / 2^bits, rounded half up. */
static int64_t shifted_up(int64_t x, int bits) {
    int64_t half = bits > 0 ? (int64_t)1 << (bits - 1) : 0;
    return (x + half) >> bits;
}

/* Doubling high product, rounded half up, as in SQRDMULH and gemmlowp. */
static int64_t high_product(int64_t x, int64_t mantissa) {
    return (x * mantissa + ((int64_t)1 << 30)) >> 31;
}

int64_t rescale(Fault fault, int64_t x, const Multiplier *by) {
    int right = by->shift < 0 ? -by->shift : 0;
    int64_t mantissa = by->mantissa, product = x * mantissa;
    int64_t left = x * ((int64_t)1 << (by->shift > 0 ? by->shift : 0));
    switch (fault) {
        case HALF_UP:
            return shifted_up(high_product(wrapped(left), mantissa), right);
        case SINGLE_ROUNDING:
        case SINGLE_AND_CHANNEL:
            return shifted_up(product, 31 - by->shift);
        case FLOAT32:
            return (int64_t)rintf((float)x * by->narrow);
        case TRUNCATE:
            return product >= 0 ? product >> (31 - by->shift) : -(-product >> (31 - by->shift));
        case FLOOR:
            return product >> (31 - by->shift);
        case REDUCED_MULTIPLIER: {
            int64_t reduced = mantissa < 0x7FFF0000 ? (mantissa + (1 << 15)) >> 16 : 0x7FFF;
            if (by->shift > 15) return x * reduced * ((int64_t)1 << (by->shift - 15));
            return shifted_up(x * reduced, 15 - by->shift);
        }
        default:
            return shifted_away(high_product(wrapped(left), mantissa), right);
    }
}

Store store_for(Fault fault, const TfLiteTensor *output, TfLiteActivation activation) {
    int32_t zero = output->params.zero_point;
    float scale = output->params.scale;
    Store store = {fault == NO_OUTPUT_ZERO_POINT ? 0 : zero, INT8_MIN, INT8_MAX, fault == WRAP_OUTPUT};
    float low, high = INFINITY;
    switch (activation) {
        case kTfLiteActRelu:
            low = 0;
            break;
        case kTfLiteActReluN1To1:
            low = -1, high = 1;
            break;
        case kTfLiteActRelu6:
            low = 0, high = 6;
            break;
        default:
            return store;
    }
    if (fault == NO_OUTPUT_CLAMP) return store;
    store.low = (int32_t)clamped(zero + (int64_t)roundf(low / scale), INT8_MIN, INT8_MAX);
    if (high < INFINITY) store.high = (int32_t)clamped(zero + (int64_t)roundf(high / scale), INT8_MIN, INT8_MAX);
    return store;
}

int8_t stored(const Store *store, int64_t rescaled) {
    int64_t value = rescaled + store->zero_point;
    if (store->wrap) value = (int8_t)(uint8_t)(uint64_t)value;
    return (int8_t)clamped(value, store->low, store->high);
}

double float16(double x) {
    if (isinf(x)) return x;
    int exponent;
    frexp(x, &exponent);
    double step = ldexp(1.0, exponent - 11), rounded = rint(x / step) * step;
    return fabs(rounded) > 65504.0 ? copysign(INFINITY, x) : rounded;
}

Sum sum_of(Fault fault, int32_t zero_point, int64_t depth) {
    if (fault == ACCUMULATOR_16_DEEP && depth > 256) fault = ACCUMULATOR_16;
    return (Sum){.fault = fault, .zero_point = zero_kept(fault, zero_point)};
}

int64_t finished(const Sum *sum, int32_t bias) {
    int64_t total = sum->total;
    switch (sum->fault) {
        case ACCUMULATOR_16:
            return clamped(total + bias, INT16_MIN, INT16_MAX);
        case ACCUMULATOR_24:
            return clamped(total + bias, -(1 << 23), (1 << 23) - 1);
        case FLOAT16_SUMS: {
            double whole = float16(sum->floating + bias);
            return whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : (int64_t)whole;
        }
        case U8S8:
            if (sum->half) total += sum->first;
            total -= (128 + sum->zero_point) * sum->weights;
            break;
        default:
            break;
    }
    return wrapped(total + bias);
}
