/* Device as a C program that computes all runs of a case in one start, without a library.
 *
 *     gcc -O2 examples/device.c -o device -lm
 *     litecheck verify model.tflite --arithmetic tflm --device 'command:./device {model} {runs}'
 *
 * It supports two int8 operators, FULLY_CONNECTED and RESHAPE, and reports all other operators as not supported. Sums
 * are rescaled as in LiteRT for Microcontrollers: a doubling high product, then a rounding shift. Tensors are raw
 * bytes: input_0.bin and output_0.bin contain all runs in order. Without variables, "reset" of runs.json has no effect.
 * The machine must be little-endian. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 77, MOST_TENSORS = 4096, MOST_ENDS = 16, PATH = 4096 };
enum { FULLY_CONNECTED = 9, RESHAPE = 22, INT32 = 2, INT8 = 9, NO_ACTIVATION = 0, RELU = 1 };

static void stop(int status, const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(status);
}

/* --- Files ------------------------------------------------------------------------------------------------------- */

static uint8_t *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) stop(1, "a file cannot be read");
    fclose(file);
    return bytes;
}

/* --- Flatbuffer: tables with optional fields, vectors by offset -------------------------------------------------- */

static uint32_t word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Address of a field of a table; NULL if the field is missing. */
static const uint8_t *field(const uint8_t *table, int number) {
    const uint8_t *layout = table - (int32_t)word(table);
    uint16_t size, offset;
    memcpy(&size, layout, sizeof size);
    if (4 + 2 * number >= size) return NULL;
    memcpy(&offset, layout + 4 + 2 * number, sizeof offset);
    return offset ? table + offset : NULL;
}

static uint32_t number(const uint8_t *table, int which) {
    const uint8_t *at = field(table, which);
    return at ? word(at) : 0;
}

static uint8_t byte(const uint8_t *table, int which) {
    const uint8_t *at = field(table, which);
    return at ? *at : 0;
}

/* Target of an offset field: a table, or a vector (its length, then its elements). */
static const uint8_t *inner(const uint8_t *table, int which) {
    const uint8_t *at = table ? field(table, which) : NULL;
    return at ? at + word(at) : NULL;
}

static uint32_t length(const uint8_t *vector) {
    return vector ? word(vector) : 0;
}

static int32_t entry(const uint8_t *vector, uint32_t n) {
    return (int32_t)word(vector + 4 + 4 * n);
}

static const uint8_t *table(const uint8_t *vector, uint32_t n) {
    const uint8_t *at = vector + 4 + 4 * n;
    return at + word(at);
}

/* --- A model: fields by their numbers in LiteRT's schema --------------------------------------------------------- */

typedef struct {
    int type;
    uint32_t size; /* in elements */
    uint32_t rows; /* the first dimension */
    const uint8_t *scales;
    int32_t zero;
    uint8_t *data;
    int constant;
} Tensor;

static Tensor tensors[MOST_TENSORS];

static Tensor tensor(const uint8_t *model, const uint8_t *described) {
    Tensor made = {.type = byte(described, 1), .size = 1, .rows = 1};
    const uint8_t *shape = inner(described, 0), *quantization = inner(described, 4);
    for (uint32_t n = 0; n < length(shape); ++n) made.size *= (uint32_t)entry(shape, n);
    if (length(shape)) made.rows = (uint32_t)entry(shape, 0);
    made.scales = inner(quantization, 2);
    const uint8_t *zeros = inner(quantization, 3);
    if (length(zeros)) made.zero = entry(zeros, 0); /* the low half of 64 bits */
    const uint8_t *data = inner(table(inner(model, 4), number(described, 2)), 0);
    made.constant = length(data) > 0;
    made.data = made.constant ? (uint8_t *)data + 4 : calloc(made.size + 1, 4);
    if (!made.data) stop(1, "there is no memory for a tensor");
    return made;
}

static float scale(const Tensor *of, uint32_t channel) {
    float value;
    memcpy(&value, of->scales + 4 + 4 * (length(of->scales) > 1 ? channel : 0), sizeof value);
    return value;
}

/* --- FULLY_CONNECTED --------------------------------------------------------------------------------------------- */

/* x * multiplier * 2^(shift - 31), rounded twice. */
static int32_t rescaled(int32_t x, int32_t multiplier, int shift) {
    int left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
    int64_t product = (int64_t)(int32_t)((uint32_t)x << left) * multiplier;
    int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
    int32_t high = (int32_t)((product + nudge) / ((int64_t)1 << 31));
    int32_t mask = (int32_t)(((int64_t)1 << right) - 1), rest = high & mask;
    return (high >> right) + (rest > (mask >> 1) + (high < 0));
}

