/* Elementwise operators of one or two operands, and MEAN. */
#include "arithmetic.h"
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

/* Return the zero point to subtract from an input. */
static int32_t zero_of(const Call *call, int operand) {
    int32_t zero_point = call->input[operand]->params.zero_point;
    return call->fault == NO_INPUT_ZERO_POINT ? 0 : zero_kept(call->fault, zero_point);
}

/* Operand broadcast to the output: the stride of each output dimension in the operand's data, 0 if broadcast. */
typedef struct {
    const int8_t *data;
    int64_t strides[RANK];
} Operand;

static Operand operand(const Call *call, int index) {
    const TfLiteTensor *tensor = call->input[index];
    Operand made = {.data = tensor->data};
    int missing = call->output->dims->size - tensor->dims->size;
    int64_t stride = 1;
    for (int i = tensor->dims->size - 1; i >= 0; --i) {
        made.strides[i + missing] = tensor->dims->data[i] == 1 ? 0 : stride;
        stride *= tensor->dims->data[i];
    }
    return made;
}

/* Zero points and multipliers of two operands, and multiplier of their sum or product. */
typedef struct {
    int32_t zero[2];
    Multiplier by[2], last;
    Fault fault;
} Pair;

/* Rescale both operands to twice the larger scale with 20 additional bits, add them, and rescale the sum. */
static int64_t added(const Pair *pair, int32_t x, int32_t y) {
    int64_t left = rescale(pair->fault, (int64_t)(x - pair->zero[0]) * (1 << 20), &pair->by[0]);
    int64_t right = rescale(pair->fault, (int64_t)(y - pair->zero[1]) * (1 << 20), &pair->by[1]);
    return rescale(pair->fault, wrapped(left + right), &pair->last);
}

static int64_t product_of(const Pair *pair, int32_t x, int32_t y) {
    return rescale(pair->fault, (x - pair->zero[0]) * (y - pair->zero[1]), &pair->last);
}

static void each_pair(const Call *call, const Pair *pair, int64_t (*combine)(const Pair *, int32_t, int32_t)) {
    Store store = store_for(call->fault, call->output, ((const TfLiteFusedParams *)call->params)->activation);
    Operand left = operand(call, 0), right = operand(call, 1);
    const TfLiteIntArray *shape = call->output->dims;
    int8_t *result = call->output->data;
    for (int64_t at = 0, count = elements(call->output); at < count; ++at) {
        int64_t rest = at, x = 0, y = 0;
        for (int i = shape->size - 1; i >= 0; rest /= shape->data[i--]) {
            x += rest % shape->data[i] * left.strides[i];
            y += rest % shape->data[i] * right.strides[i];
        }
        result[at] = stored(&store, combine(pair, left.data[x], right.data[y]));
    }
}

void add(const Call *call) {
    double left = call->input[0]->params.scale, right = call->input[1]->params.scale;
    double twice = 2 * (left > right ? left : right);
    double last = twice / ((double)(1 << 20) * call->output->params.scale);
    Pair pair = {
        .zero = {zero_of(call, 0), zero_of(call, 1)},
        .by = {multiplier(left / twice, (float)(left / twice)), multiplier(right / twice, (float)(right / twice))},
        .last = multiplier(last, (float)last),
        .fault = call->fault == ADD_SINGLE_ROUNDING ? SINGLE_ROUNDING : call->fault,
    };
    each_pair(call, &pair, added);
}

void mul(const Call *call) {
    float real = call->input[0]->params.scale * call->input[1]->params.scale / call->output->params.scale;
    Pair pair = {{zero_of(call, 0), zero_of(call, 1)}, .last = multiplier(real, real), .fault = call->fault};
    each_pair(call, &pair, product_of);
}

void quantize(const Call *call) {
    double real = (double)call->input[0]->params.scale / (double)call->output->params.scale;
    Multiplier by = multiplier(real, call->input[0]->params.scale / call->output->params.scale);
    Store store = store_for(call->fault, call->output, kTfLiteActNone);
    const int8_t *input = call->input[0]->data;
    int8_t *result = call->output->data;
    int32_t zero = zero_of(call, 0);
    for (int64_t i = 0, count = elements(call->output); i < count; ++i) {
        result[i] = stored(&store, rescale(call->fault, input[i] - zero, &by));
    }
}

