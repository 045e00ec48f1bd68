/* SVDF, whose state is a variable tensor of the runtime, and the modes in which the output depends on previous
 * invocations. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"

bool takes_svdf(const Call *call) {
    const TfLiteSVDFParams *p = call->params;
    for (int i = 1; i < OPERANDS; ++i) {
        if (i != 3 && !call->input[i]) return false;
    }
    const TfLiteTensor *feature = call->input[1], *time = call->input[2], *bias = call->input[3], *state = call->input[4];
    if (p->activation != kTfLiteActRelu || p->rank < 1 || call->input[0]->dims->size != 2) return false;
    if (feature->type != kTfLiteInt8 || time->type != kTfLiteInt16 || state->type != kTfLiteInt16) return false;
    if (feature->dims->size != 2 || time->dims->size != 2 || !state->is_variable) return false;
    return !bias || bias->type == kTfLiteInt32;
}

/* Shift the state by a step, and compute the newest entry of each filter from the input. */
static void step(const Call *call, int batch, int filters, int steps) {
    const TfLiteTensor *feature = call->input[1], *memory = call->input[4];
    int inputs = feature->dims->data[1];
    float real = call->input[0]->params.scale * feature->params.scale / memory->params.scale;
    Multiplier by = multiplier(real, real);
    const int8_t *weights = feature->data, *input = (const int8_t *)call->input[0]->data + (int64_t)batch * inputs;
    int16_t *state = (int16_t *)memory->data + (int64_t)batch * filters * steps;
    for (int f = 0; f < filters; ++f, state += steps) {
        int64_t sum = 0;
        for (int n = 0; n < inputs; ++n) {
            sum += weights[(int64_t)f * inputs + n] * (input[n] - call->input[0]->params.zero_point);
        }
        for (int t = 0; t + 1 < steps; ++t) state[t] = call->fault == PAST_IGNORED ? 0 : state[t + 1];
        state[steps - 1] = (int16_t)clamped(rescale(EXACT, wrapped(sum), &by), INT16_MIN, INT16_MAX);
    }
}

void svdf(const Call *call) {
    const TfLiteSVDFParams *p = call->params;
    const TfLiteTensor *time = call->input[2], *bias = call->input[3], *memory = call->input[4];
    int filters = time->dims->data[0], steps = time->dims->data[1], units = filters / p->rank;
    float real = memory->params.scale * time->params.scale / call->output->params.scale;
    Multiplier by = multiplier(real, real);
    const int16_t *weights = time->data;
    int8_t *result = call->output->data;
    for (int n = 0; n < call->input[0]->dims->data[0]; ++n) {
        step(call, n, filters, steps);
        const int16_t *state = (const int16_t *)memory->data + (int64_t)n * filters * steps;
        for (int u = 0; u < units; ++u) {
            int64_t sum = bias ? ((const int32_t *)bias->data)[u] : 0;
            for (int64_t at = (int64_t)u * p->rank * steps; at < (int64_t)(u + 1) * p->rank * steps; ++at) {
                sum += (int64_t)state[at] * weights[at];
            }
            int64_t made = rescale(EXACT, wrapped(sum), &by) + call->output->params.zero_point;
            result[(int64_t)n * units + u] = (int8_t)clamped(made, INT8_MIN, INT8_MAX);
        }
    }
}

void first_image(const Call *call) {
    const TfLiteIntArray *shape = call->output->dims;
    if (call->fault != FIRST_IMAGE || shape->size < 2 || shape->data[0] < 2) return;
    size_t size = call->output->bytes / (size_t)shape->data[0];
    char *images = call->output->data;
    for (int n = 1; n < shape->data[0]; ++n) memcpy(images + (size_t)n * size, images, size);
}

/* Change an element of the output by 1 in every 200th invocation of the process. */
static void slip(const TfLiteTensor *output) {
    static unsigned invocations;
    if (++invocations % 200 == 0 && output->bytes) ((int8_t *)output->data)[invocations / 200 % output->bytes] ^= 1;
}

void remember(Mode mode, const TfLiteTensor *output, char **before) {
    char *data = output->data;
    if (mode == ONE_IN_200) slip(output);
    if ((mode != PREVIOUS && mode != STALE_LAST) || !output->bytes) return;
    char *now = malloc(output->bytes);
    if (!now) abort();
    memcpy(now, data, output->bytes);
    size_t kept = mode == STALE_LAST ? output->bytes - 1 : 0;
    if (*before) memcpy(data + kept, *before + kept, output->bytes - kept);
    free(*before);
    *before = now;
}
