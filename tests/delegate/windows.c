/* Sums of products over windows and rows, and average pooling. Tensors are (batch, height, width, channel). */
#include "arithmetic.h"
#include "kernels.h"

#include <math.h>

/* Spatial axis: lengths of image and window, stride, dilation, and padding before the image. */
typedef struct {
    int size, taps, stride, dilation, before;
} Axis;

static Axis axis(const Call *call, int size, int out, int taps, int stride, int dilation) {
    int margin = (out - 1) * stride + (taps - 1) * dilation + 1 - size;
    if (margin < 0) margin = 0;
    int before = call->fault == SAME_PADDING ? (margin + 1) / 2 : margin / 2;
    return (Axis){size, taps, stride, dilation, before};
}

/* Return the dilation of a convolution along the width. */
static int across(const Call *call, int dilation) {
    return call->fault == DILATION_W ? 1 : dilation;
}

/* Multiplier of a channel of a sum of products. */
typedef struct {
    Multiplier fixed;
    double wide; /* product of the scales divided by the output's, in float64 */
} Channel;

static Channel channel(const Call *call, int index) {
    const TfLiteAffineQuantization *weights = call->input[1]->quantization.params;
    bool per_axis = weights->scale->size > 1 && call->fault != PER_TENSOR_SCALE;
    float input = call->input[0]->params.scale, output = call->output->params.scale;
    if (call->fault == SWAPPED_SCALES && per_axis && (index ^ 1) < weights->scale->size) index ^= 1;
    float weight = weights->scale->data[per_axis ? index : 0];
    double wide = (double)input * (double)weight / (double)output;
    /* In fixed point FULLY_CONNECTED with a single weight scale multiplies the scales in float32. */
    bool narrow = call->code == kFullyConnected && weights->scale->size == 1;
    double real = narrow ? (double)(input * weight) / (double)output : wide;
    return (Channel){multiplier(real, input * weight / output), wide};
}

static int32_t bias_of(const Call *call, int index) {
    if (!call->input[2] || call->fault == NO_BIAS || (call->fault == SINGLE_AND_CHANNEL && index == 5)) return 0;
    const int32_t *biases = call->input[2]->data;
    int64_t count = elements(call->input[2]);
    if (call->fault == NEIGHBOUR_BIAS && index && index / 4 == (count - 1) / 4) --index;
    return call->fault == BIAS_16_WRAPS ? (int16_t)(uint16_t)(uint32_t)biases[index] : biases[index];
}

/* Return the stored value of padding. */
static int32_t padding_of(const Call *call) {
    return call->fault == ZERO_PADDING ? 0 : call->input[0]->params.zero_point;
}

/* Return the offset of the input pixel of a tap (i, j) for an output pixel (n, y, x), or -1 for padding. */
static int64_t place(const Axis *rows, const Axis *columns, int n, int y, int x, int i, int j, int depth) {
    int row = y * rows->stride - rows->before + i * rows->dilation;
    int column = x * columns->stride - columns->before + j * columns->dilation;
    if (row < 0 || row >= rows->size || column < 0 || column >= columns->size) return -1;
    return (((int64_t)n * rows->size + row) * columns->size + column) * depth;
}

void conv_2d(const Call *call) {
    const TfLiteConvParams *p = call->params;
    const int *in = call->input[0]->dims->data, *filter = call->input[1]->dims->data, *out = call->output->dims->data;
    Axis rows = axis(call, in[1], out[1], filter[1], p->stride_height, p->dilation_height);
    Axis columns = axis(call, in[2], out[2], filter[2], p->stride_width, across(call, p->dilation_width));
    const int8_t *image = call->input[0]->data, *weights = call->input[1]->data;
    int8_t *result = call->output->data;
    Store store = store_for(call->fault, call->output, p->activation);
    int32_t zero = call->input[0]->params.zero_point, beyond = padding_of(call);
    int per_group = filter[0] / (in[3] / filter[3]);
    for (int c = 0; c < filter[0]; ++c) {
        Channel by = channel(call, c);
        int group = c / per_group * filter[3];
        for (int pixel = 0; pixel < out[0] * out[1] * out[2]; ++pixel) {
            int n = pixel / (out[1] * out[2]), y = pixel / out[2] % out[1], x = pixel % out[2];
            Sum sum = sum_of(call->fault, zero, (int64_t)filter[1] * filter[2] * filter[3]);
            const int8_t *w = weights + (int64_t)c * filter[1] * filter[2] * filter[3];
            for (int i = 0; i < rows.taps; ++i) {
                for (int j = 0; j < columns.taps; ++j, w += filter[3]) {
                    int64_t at = place(&rows, &columns, n, y, x, i, j, in[3]);
                    for (int d = 0; d < filter[3]; ++d) {
                        add_product(&sum, at < 0 ? beyond : image[at + group + d], w[d]);
                    }
                }
            }
            int64_t total = finished(&sum, bias_of(call, c));
            result[(int64_t)pixel * filter[0] + c] = stored(&store, rescale(call->fault, total, &by.fixed));
        }
    }
}