/* Compute LEAKY_RELU; a negative alpha is a positive multiplier and a sign. */
void leaky_relu(const Call *call) {
    float alpha = ((const TfLiteLeakyReluParams *)call->params)->alpha;
    float above = call->input[0]->params.scale / call->output->params.scale;
    float below = call->input[0]->params.scale * alpha / call->output->params.scale;
    Multiplier by = multiplier(above, above), bent = multiplier(fabsf(below), fabsf(below));
    Store store = store_for(call->fault, call->output, kTfLiteActNone);
    const int8_t *input = call->input[0]->data;
    int8_t *result = call->output->data;
    for (int64_t i = 0, count = elements(call->output); i < count; ++i) {
        int32_t x = input[i] - zero_of(call, 0);
        int64_t low = rescale(call->fault, x, &bent);
        result[i] = stored(&store, x >= 0 ? rescale(call->fault, x, &by) : below < 0 ? -low : low);
    }
}

/* Compute LOGISTIC in float32, like the table of 256 entries of the reference kernel; faults of rounding do not apply. */
void logistic(const Call *call) {
    Store store = store_for(call->fault, call->output, kTfLiteActNone);
    float scale = call->input[0]->params.scale, inverse = 1.0f / call->output->params.scale;
    const int8_t *input = call->input[0]->data;
    int8_t *result = call->output->data;
    for (int64_t i = 0, count = elements(call->output); i < count; ++i) {
        float x = scale * (float)(input[i] - zero_of(call, 0));
        result[i] = stored(&store, (int64_t)roundf(1.0f / (1.0f + expf(-x)) * inverse));
    }
}

/* Return the multiplier of MEAN: the mantissa, shifted up by the bits of the number of elements, is divided by it. */
static Multiplier mean_multiplier(const Call *call, int64_t count) {
    float input = call->input[0]->params.scale, output = call->output->params.scale;
    Multiplier by = multiplier((double)input / (double)output, input / (output * (float)count));
    int up = 0;
    while (count >> (up + 1)) ++up;
    if (up > 32) up = 32;
    if (up > 31 + by.shift) up = 31 + by.shift;
    by.mantissa = (by.mantissa << up) / count;
    by.shift -= up;
    return by;
}

void mean(const Call *call) {
    const TfLiteIntArray *shape = call->input[0]->dims;
    const int32_t *axes = call->input[1]->data;
    bool reduced[RANK] = {false};
    for (int64_t i = 0, end = elements(call->input[1]); i < end; ++i) {
        reduced[axes[i] < 0 ? axes[i] + shape->size : axes[i]] = true;
    }
    int64_t strides[RANK] = {0}, kept = 1, count = 1;
    for (int i = shape->size - 1; i >= 0; --i) {
        if (reduced[i]) {
            count *= shape->data[i];
        } else {
            strides[i] = kept;
            kept *= shape->data[i];
        }
    }
    int64_t *sums = calloc((size_t)kept + 1, sizeof *sums);
    if (!sums || !count) abort();
    const int8_t *input = call->input[0]->data;
    for (int64_t at = 0, end = elements(call->input[0]); at < end; ++at) {
        int64_t rest = at, to = 0;
        for (int i = shape->size - 1; i >= 0; rest /= shape->data[i--]) to += rest % shape->data[i] * strides[i];
        sums[to] += input[at];
    }
    Multiplier by = mean_multiplier(call, count);
    Store store = store_for(call->fault, call->output, kTfLiteActNone);
    int8_t *result = call->output->data;
    for (int64_t i = 0; i < kept; ++i) {
        int64_t sum = wrapped(sums[i] - zero_of(call, 0) * count);
        result[i] = stored(&store, rescale(call->fault, sum, &by));
    }
    free(sums);
}
