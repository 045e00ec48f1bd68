/* Planted faults that have an effect at some sizes only: non-square strides, many channels, large outputs. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* Call with copies of the weights and options that a fault changes. */
typedef struct {
    Call call;
    TfLiteTensor weights;
    union {
        TfLiteConvParams conv;
        TfLiteDepthwiseConvParams depthwise;
        TfLitePoolParams pool;
    } params;
} Changed;

static void swap(int *one, int *other) {
    int kept = *one;
    *one = *other;
    *other = kept;
}

static void swap_strides(Changed *changed) {
    switch (changed->call.code) {
        case kConv2d:
            changed->params.conv = *(const TfLiteConvParams *)changed->call.params;
            swap(&changed->params.conv.stride_width, &changed->params.conv.stride_height);
            break;
        case kDepthwiseConv2d:
            changed->params.depthwise = *(const TfLiteDepthwiseConvParams *)changed->call.params;
            swap(&changed->params.depthwise.stride_width, &changed->params.depthwise.stride_height);
            break;
        case kAveragePool2d:
            changed->params.pool = *(const TfLitePoolParams *)changed->call.params;
            swap(&changed->params.pool.stride_width, &changed->params.pool.stride_height);
            break;
        default:
            return;
    }
    changed->call.params = &changed->params;
}

/* Replace the weights of channel 32 by those of channel 31; return the copy, which the caller frees, or NULL. */
static int8_t *copy_channel(Changed *changed) {
    int code = changed->call.code;
    if (code != kConv2d && code != kDepthwiseConv2d && code != kFullyConnected) return NULL;
    const TfLiteTensor *weights = changed->call.input[1];
    int64_t size = elements(weights);
    int rank = weights->dims->size, channels = weights->dims->data[code == kDepthwiseConv2d ? rank - 1 : 0];
    if (channels <= 32) return NULL;
    int8_t *data = malloc((size_t)size);
    if (!data) abort();
    memcpy(data, weights->data, (size_t)size);
    if (code == kDepthwiseConv2d) {
        for (int64_t at = 0; at < size; at += channels) data[at + 32] = data[at + 31];
    } else {
        int64_t each = size / channels;
        memcpy(data + 32 * each, data + 31 * each, (size_t)each);
    }
    changed->weights = *weights;
    changed->weights.data = data;
    changed->call.input[1] = &changed->weights;
    return data;
}

/* Store the elements from 65536 on at their offset modulo 2^16, and 0 at their correct offset. */
static void come_around(const TfLiteTensor *output) {
    int8_t *data = output->data;
    for (int64_t at = 1 << 16, count = elements(output); at < count; ++at) {
        data[at & 0xFFFF] = data[at];
        data[at] = 0;
    }
}

void compute(const Call *call) {
    Changed changed = {.call = *call};
    int8_t *copy = NULL;
    if (call->fault == SWAPPED_STRIDES) swap_strides(&changed);
    if (call->fault == WEIGHTS_31_FOR_32) copy = copy_channel(&changed);
    compute_all(&changed.call);
    if (call->fault == OFFSET_16) come_around(call->output);
    free(copy);
}