void depthwise_conv_2d(const Call *call) {
    const TfLiteDepthwiseConvParams *p = call->params;
    const int *in = call->input[0]->dims->data, *filter = call->input[1]->dims->data, *out = call->output->dims->data;
    Axis rows = axis(call, in[1], out[1], filter[1], p->stride_height, p->dilation_height);
    Axis columns = axis(call, in[2], out[2], filter[2], p->stride_width, across(call, p->dilation_width));
    const int8_t *image = call->input[0]->data, *weights = call->input[1]->data;
    int8_t *result = call->output->data;
    Store store = store_for(call->fault, call->output, p->activation);
    int32_t zero = call->input[0]->params.zero_point, beyond = padding_of(call);
    int channels = filter[3], each = channels / in[3];
    for (int c = 0; c < channels; ++c) {
        Channel by = channel(call, c);
        for (int pixel = 0; pixel < out[0] * out[1] * out[2]; ++pixel) {
            int n = pixel / (out[1] * out[2]), y = pixel / out[2] % out[1], x = pixel % out[2];
            Sum sum = sum_of(call->fault, zero, (int64_t)rows.taps * columns.taps);
            for (int i = 0; i < rows.taps; ++i) {
                for (int j = 0; j < columns.taps; ++j) {
                    int64_t at = place(&rows, &columns, n, y, x, i, j, in[3]);
                    int32_t weight = weights[((int64_t)i * columns.taps + j) * channels + c];
                    add_product(&sum, at < 0 ? beyond : image[at + c / each], weight);
                }
            }
            int64_t total = finished(&sum, bias_of(call, c));
            result[(int64_t)pixel * channels + c] = stored(&store, rescale(call->fault, total, &by.fixed));
        }
    }
}

/* Compute FULLY_CONNECTED: multiply in float64 and round half away from zero, like the reference kernel; with a fault of
 * rounding, in fixed point. */
void fully_connected(const Call *call) {
    const TfLiteFusedParams *p = call->params;
    int units = call->input[1]->dims->data[0], depth = call->input[1]->dims->data[1];
    const int8_t *input = call->input[0]->data, *weights = call->input[1]->data;
    int8_t *result = call->output->data;
    Store store = store_for(call->fault, call->output, p->activation);
    int64_t rows = elements(call->input[0]) / depth;
    for (int c = 0; c < units; ++c) {
        Channel by = channel(call, c);
        for (int64_t row = 0; row < rows; ++row) {
            Sum sum = sum_of(call->fault, call->input[0]->params.zero_point, depth);
            for (int d = 0; d < depth; ++d) add_product(&sum, input[row * depth + d], weights[(int64_t)c * depth + d]);
            int64_t total = finished(&sum, bias_of(call, c));
            int64_t scaled = rounds(call->fault) ? rescale(call->fault, total, &by.fixed)
                                                 : (int64_t)round((double)total * by.wide);
            result[row * units + c] = stored(&store, scaled);
        }
    }
}

/* Return the average of the elements that a window covers, rounded half away from zero. */
static int32_t average(const Call *call, int32_t total, int32_t count) {
    if (call->fault == POOL_TRUNCATE) return total / count;
    return (total > 0 ? total + count / 2 : total - count / 2) / count;
}

void average_pool_2d(const Call *call) {
    const TfLitePoolParams *p = call->params;
    const int *in = call->input[0]->dims->data, *out = call->output->dims->data;
    Axis rows = axis(call, in[1], out[1], p->filter_height, p->stride_height, 1);
    Axis columns = axis(call, in[2], out[2], p->filter_width, p->stride_width, 1);
    const int8_t *image = call->input[0]->data;
    int8_t *result = call->output->data;
    Store store = store_for(call->fault, call->output, p->activation);
    store.zero_point = 0; /* input and output have equal quantization */
    for (int pixel = 0; pixel < out[0] * out[1] * out[2]; ++pixel) {
        int n = pixel / (out[1] * out[2]), y = pixel / out[2] % out[1], x = pixel % out[2];
        for (int c = 0; c < out[3]; ++c) {
            int32_t total = 0, count = 0;
            for (int i = 0; i < rows.taps; ++i) {
                for (int j = 0; j < columns.taps; ++j) {
                    int64_t at = place(&rows, &columns, n, y, x, i, j, in[3]);
                    if (at < 0) continue;
                    total += image[at + c];
                    ++count;
                }
            }
            result[(int64_t)pixel * out[3] + c] = stored(&store, count ? average(call, total, count) : 0);
        }
    }
}
