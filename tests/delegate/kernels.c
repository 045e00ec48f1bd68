#include "kernels.h"

#include "memory.h"

int64_t elements(const TfLiteTensor *tensor) {
    int64_t count = 1;
    for (int i = 0; i < tensor->dims->size; ++i) count *= tensor->dims->data[i];
    return count;
}

static const TfLiteAffineQuantization *affine(const TfLiteTensor *tensor) {
    return tensor->quantization.type == kTfLiteAffineQuantization ? tensor->quantization.params : NULL;
}

/* True for an int8 tensor with a single positive scale. */
static bool per_tensor(const TfLiteTensor *tensor) {
    if (!tensor || tensor->type != kTfLiteInt8 || tensor->allocation_type == kTfLiteDynamic) return false;
    const TfLiteAffineQuantization *q = affine(tensor);
    return q && q->scale && q->scale->size == 1 && q->scale->data[0] > 0 && tensor->dims->size <= RANK;
}

/* True for symmetric int8 weights of a rank, with a single scale or a scale for each channel along the axis. */
static bool weights(const TfLiteTensor *tensor, int rank, int axis) {
    if (!tensor || tensor->type != kTfLiteInt8 || tensor->dims->size != rank) return false;
    const TfLiteAffineQuantization *q = affine(tensor);
    if (!q || !q->scale || !q->zero_point) return false;
    for (int i = 0; i < q->zero_point->size; ++i) {
        if (q->zero_point->data[i] != 0) return false;
    }
    return q->scale->size == 1 || (q->quantized_dimension == axis && q->scale->size == tensor->dims->data[axis]);
}

static bool takes_sum_of_products(const Call *call, int rank, int axis) {
    const TfLiteTensor *bias = call->input[2];
    if (!weights(call->input[1], rank, axis)) return false;
    return !bias || (bias->type == kTfLiteInt32 && elements(bias) == call->input[1]->dims->data[axis]);
}

static bool takes_conv(const Call *call) {
    if (!takes_sum_of_products(call, 4, 0) || call->input[0]->dims->size != 4) return false;
    const int *filter = call->input[1]->dims->data;
    int depth = call->input[0]->dims->data[3];
    return filter[3] > 0 && depth % filter[3] == 0 && depth > 0 && filter[0] % (depth / filter[3]) == 0;
}

static bool takes_depthwise(const Call *call) {
    if (!takes_sum_of_products(call, 4, 3) || call->input[0]->dims->size != 4) return false;
    int depth = call->input[0]->dims->data[3];
    return depth > 0 && call->input[1]->dims->data[3] % depth == 0;
}

bool takes(const Call *call) {
    if (!per_tensor(call->input[0]) || !per_tensor(call->output)) return false;
    switch (call->code) {
        case kConv2d:
            return takes_conv(call);
        case kDepthwiseConv2d:
            return takes_depthwise(call);
        case kFullyConnected:
            return takes_sum_of_products(call, 2, 0) && call->input[1]->dims->data[1] > 0;
        case kAveragePool2d:
            return call->input[0]->dims->size == 4;
        case kAdd:
        case kMul:
            return per_tensor(call->input[1]);
        case kMean: {
            const TfLiteTensor *axes = call->input[1];
            return axes && axes->type == kTfLiteInt32 && axes->allocation_type == kTfLiteMmapRo;
        }
        case kSvdf:
            return takes_svdf(call);
        default:
            return call->code == kQuantize || call->code == kLeakyRelu || call->code == kLogistic;
    }
}

void compute_all(const Call *call) {
    switch (call->code) {
        case kConv2d:
            conv_2d(call);
            break;
        case kDepthwiseConv2d:
            depthwise_conv_2d(call);
            break;
        case kFullyConnected:
            fully_connected(call);
            break;
        case kAveragePool2d:
            average_pool_2d(call);
            break;
        case kAdd:
            add(call);
            break;
        case kMul:
            mul(call);
            break;
        case kMean:
            mean(call);
            break;
        case kQuantize:
            quantize(call);
            break;
        case kLeakyRelu:
            leaky_relu(call);
            break;
        case kLogistic:
            logistic(call);
            break;
        case kSvdf:
            svdf(call);
            break;
    }
    first_image(call);
}
