#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

static const char *const fault_names[FAULTS] = {
    [EXACT] = "none",
    [HALF_UP] = "half-up",
    [SINGLE_ROUNDING] = "single-rounding",
    [SINGLE_AND_CHANNEL] = "single-and-channel",
    [FLOAT32] = "float32",
    [TRUNCATE] = "truncate",
    [FLOOR] = "floor",
    [REDUCED_MULTIPLIER] = "reduced-multiplier",
    [ADD_SINGLE_ROUNDING] = "add-single-rounding",
    [NO_INPUT_ZERO_POINT] = "no-input-zero-point",
    [NO_OUTPUT_ZERO_POINT] = "no-output-zero-point",
    [NO_BIAS] = "no-bias",
    [SWAPPED_STRIDES] = "swapped-strides",
    [WEIGHTS_31_FOR_32] = "weights-31-for-32",
    [OFFSET_16] = "offset-16",
    [ZERO_PADDING] = "zero-padding",
    [NO_OUTPUT_CLAMP] = "no-output-clamp",
    [WRAP_OUTPUT] = "wrap-output",
    [ACCUMULATOR_16] = "accumulator-16",
    [ACCUMULATOR_24] = "accumulator-24",
    [ACCUMULATOR_16_DEEP] = "accumulator-16-deep",
    [FLOAT16_SUMS] = "float16-sums",
    [NEIGHBOUR_BIAS] = "neighbour-bias",
    [BIAS_16_WRAPS] = "bias-16-wraps",
    [SWAPPED_SCALES] = "swapped-scales",
    [ZERO_POINT_INT8] = "zero-point-int8",
    [PER_TENSOR_SCALE] = "per-tensor-scale",
    [U8S8] = "u8s8",
    [SAME_PADDING] = "same-padding",
    [POOL_TRUNCATE] = "pool-truncate",
    [PAST_IGNORED] = "past-ignored",
    [FIRST_IMAGE] = "first-image",
    [DILATION_W] = "dilation-w",
};

static const char *const mode_names[MODES] = {
    [WELL] = "well",
    [CRASH] = "crash",
    [ABORT] = "abort",
    [HANG] = "hang",
    [REFUSE] = "refuse",
    [REFUSE_INVOKE] = "refuse-invoke",
    [WRONG_SHAPE] = "wrong-shape",
    [WRONG_TYPE] = "wrong-type",
    [CORRUPT] = "corrupt",
    [EXIT_0] = "exit0",
    [NOTHING] = "nothing",
    [FLAKY] = "flaky",
    [CLAIMS_NONE] = "claims-none",
    [MEMORY] = "memory",
    [NOISY] = "noisy",
    [PREVIOUS] = "previous",
    [ONE_IN_200] = "one-in-200",
    [STALE_LAST] = "stale-last",
};

const int known_codes[KNOWN] = {
    kConv2d, kDepthwiseConv2d, kFullyConnected, kAdd, kMul, kAveragePool2d, kMean, kQuantize, kLeakyRelu, kLogistic,
    kSvdf,
};

static const char *const operator_names[KNOWN] = {
    "CONV_2D",         "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD",        "MUL",
    "AVERAGE_POOL_2D", "MEAN",              "QUANTIZE",        "LEAKY_RELU", "LOGISTIC",
    "SVDF",
};

int known(int code) {
    for (int i = 0; i < KNOWN; ++i) {
        if (known_codes[i] == code) return i;
    }
    return -1;
}

/* Return the index of a word, given by its length, in a table; -1 if it is missing. */
static int place(const char *word, size_t length, const char *const *names, int count) {
    for (int i = 0; i < count; ++i) {
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) return i;
    }
    return -1;
}

static bool complain(void (*report)(const char *), const char *what, const char *word, size_t length) {
    char message[160];
    snprintf(message, sizeof message, "the test delegate knows no %s '%.*s'", what, (int)length, word);
    if (report) report(message);
    return false;
}

/* Read a list of operators, such as CONV_2D+ADD, as bits. */
static bool read_operators(unsigned *bits, const char *text, void (*report)(const char *)) {
    *bits = 0;
    while (*text) {
        size_t length = strcspn(text, "+");
        int found = place(text, length, operator_names, KNOWN);
        if (found < 0) return complain(report, "operator", text, length);
        *bits |= 1u << found;
        text += length + (text[length] == '+');
    }
    return true;
}

static bool set(Settings *settings, const char *key, const char *value, void (*report)(const char *)) {
    size_t length = strlen(value);
    if (strcmp(key, "ops") == 0) return read_operators(&settings->operators, value, report);
    if (strcmp(key, "at") == 0) return read_operators(&settings->at, value, report);
    if (strcmp(key, "fault") == 0) {
        int found = place(value, length, fault_names, FAULTS);
        settings->fault = found < 0 ? EXACT : (Fault)found;
        return found >= 0 || complain(report, "fault", value, length);
    }
    if (strcmp(key, "mode") == 0) {
        int found = place(value, length, mode_names, MODES);
        settings->mode = found < 0 ? WELL : (Mode)found;
        return found >= 0 || complain(report, "mode", value, length);
    }
    return complain(report, "option", key, strlen(key));
}

bool read_settings(
    Settings *settings, char **keys, char **values, size_t count, void (*report)(const char *message)) {
    static const char *const variables[][2] = {
        {"ops", "LITECHECK_DELEGATE_OPS"},
        {"at", "LITECHECK_DELEGATE_AT"},
        {"fault", "LITECHECK_DELEGATE_FAULT"},
        {"mode", "LITECHECK_DELEGATE_MODE"},
    };
    *settings = (Settings){.operators = ~0u, .at = ~0u, .fault = EXACT, .mode = WELL};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i][1]);
        if (value && *value && !set(settings, variables[i][0], value, report)) return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!set(settings, keys[i], values[i], report)) return false;
    }
    return true;
}