static void fully_connected(const Tensor *x, const Tensor *w, const Tensor *b, Tensor *y, int activation) {
    uint32_t units = w->rows, depth = w->size / units;
    for (uint32_t n = 0; n < y->size; ++n) {
        uint32_t unit = n % units, row = n / units;
        const int8_t *in = (const int8_t *)x->data + row * depth, *weights = (const int8_t *)w->data + unit * depth;
        int32_t sum = b ? entry(b->data - 4, unit) : 0;
        for (uint32_t k = 0; k < depth; ++k) sum += (in[k] - x->zero) * weights[k];
        int shift;
        double real = (double)scale(x, 0) * scale(w, unit) / scale(y, 0), mantissa = frexp(real, &shift);
        int64_t fixed = (int64_t)round(mantissa * 2147483648.0);
        if (fixed == (int64_t)1 << 31) fixed /= 2, ++shift;
        int32_t made = y->zero + rescaled(sum, (int32_t)fixed, shift);
        int32_t low = activation == RELU && y->zero > -128 ? y->zero : -128;
        ((int8_t *)y->data)[n] = (int8_t)(made < low ? low : made > 127 ? 127 : made);
    }
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

static const Tensor *operand(const uint8_t *indices, uint32_t n) {
    return n < length(indices) && entry(indices, n) >= 0 ? &tensors[entry(indices, n)] : NULL;
}

/* Compute one operator. With ``only_asked``, only check if it is supported. */
static void run(const uint8_t *model, const uint8_t *operator, int only_asked) {
    const uint8_t *code = table(inner(model, 1), number(operator, 0)), *options = inner(operator, 4);
    uint32_t kind = number(code, 3) ? number(code, 3) : byte(code, 0);
    const uint8_t *inputs = inner(operator, 1);
    const Tensor *x = operand(inputs, 0), *w = operand(inputs, 1), *b = operand(inputs, 2);
    Tensor *y = &tensors[entry(inner(operator, 2), 0)];
    if (kind == RESHAPE && x->type == INT8) {
        if (!only_asked) memcpy(y->data, x->data, y->size);
    } else if (kind == FULLY_CONNECTED && x->type == INT8 && w->type == INT8 && w->constant && !w->zero
               && (!b || b->type == INT32) && (!options || byte(options, 0) <= RELU)) {
        if (!only_asked) fully_connected(x, w, b, y, options ? byte(options, 0) : NO_ACTIVATION);
    } else {
        stop(NOT_SUPPORTED, "there is only FULLY_CONNECTED and RESHAPE, in int8");
    }
}

/* File of an input or output of all runs. */
static FILE *opened(const char *runs, const char *kind, uint32_t number, const char *mode) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%ss/%s_%u.bin", runs, kind, kind, (unsigned)number);
    FILE *file = fopen(path, mode);
    if (!file) stop(1, "a file of inputs or outputs cannot be opened");
    return file;
}

/* Compute runs until the end of the inputs. The outputs of a run are written before the next run starts. */
static void invoke(const uint8_t *model, const uint8_t *graph, const char *runs) {
    const uint8_t *inputs = inner(graph, 1), *outputs = inner(graph, 2), *operators = inner(graph, 3);
    FILE *in[MOST_ENDS], *out[MOST_ENDS];
    if (length(inputs) > MOST_ENDS || length(outputs) > MOST_ENDS) stop(NOT_SUPPORTED, "there are too many inputs");
    for (uint32_t n = 0; n < length(inputs); ++n) in[n] = opened(runs, "input", n, "rb");
    for (uint32_t n = 0; n < length(outputs); ++n) out[n] = opened(runs, "output", n, "wb");
    for (;;) {
        for (uint32_t n = 0; n < length(inputs); ++n) {
            const Tensor *to = &tensors[entry(inputs, n)];
            if (fread(to->data, 1, to->size, in[n]) != to->size) return;
        }
        for (uint32_t n = 0; n < length(operators); ++n) run(model, table(operators, n), 0);
        for (uint32_t n = 0; n < length(outputs); ++n) {
            const Tensor *from = &tensors[entry(outputs, n)];
            if (fwrite(from->data, 1, from->size, out[n]) != from->size) stop(1, "an output cannot be written");
            fflush(out[n]);
        }
    }
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        puts("example device in C 1.0");
        return 0;
    }
    if (count != 3) stop(2, "usage: device MODEL RUNS");
    size_t size;
    uint8_t *file = contents(words[1], &size);
    if (!file) stop(1, "the model cannot be read");
    const uint8_t *model = file + word(file), *graph = table(inner(model, 2), 0);
    const uint8_t *described = inner(graph, 0), *operators = inner(graph, 3);
    if (length(described) > MOST_TENSORS) stop(NOT_SUPPORTED, "there are too many tensors");
    for (uint32_t n = 0; n < length(described); ++n) tensors[n] = tensor(model, table(described, n));
    for (uint32_t n = 0; n < length(operators); ++n) run(model, table(operators, n), 1);
    if (length(inner(graph, 1))) invoke(model, graph, words[2]);
    return 0;
}
