/* Simulator of an NPU in C99 without a library: it computes 33 int8 operators as LiteRT's reference kernels do,
 * and runs a conformance suite from its folder. docs/suite.md has the layout, docs/arithmetic.md the arithmetic.
 *
 *     litecheck suite make --profile litert-int8 -o suite
 *     cc -std=c99 -O2 examples/npu.c -o npu -lm
 *     mkdir results
 *     jq -r '.cases[] | select(.broken == "") | .name' suite/manifest.json | ./npu suite results
 *     litecheck suite judge suite results --claims examples/npu-claims.yaml
 *
 * With -DFAULT=n, or n as a third argument, it has fault n of the list below. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef FAULT
#define FAULT_FIXED
#else
static int fault;
#define FAULT fault
#endif
#define F(n) (FAULT == (n))

/* Faults: number, operator, kind, description.
 *
 * 1 CONV_2D geometry: the window has at most 3 columns
 * 2 CONV_2D geometry: the window has at most 5 rows
 * 3 CONV_2D geometry: the output column has 6 bits in the address of the input
 * 4 CONV_2D geometry: output columns from 128 are not written
 * 5 CONV_2D geometry: the input row has 8 bits
 * 6 CONV_2D geometry: all images read the first image
 * 7 CONV_2D geometry: the image number has 2 bits
 * 8 CONV_2D geometry: the horizontal stride is used for both directions
 * 9 CONV_2D geometry: strides above 2 are 2
 * 10 CONV_2D geometry: the horizontal dilation is used for both directions
 * 11 CONV_2D geometry: dilation is ignored with a stride above 1
 * 12 CONV_2D geometry: the odd column of SAME padding is on the left
 * 13 CONV_2D geometry: SAME padding ignores the dilation
 * 14 CONV_2D geometry: input channels behind the last block of 16 are dropped
 * 15 CONV_2D geometry: the input channel has 8 bits
 * 16 CONV_2D geometry: the bias buffer has 64 entries
 * 17 CONV_2D geometry: the last block of 8 output channels, if partial, has the multiplier of its first channel
 * 18 CONV_2D geometry: the address of a weight has 16 bits
 * 19 CONV_2D geometry: the address of an input has 16 bits
 * 20 CONV_2D geometry: the address of an output has 15 bits
 * 21 CONV_2D geometry: a window of 1x1 ignores the stride
 * 22 CONV_2D geometry: a window of N rows and 1 column is read along a row
 * 23 CONV_2D geometry: the fast path of 1x1 windows computes the first image only
 * 24 CONV_2D geometry: an image of one row has no padding on its left
 * 25 CONV_2D geometry: the last column of a tile of 16 output columns lacks the right column of the window
 * 26 CONV_2D geometry: the last row of a tile of 8 output rows lacks the lower row of the window
 * 27 CONV_2D arithmetic: padding is 0 instead of the zero point
 * 28 CONV_2D arithmetic: all channels have the multiplier of the first channel
 * 29 CONV_2D arithmetic: sums saturate to 16 bits
 * 30 CONV_2D arithmetic: the bias saturates to 16 bits
 * 31 CONV_2D arithmetic: the product is rounded once
 * 32 CONV_2D arithmetic: the product is rounded toward zero
 * 33 CONV_2D arithmetic: the input zero point is missing
 * 34 CONV_2D arithmetic: RELU6 is computed as RELU
 * 35 CONV_2D arithmetic: the bias is missing
 * 36 CONV_2D arithmetic: the output keeps its lowest eight bits
 * 37 CONV_2D arithmetic: ties of the second rounding go up
 * 38 CONV_2D arithmetic: sums have 20 bits
 * 41 DEPTHWISE_CONV_2D geometry: output channel c reads input channel c modulo the input channels
 * 42 DEPTHWISE_CONV_2D geometry: the depth multiplier is at most 4
 * 43 DEPTHWISE_CONV_2D geometry: channels behind the last block of 8 read the weights of the channel before
 * 44 DEPTHWISE_CONV_2D geometry: the vertical dilation is ignored
 * 45 DEPTHWISE_CONV_2D geometry: the horizontal stride is used for both directions
 * 46 DEPTHWISE_CONV_2D geometry: the odd row of SAME padding is at the top
 * 47 DEPTHWISE_CONV_2D geometry: the window has at most 7 rows
 * 48 DEPTHWISE_CONV_2D geometry: the channel has 8 bits
 * 49 DEPTHWISE_CONV_2D geometry: all images read the first image
 * 50 DEPTHWISE_CONV_2D geometry: the last column of a tile of 32 output columns lacks the right column of the window
 * 51 DEPTHWISE_CONV_2D geometry: the address of an input has 16 bits
 * 52 DEPTHWISE_CONV_2D geometry: the multiplier buffer has 32 entries
 * 53 DEPTHWISE_CONV_2D geometry: a window of 1 row and N columns is read along a column
 * 54 DEPTHWISE_CONV_2D geometry: a stride has 2 bits
 * 55 DEPTHWISE_CONV_2D arithmetic: padding is 0 instead of the zero point
 * 56 DEPTHWISE_CONV_2D arithmetic: the bias is rescaled apart
 * 57 DEPTHWISE_CONV_2D arithmetic: the product is rounded once
 * 58 DEPTHWISE_CONV_2D arithmetic: the output saturates before its zero point is added
 * 59 DEPTHWISE_CONV_2D arithmetic: sums of 16 bits wrap
 * 60 DEPTHWISE_CONV_2D arithmetic: the fused activation is missing
 * 61 FULLY_CONNECTED geometry: the depth is at most 1024
 * 62 FULLY_CONNECTED geometry: the input index has 12 bits
 * 63 FULLY_CONNECTED geometry: the unit has 8 bits in the address of the weights
 * 64 FULLY_CONNECTED geometry: rows from the fifth are not computed
 * 65 FULLY_CONNECTED geometry: inputs behind the last block of 4 are dropped
 * 66 FULLY_CONNECTED geometry: the last block of 16 units, if partial, has the bias of its first unit
 * 67 FULLY_CONNECTED geometry: the number of rows is the first dimension of the input
 * 68 FULLY_CONNECTED geometry: the address of a weight has 16 bits
 * 69 FULLY_CONNECTED geometry: a single unit has no bias
 * 70 FULLY_CONNECTED geometry: units from 1000 are not written
 * 71 FULLY_CONNECTED geometry: the first input of an odd depth counts twice
 * 72 FULLY_CONNECTED arithmetic: ties are rounded to even
 * 73 FULLY_CONNECTED arithmetic: the output zero point is missing
 * 74 FULLY_CONNECTED arithmetic: all units have the scale of the first unit
 * 75 FULLY_CONNECTED arithmetic: sums saturate to 20 bits
 * 76 FULLY_CONNECTED arithmetic: weights of -127 are -126
 * 77 FULLY_CONNECTED arithmetic: the fused activation is missing
 * 81 AVERAGE_POOL_2D geometry: the divisor includes padding
 * 82 AVERAGE_POOL_2D geometry: the divisor has 8 bits
 * 83 AVERAGE_POOL_2D geometry: channels behind the last block of 16 read the channel before
 * 84 AVERAGE_POOL_2D geometry: the vertical stride is used for both directions
 * 85 AVERAGE_POOL_2D geometry: all images read the first image
 * 86 AVERAGE_POOL_2D geometry: the input column has 8 bits
 * 87 AVERAGE_POOL_2D geometry: the window has at most 8 columns
 * 88 AVERAGE_POOL_2D arithmetic: the quotient is rounded toward zero
 * 89 AVERAGE_POOL_2D arithmetic: ties of negative quotients go up
 * 90 AVERAGE_POOL_2D arithmetic: sums saturate to 12 bits
 * 91 MAX_POOL_2D geometry: padding counts as 0
 * 92 MAX_POOL_2D geometry: the window has at most 4 rows
 * 93 MAX_POOL_2D geometry: a stride is at most the window
 * 94 MAX_POOL_2D geometry: the image number has 1 bit
 * 95 MAX_POOL_2D geometry: the channel has 7 bits
 * 96 MAX_POOL_2D geometry: the odd column of SAME padding is on the left
 * 97 MAX_POOL_2D geometry: the last column of a tile of 8 output columns lacks the right column of the window
 * 98 MAX_POOL_2D arithmetic: the start value is 0
 * 99 MAX_POOL_2D arithmetic: the fused activation is missing
 * 101 ADD geometry: an lhs of one element has the length of the output 1
 * 102 ADD geometry: a broadcast lhs reads its first element
 * 103 ADD geometry: broadcasting in the middle is an index modulo the size
 * 104 ADD geometry: dimensions before the last four are ignored
 * 105 ADD geometry: the address of an output has 16 bits
 * 106 ADD geometry: elements behind the last block of 16 are copies of lhs
 * 107 ADD geometry: elements behind the last block of 4 are not written
 * 108 ADD geometry: a tensor that is both operands is read once, and rhs is its zero point
 * 109 ADD geometry: an operand of lower rank is aligned with the first dimension
 * 110 ADD geometry: both operands broadcast: rhs repeats its first row
 * 111 ADD geometry: the broadcast row has 8 bits
 * 112 ADD geometry: a constant has at most 1024 elements
 * 113 SUB geometry: a smaller lhs is exchanged with rhs
 * 114 SUB geometry: a tensor that is both operands gives zero point plus 1
 * 115 MUL geometry: a tensor that is both operands is multiplied without its zero point
 * 116 MUL geometry: a scalar rhs is used for the first row only
 * 117 MUL geometry: the batch of rhs is always 0
 * 118 MAXIMUM geometry: the batch of rhs is always 0
 * 119 MINIMUM geometry: elements behind the last block of 8 are copies of rhs
 * 120 LESS geometry: a broadcast lhs reads its first element
 * 121 EQUAL geometry: elements behind the last block of 32 are false
 * 122 ADD arithmetic: the left shift is 16
 * 123 ADD arithmetic: the zero point of rhs is that of lhs
 * 124 ADD arithmetic: the product of the sum is rounded once
 * 125 ADD arithmetic: the fused activation is missing
 * 126 SUB arithmetic: the sum saturates to the zero point of the output at its upper end
 * 127 MUL arithmetic: the product of -128 and -128 saturates to 16383
 * 128 MUL arithmetic: the product is rounded toward zero
 * 129 GREATER arithmetic: stored values are compared without scales
 * 131 CONCATENATION geometry: operands from the fifth are dropped
 * 132 CONCATENATION geometry: a negative axis is the first
 * 133 CONCATENATION geometry: all operands have the length of the first
 * 134 CONCATENATION geometry: a row has at most 256 bytes
 * 135 CONCATENATION geometry: an operand that occurs twice is copied once
 * 136 PAD geometry: padding before the first dimension is ignored
 * 137 PAD geometry: padding before the width is at most 4
 * 138 PAD geometry: padding behind the last dimension is 0
 * 139 PADV2 geometry: rank 5 is padded as if the last dimension had no padding
 * 140 PADV2 arithmetic: the value is the zero point
 * 141 TRANSPOSE geometry: the permutation is inverted
 * 142 TRANSPOSE geometry: an index has 6 bits
 * 143 TRANSPOSE geometry: rank 5 keeps its last dimension at the end
 * 144 TRANSPOSE geometry: rows behind the last block of 4 are not written, if the last dimension moves
 * 145 MEAN geometry: the axes are those of an image
 * 146 MEAN geometry: the count has 8 bits
 * 147 MEAN geometry: a negative axis is the first
 * 148 MEAN geometry: all images read the first image
 * 149 MEAN arithmetic: sums saturate to 16 bits
 * 150 MEAN arithmetic: the zero point is subtracted once
 * 151 RESHAPE geometry: bytes from 65536 are not copied
 * 152 RESHAPE geometry: bytes behind the last block of 4 are not copied
 * 153 SQUEEZE geometry: bytes from 256 are not copied
 * 154 SLICE geometry: the begin of the first dimension is ignored
 * 155 SLICE geometry: a size of -1 is the whole dimension
 * 156 SLICE geometry: the begin of the last dimension is rounded down to a multiple of 4
 * 157 SLICE geometry: rank 5 ignores the begin of the second dimension
 * 158 GATHER geometry: the axis is 0
 * 159 GATHER geometry: an index has 7 bits
 * 160 GATHER geometry: rows of more than 64 bytes are cut
 * 161 SPACE_TO_DEPTH geometry: the block is 2
 * 162 SPACE_TO_DEPTH geometry: the columns of a block come before the rows
 * 163 SPACE_TO_DEPTH geometry: all images read the first image
 * 164 SPACE_TO_BATCH_ND geometry: padding on the left is ignored
 * 165 SPACE_TO_BATCH_ND arithmetic: padding is 0 instead of the zero point
 * 166 BATCH_TO_SPACE_ND geometry: the crop at the top is ignored
 * 167 BATCH_TO_SPACE_ND geometry: the vertical block is used for both directions
 * 168 ARG_MAX geometry: the axis is the last
 * 169 ARG_MAX geometry: an index has 8 bits
 * 170 ARG_MAX arithmetic: the last of equal values wins
 * 171 SOFTMAX geometry: rows have at most 512 elements
 * 172 SOFTMAX geometry: rows behind the last block of 4 are not computed
 * 173 SOFTMAX geometry: a rank above 2 is one row
 * 174 SOFTMAX arithmetic: beta is 1
 * 175 SOFTMAX arithmetic: the difference is at most 127
 * 176 SOFTMAX arithmetic: sums of exponentials have two bits less
 * 177 LOGISTIC geometry: elements from 4096 are not written
 * 178 LOGISTIC arithmetic: stored values are table indices without a sign
 * 179 LOGISTIC arithmetic: entries are truncated
 * 180 TANH geometry: elements behind the last block of 16 are not written
 * 181 TANH arithmetic: the table has 128 entries
 * 182 QUANTIZE geometry: elements behind the last block of 8 are not written
 * 183 QUANTIZE arithmetic: the product is rounded once
 * 184 QUANTIZE arithmetic: the input zero point is missing */

/* --- Files and flatbuffers, as in device.c ------------------------------------------------------------------------ */

enum { NAME = 1024, MOST_DIMS = 8, MOST_OPERANDS = 16, MOST_TENSORS = 64 };
enum { FLOAT32 = 0, INT32 = 2, INT64 = 4, INT8 = 9 };

static uint8_t *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

static uint32_t word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static const uint8_t *field(const uint8_t *table, int number) {
    const uint8_t *layout = table - (int32_t)word(table);
    uint16_t size, offset;
    memcpy(&size, layout, sizeof size);
    if (4 + 2 * number >= size) return NULL;
    memcpy(&offset, layout + 4 + 2 * number, sizeof offset);
    return offset ? table + offset : NULL;
}

static int32_t number(const uint8_t *table, int which, int32_t absent) {
    const uint8_t *at = table ? field(table, which) : NULL;
    return at ? (int32_t)word(at) : absent;
}

static float real(const uint8_t *table, int which) {
    int32_t bits = number(table, which, 0);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int byte(const uint8_t *table, int which) {
    const uint8_t *at = table ? field(table, which) : NULL;
    return at ? *at : 0;
}

static const uint8_t *inner(const uint8_t *table, int which) {
    const uint8_t *at = table ? field(table, which) : NULL;
    return at ? at + word(at) : NULL;
}

static int length(const uint8_t *vector) { return vector ? (int)word(vector) : 0; }

static int32_t entry(const uint8_t *vector, int n) { return (int32_t)word(vector + 4 + 4 * n); }

static const uint8_t *table(const uint8_t *vector, int n) { return vector + 4 + 4 * n + word(vector + 4 + 4 * n); }

/* --- Tensors ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int type, rank, width, constant; /* width of an element in bytes */
    int32_t dim[MOST_DIMS], zero;
    int64_t size; /* in elements */
    const uint8_t *scales;
    uint8_t *data;
} Tensor;

static Tensor tensors[MOST_TENSORS];

static Tensor tensor(const uint8_t *model, const uint8_t *described) {
    Tensor made = {.type = byte(described, 1), .size = 1};
    const uint8_t *shape = inner(described, 0), *quantization = inner(described, 4);
    made.rank = length(shape);
    made.width = made.type == INT64 ? 8 : made.type == FLOAT32 || made.type == INT32 ? 4 : 1;
    for (int n = 0; n < made.rank && n < MOST_DIMS; ++n) made.size *= made.dim[n] = entry(shape, n);
    made.scales = inner(quantization, 2);
    if (length(inner(quantization, 3))) made.zero = entry(inner(quantization, 3), 0);
    const uint8_t *data = inner(table(inner(model, 4), number(described, 2, 0)), 0);
    made.constant = length(data) > 0;
    made.data = calloc((size_t)made.size + 1, (size_t)made.width);
    if (made.constant) memcpy(made.data, data + 4, (size_t)(made.size * made.width));
    return made;
}

static float scale(const Tensor *of, int channel) {
    float value;
    memcpy(&value, of->scales + 4 + 4 * (length(of->scales) > 1 ? channel : 0), sizeof value);
    return value;
}

static int8_t *bytes(const Tensor *of) { return (int8_t *)of->data; }

static int32_t index_at(const Tensor *of, int n) { return (int32_t)word(of->data + n * of->width); }

/* A dimension of an NHWC tensor; a window without an image dimension is not possible. */
static int batches(const Tensor *t) { return t->dim[0]; }
static int height(const Tensor *t) { return t->dim[1]; }
static int columns(const Tensor *t) { return t->dim[2]; }
static int depth(const Tensor *t) { return t->dim[3]; }

static int64_t at(const Tensor *t, int n, int h, int w, int c) {
    return (((int64_t)n * t->dim[1] + h) * t->dim[2] + w) * t->dim[3] + c;
}

/* --- Fixed point -------------------------------------------------------------------------------------------------- */

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* a * b / 2^31, to nearest, ties away from zero in the sense of LiteRT: a nudge, then a division. */
static int64_t high_product(int64_t a, int64_t b) {
    int64_t product = a * b, nudge = product >= 0 ? 1LL << 30 : 1 - (1LL << 30);
    return a == INT32_MIN && b == INT32_MIN ? INT32_MAX : (product + nudge) / (1LL << 31);
}

static int64_t shifted(int64_t value, int bits) {
    return bits ? (value + (1LL << (bits - 1)) - (value < 0)) >> bits : value;
}

typedef struct {
    int32_t m;
    int shift;
} Multiplier;

static Multiplier multiplier(double from) {
    Multiplier made;
    int64_t fixed = (int64_t)round(frexp(from, &made.shift) * 2147483648.0);
    if (fixed == 1LL << 31) fixed /= 2, ++made.shift;
    if (made.shift < -31) fixed = made.shift = 0;
    made.m = (int32_t)fixed;
    return made;
}

static int64_t rescaled(int64_t value, Multiplier by) {
    int up = by.shift > 0 ? by.shift : 0;
    return shifted(high_product((int32_t)((uint64_t)value << up), by.m), up - by.shift);
}

static int64_t rescaled_once(int64_t value, Multiplier by) {
    return (value * by.m + (1LL << (30 - by.shift))) >> (31 - by.shift);
}

static int64_t rescaled_to_zero(int64_t value, Multiplier by) {
    int64_t size = ((value < 0 ? -value : value) * by.m) >> (31 - by.shift);
    return value < 0 ? -size : size;
}

/* Bounds of a fused activation. */
typedef struct {
    int low, high;
} Bounds;

static Bounds bounds(const Tensor *y, int activation) {
    Bounds made = {-128, 127};
    float step = y->scales ? scale(y, 0) : 1;
    if (activation == 1 || activation == 3) made.low = (int)clamp(y->zero, -128, 127);
    if (activation == 3) made.high = (int)clamp(y->zero + (int64_t)roundf(6 / step), -128, 127);
    if (activation == 2) {
        made.low = (int)clamp(y->zero + (int64_t)roundf(-1 / step), -128, 127);
        made.high = (int)clamp(y->zero + (int64_t)roundf(1 / step), -128, 127);
    }
    return made;
}

/* --- Windows ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int rows, columns, stride_h, stride_w, dilation_h, dilation_w, top, left;
} Window;

static int before(int in, int out, int window, int stride, int dilation) {
    int total = (out - 1) * stride + (window - 1) * dilation + 1 - in;
    return total > 0 ? total / 2 : 0;
}

static int odd(int in, int out, int window, int stride, int dilation) {
    int total = (out - 1) * stride + (window - 1) * dilation + 1 - in;
    return total > 0 ? total % 2 : 0;
}

static void pad(Window *at, const Tensor *x, const Tensor *y, int valid) {
    at->top = valid ? 0 : before(height(x), height(y), at->rows, at->stride_h, at->dilation_h);
    at->left = valid ? 0 : before(columns(x), columns(y), at->columns, at->stride_w, at->dilation_w);
}

static int down(int value, int block) { return value - value % block; }

static void convolution(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Window k, Bounds to, int valid) {
    int group = depth(w), groups = depth(x) / group, zero = x->zero;
    if (F(8)) k.stride_h = k.stride_w;
    if (F(9)) k.stride_h = (int)clamp(k.stride_h, 1, 2), k.stride_w = (int)clamp(k.stride_w, 1, 2);
    if (F(10)) k.dilation_h = k.dilation_w;
    if (F(11) && (k.stride_h > 1 || k.stride_w > 1)) k.dilation_h = k.dilation_w = 1;
    if (F(21) && k.rows == 1 && k.columns == 1) k.stride_h = k.stride_w = 1;
    pad(&k, x, y, valid);
    if (F(12) && !valid) k.left += odd(columns(x), columns(y), k.columns, k.stride_w, k.dilation_w);
    if (F(13) && !valid) k.left = before(columns(x), columns(y), k.columns, k.stride_w, 1);
    if (F(24) && height(x) == 1) k.left = 0;
    if (F(33)) zero = 0;
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int64_t sum = 0, bias = b ? index_at(b, F(16) ? c % 64 : c) : 0;
                    int image = F(6) ? 0 : F(7) ? n & 3 : n, first = c / (depth(y) / groups) * group;
                    int used = F(14) && group > 16 ? down(group, 16) : group;
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int across = F(22) && k.columns == 1 && k.rows > 1;
                            int row = oy * k.stride_h - k.top + (across ? 0 : i * k.dilation_h);
                            int column = (F(3) ? ox & 63 : ox) * k.stride_w - k.left + (across ? i : j) * k.dilation_w;
                            if ((F(1) && j > 2) || (F(2) && i > 4)) continue;
                            if (F(25) && ox % 16 == 15 && j && j == k.columns - 1) continue;
                            if (F(26) && oy % 8 == 7 && i && i == k.rows - 1) continue;
                            if (F(5)) row = row < 0 ? row : row & 255;
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            if (out && !F(27)) continue;
                            for (int d = 0; d < used; ++d) {
                                int64_t from = out ? 0 : at(x, image, row, column, first + (F(15) ? d & 255 : d));
                                int64_t weight = at(w, c, i, j, d);
                                int stored = out ? 0 : bytes(x)[F(19) ? from & 65535 : from];
                                sum += (int64_t)(stored - zero) * bytes(w)[F(18) ? weight & 65535 : weight];
                                if (F(29)) sum = clamp(sum, -32768, 32767);
                            }
                        }
                    int channel = F(28) ? 0 : F(17) && c >= down(depth(y), 8) ? down(c, 8) : c;
                    Multiplier m = multiplier((double)scale(x, 0) * scale(w, channel) / scale(y, 0));
                    if (F(30)) bias = clamp(bias, -32768, 32767);
                    if (F(35)) bias = 0;
                    sum = (int32_t)(sum + bias); /* wraps */
                    if (F(38)) sum = clamp(sum, -524288, 524287);
                    int64_t made = F(31) ? rescaled_once(sum, m) : F(32) ? rescaled_to_zero(sum, m) : rescaled(sum, m);
                    if (F(37) && m.shift < 0) made = (2 * high_product(sum, m.m) + (1LL << -m.shift)) >> (1 - m.shift);
                    int64_t to_byte = at(y, n, oy, ox, c);
                    made = F(36) ? (int8_t)(made + y->zero) : made + y->zero;
                    if ((F(4) && ox >= 128) || (F(23) && n && k.rows == 1 && k.columns == 1)) continue;
                    bytes(y)[F(20) ? to_byte & 32767 : to_byte] = (int8_t)clamp(made, to.low, to.high);
                }
}

static void depthwise(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Window k, Bounds to, int valid) {
    int times = depth(y) / depth(x);
    if (F(44)) k.dilation_h = 1;
    if (F(45)) k.stride_h = k.stride_w;
    if (F(54)) k.stride_h = k.stride_h & 3 ? k.stride_h & 3 : 1, k.stride_w = k.stride_w & 3 ? k.stride_w & 3 : 1;
    pad(&k, x, y, valid);
    if (F(46) && !valid) k.top += odd(height(x), height(y), k.rows, k.stride_h, k.dilation_h);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int from = F(41) ? c % depth(x) : F(42) && times > 4 ? c / times * (c % times < 4) : c / times;
                    int weights = F(43) && c >= down(depth(y), 8) && c ? c - 1 : c;
                    int64_t sum = 0, bias = b ? index_at(b, c) : 0;
                    if (F(48)) from &= 255;
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int along = F(53) && k.rows == 1 && k.columns > 1;
                            int row = oy * k.stride_h - k.top + (along ? j : i) * k.dilation_h;
                            int column = ox * k.stride_w - k.left + (along ? 0 : j * k.dilation_w);
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            if ((F(47) && i > 6) || (out && !F(55))) continue;
                            if (F(50) && ox % 32 == 31 && j && j == k.columns - 1) continue;
                            int64_t place = out ? 0 : at(x, F(49) ? 0 : n, row, column, from);
                            int stored = out ? 0 : bytes(x)[F(51) ? place & 65535 : place];
                            sum += (int64_t)(stored - x->zero) * bytes(w)[at(w, 0, i, j, weights)];
                        }
                    Multiplier m = multiplier((double)scale(x, 0) * scale(w, F(52) ? c & 31 : c) / scale(y, 0));
                    if (F(59)) sum = (int16_t)sum;
                    int64_t made = F(56) ? rescaled(sum, m) + rescaled(bias, m) : F(57) ? rescaled_once(sum + bias, m)
                                                                                : rescaled((int32_t)(sum + bias), m);
                    if (F(58)) made = clamp(made, -128, 127);
                    if (F(60)) to.low = -128, to.high = 127;
                    bytes(y)[at(y, n, oy, ox, c)] = (int8_t)clamp(made + y->zero, to.low, to.high);
                }
}

static void fully_connected(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Bounds to) {
    int units = w->dim[0], deep = w->dim[1];
    for (int64_t n = 0; n < y->size; ++n) {
        int unit = (int)(n % units), used = deep;
        int64_t row = n / units, sum = 0, bias = 0;
        if (b) bias = index_at(b, F(66) && unit >= down(units, 16) ? down(unit, 16) : unit);
        if (F(61)) used = (int)clamp(used, 0, 1024);
        if (F(65) && deep > 4) used = down(deep, 4);
        if ((F(64) && row > 3) || (F(67) && row >= x->dim[0]) || (F(70) && unit >= 1000)) continue;
        for (int d = 0; d < used; ++d) {
            int64_t weight = (int64_t)(F(63) ? unit & 255 : unit) * deep + d;
            int stored = bytes(x)[row * deep + (F(62) ? d & 4095 : d)], by = bytes(w)[F(68) ? weight & 65535 : weight];
            sum += (int64_t)(stored - x->zero) * (F(76) && by == -127 ? -126 : by) * (F(71) && deep % 2 && !d ? 2 : 1);
        }
        if (!(F(69) && units == 1)) sum += bias;
        if (F(75)) sum = clamp(sum, -524288, 524287);
        double value = (int32_t)sum * ((double)scale(x, 0) * scale(w, F(74) ? 0 : unit) / scale(y, 0));
        if (F(77)) to.low = -128, to.high = 127;
        value = F(72) ? rint(value) : round(value);
        bytes(y)[n] = (int8_t)clamp((int64_t)value + (F(73) ? 0 : y->zero), to.low, to.high);
    }
}

static void average(const Tensor *x, const Tensor *y, Window k, Bounds to, int valid) {
    if (F(84)) k.stride_w = k.stride_h;
    pad(&k, x, y, valid);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int64_t sum = 0, count = 0;
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int row = oy * k.stride_h - k.top + i, column = ox * k.stride_w - k.left + j;
                            if (row < 0 || row >= height(x) || column < 0 || column >= columns(x)) continue;
                            if (F(87) && j > 7) continue;
                            int from = F(83) && c && c >= down(depth(x), 16) ? c - 1 : c;
                            sum += bytes(x)[at(x, F(85) ? 0 : n, row, F(86) ? column & 255 : column, from)], ++count;
                        }
                    if (F(81)) count = k.rows * k.columns;
                    if (F(82)) count = count & 255 ? count & 255 : 256;
                    if (F(90)) sum = clamp(sum, -2048, 2047);
                    if (!count) count = 1;
                    int64_t half = F(88) ? 0 : count / 2;
                    int64_t mean = sum > 0 ? (sum + half) / count : (sum - half) / count;
                    if (F(89)) mean = (int64_t)floor((double)sum / (double)count + 0.5);
                    bytes(y)[at(y, n, oy, ox, c)] = (int8_t)clamp(mean, to.low, to.high);
                }
}

static void maximum(const Tensor *x, const Tensor *y, Window k, Bounds to, int valid) {
    if (F(93) && k.stride_w > k.columns) k.stride_w = k.columns;
    if (F(93) && k.stride_h > k.rows) k.stride_h = k.rows;
    pad(&k, x, y, valid);
    if (F(96) && !valid) k.left += odd(columns(x), columns(y), k.columns, k.stride_w, 1);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int most = F(98) ? 0 : -128;
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int row = oy * k.stride_h - k.top + i, column = ox * k.stride_w - k.left + j;
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            if ((F(92) && i > 3) || (out && !F(91))) continue;
                            if (F(97) && ox % 8 == 7 && j && j == k.columns - 1) continue;
                            int value = out ? 0 : bytes(x)[at(x, F(94) ? n & 1 : n, row, column, F(95) ? c & 127 : c)];
                            if (value > most) most = value;
                        }
                    if (F(99)) to.low = -128, to.high = 127;
                    bytes(y)[at(y, n, oy, ox, c)] = (int8_t)clamp(most, to.low, to.high);
                }
}

/* --- Two inputs with broadcasting --------------------------------------------------------------------------------- */

static void split(int64_t n, const Tensor *of, int *index) {
    for (int d = of->rank - 1; d >= 0; --d) index[d] = (int)(n % of->dim[d]), n /= of->dim[d];
}

static int64_t joined(const Tensor *of, const int *index) {
    int64_t n = 0;
    for (int d = 0; d < of->rank; ++d) n = n * of->dim[d] + index[d];
    return n;
}

/* Element of an input for an index of the output. */
static int64_t spread(const Tensor *of, const Tensor *y, const int *index) {
    int64_t n = 0;
    for (int d = 0; d < of->rank; ++d) n = n * of->dim[d] + (of->dim[d] > 1 ? index[d + y->rank - of->rank] : 0);
    return n;
}

enum { ADD, SUB, MUL, MOST, LEAST, EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

static int64_t compare(int what, int64_t a, int64_t b) {
    return what == EQUAL ? a == b : what == NOT_EQUAL ? a != b : what == LESS ? a < b : what == LESS_EQUAL ? a <= b
           : what == GREATER ? a > b : a >= b;
}

static int64_t combined(int what, const Tensor *l, const Tensor *r, const Tensor *y, int a, int b) {
    int zero = F(123) && what == ADD ? l->zero : r->zero, up = F(122) && what == ADD ? 16 : 20;
    if (what == MOST) return a > b ? a : b;
    if (what == LEAST) return a < b ? a : b;
    if (what >= EQUAL) {
        if (F(129) && what == GREATER) return a > b;
        return compare(what, rescaled((int64_t)(a - l->zero) * 256, multiplier(scale(l, 0))),
                       rescaled((int64_t)(b - r->zero) * 256, multiplier(scale(r, 0))));
    }
    if (what == MUL) {
        Multiplier m = multiplier(scale(l, 0) * scale(r, 0) / scale(y, 0));
        int64_t product = (int64_t)(a - (F(115) && l == r ? 0 : l->zero)) * (b - zero);
        if (F(127)) product = clamp(product, -16384, 16383);
        return (F(128) ? rescaled_to_zero(product, m) : rescaled(product, m)) + y->zero;
    }
    double twice = 2 * (scale(l, 0) > scale(r, 0) ? scale(l, 0) : scale(r, 0));
    int64_t left = rescaled((int64_t)(a - l->zero) * (1 << up), multiplier(scale(l, 0) / twice));
    int64_t right = rescaled((int64_t)(b - zero) * (1 << up), multiplier(scale(r, 0) / twice));
    Multiplier m = multiplier(twice / ((1 << up) * (double)scale(y, 0)));
    int64_t sum = what == SUB ? left - right : left + right;
    return (F(124) && what == ADD ? rescaled_once(sum, m) : rescaled(sum, m)) + y->zero;
}

static int64_t faulty_left(int what, const Tensor *l, const Tensor *y, const int *index, int64_t n, int64_t sound) {
    if (((F(102) && what == ADD) || (F(120) && what == LESS)) && l->size < y->size) return 0;
    if (F(103) && what == ADD && l->size < y->size) return n % l->size;
    if (F(104) && what == ADD && l->rank > 4) return n % (l->size / l->dim[0]);
    if (F(109) && what == ADD && l->rank < y->rank && l->rank > 0) {
        int64_t made = 0;
        for (int d = 0; d < l->rank; ++d) made = made * l->dim[d] + (l->dim[d] > 1 ? index[d] % l->dim[d] : 0);
        return made;
    }
    if (F(111) && what == ADD && l->size < y->size && l->size > 1) return sound & 255;
    if (F(112) && what == ADD && l->constant) return sound & 1023;
    return sound;
}

static int64_t faulty_right(int what, const Tensor *l, const Tensor *r, const Tensor *y, int64_t n, int64_t sound) {
    int64_t image = r->rank > 1 ? r->size / r->dim[0] : r->size;
    if (((F(117) && what == MUL) || (F(118) && what == MOST)) && r->rank > 1) return sound % image;
    if (F(110) && what == ADD && r->size < y->size && l->size < y->size && r->rank) return sound % r->dim[r->rank - 1];
    if (F(111) && what == ADD && r->size < y->size && r->size > 1) return sound & 255;
    if (F(112) && what == ADD && r->constant) return sound & 1023;
    if (F(103) && what == ADD && r->size < y->size) return n % r->size;
    if (F(104) && what == ADD && r->rank > 4) return n % (r->size / r->dim[0]);
    return sound;
}

static void elementwise(int what, const Tensor *l, const Tensor *r, const Tensor *y, Bounds to) {
    int index[MOST_DIMS];
    if (F(113) && what == SUB && l->size < r->size) { const Tensor *other = l; l = r, r = other; }
    if ((F(125) && what == ADD)) to.low = -128, to.high = 127;
    if (F(126) && what == SUB && to.high == 127) to.high = (int)clamp(y->zero + 127, -128, 127);
    for (int64_t n = 0; n < y->size; ++n) {
        split(n, y, index);
        int a = bytes(l)[faulty_left(what, l, y, index, n, spread(l, y, index))];
        int b = bytes(r)[faulty_right(what, l, r, y, n, spread(r, y, index))];
        if (F(101) && what == ADD && l->size == 1 && n > 0) break;
        if (F(107) && what == ADD && n >= y->size - y->size % 4) break;
        if (F(121) && what == EQUAL && n >= y->size - y->size % 32) break;
        if (F(108) && what == ADD && l == r) b = r->zero;
        if (F(116) && what == MUL && r->size == 1 && y->rank && n >= y->dim[y->rank - 1]) b = r->zero;
        int64_t made = combined(what, l, r, y, a, b);
        if (F(106) && what == ADD && n >= y->size - y->size % 16) made = a;
        if (F(119) && what == LEAST && n >= y->size - y->size % 8) made = b;
        if (F(114) && what == SUB && l == r) made = y->zero + 1;
        bytes(y)[F(105) && what == ADD ? n & 65535 : n] = (int8_t)(what >= EQUAL ? made : clamp(made, to.low, to.high));
    }
}

/* --- One input ---------------------------------------------------------------------------------------------------- */

static void curve(int tanh_, const Tensor *x, const Tensor *y) {
    for (int64_t n = 0; n < y->size; ++n) {
        int stored = bytes(x)[n];
        if (F(177) && !tanh_ && n >= 4096) break;
        if (F(180) && tanh_ && n >= y->size - y->size % 16) break;
        if (F(178) && !tanh_) stored &= 255;
        if (F(181) && tanh_) stored = stored / 2 * 2;
        float v = scale(x, 0) * (float)(stored - x->zero);
        float made = (tanh_ ? (float)tanh(v) : 1 / (1 + (float)exp(-(double)v))) * (1 / scale(y, 0));
        bytes(y)[n] = (int8_t)clamp((int64_t)(F(179) && !tanh_ ? truncf(made) : roundf(made)) + y->zero, -128, 127);
    }
}

static void quantize(const Tensor *x, const Tensor *y) {
    for (int64_t n = 0; n < y->size; ++n) {
        if (F(182) && n >= y->size - y->size % 8) break;
        int64_t above = bytes(x)[n] - (F(184) ? 0 : x->zero);
        Multiplier m = multiplier((double)scale(x, 0) / scale(y, 0));
        int64_t made = F(183) ? rescaled_once(above, m) : rescaled(above, m);
        bytes(y)[n] = (int8_t)clamp(made + y->zero, -128, 127);
    }
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

static void softmax(const Tensor *x, const Tensor *y, float beta) {
    int deep = x->dim[x->rank - 1];
    double step = (double)(F(174) ? 1 : beta) * scale(x, 0) * (1 << 26);
    Multiplier m = multiplier(step < INT32_MAX ? step : INT32_MAX);
    int64_t farthest = -(int64_t)floor(31.0 * (1 << 26) / ldexp(1, m.shift)), rows = x->size / deep;
    if (F(173) && x->rank > 2) deep = (int)x->size, rows = 1;
    for (int64_t row = 0; row < rows; ++row) {
        const int8_t *in = bytes(x) + row * deep;
        int64_t most = -128, sum = 0;
        int zeros = 0, used = F(171) ? (int)clamp(deep, 0, 512) : deep;
        if (F(172) && row >= rows - rows % 4) break;
        for (int n = 0; n < used; ++n) most = in[n] > most ? in[n] : most;
        for (int n = 0; n < used; ++n) {
            int64_t under = F(175) ? clamp(in[n] - most, -127, 0) : in[n] - most;
            if (under >= farthest) sum += shifted(exponential(rescaled(under, m)), 12);
        }
        if (F(176)) sum &= ~3LL;
        while (zeros < 31 && !(sum << zeros & 1LL << 31)) ++zeros;
        int64_t inverse = reciprocal((sum << zeros) - (1LL << 31));
        for (int n = 0; n < used; ++n) {
            int64_t under = F(175) ? clamp(in[n] - most, -127, 0) : in[n] - most;
            int64_t share = under < farthest ? 0 : high_product(inverse, exponential(rescaled(under, m)));
            share = under < farthest ? -128 : shifted(share, 12 - zeros + 23) - 128;
            bytes(y)[row * deep + n] = (int8_t)clamp(share, -128, 127);
        }
    }
}

/* --- Reductions --------------------------------------------------------------------------------------------------- */

static int axis_of(const Tensor *x, int axis) { return axis < 0 ? axis + x->rank : axis; }

static void mean(const Tensor *x, const Tensor *axes, const Tensor *y) {
    int reduced[MOST_DIMS] = {0}, index[MOST_DIMS];
    int64_t count = 1, *sums = calloc((size_t)y->size + 1, sizeof *sums);
    for (int n = 0; n < axes->size; ++n) {
        int axis = index_at(axes, n);
        reduced[F(147) && axis < 0 ? 0 : axis_of(x, axis)] = 1;
    }
    if (F(145) && x->rank == 4) reduced[0] = reduced[3] = 0, reduced[1] = reduced[2] = 1;
    for (int d = 0; d < x->rank; ++d) count *= reduced[d] ? x->dim[d] : 1;
    for (int64_t n = 0; n < x->size; ++n) {
        int64_t to = 0;
        split(n, x, index);
        for (int d = 0; d < x->rank; ++d)
            if (!reduced[d]) to = to * x->dim[d] + index[d];
        int64_t from = F(148) ? n % (x->size / x->dim[0]) : n;
        if (to < y->size) sums[to] += bytes(x)[from];
        if (F(149) && to < y->size) sums[to] = clamp(sums[to], -32768, 32767);
    }
    if (F(146)) count = count & 255 ? count & 255 : 256;
    Multiplier m = multiplier((double)scale(x, 0) / scale(y, 0));
    int up = 0;
    while (up < 32 && up < 31 + m.shift && count >> (up + 1)) ++up;
    m.m = (int32_t)(((int64_t)m.m << up) / count), m.shift -= up;
    for (int64_t n = 0; n < y->size; ++n)
        bytes(y)[n] = (int8_t)clamp(rescaled(sums[n] - x->zero * (F(150) ? 1 : count), m) + y->zero, -128, 127);
    free(sums);
}

static void arg_max(const Tensor *x, const Tensor *axis, const Tensor *y) {
    int along = F(168) ? x->rank - 1 : axis_of(x, index_at(axis, 0));
    int64_t inside = 1, long_ = x->dim[along];
    for (int d = along + 1; d < x->rank; ++d) inside *= x->dim[d];
    for (int64_t n = 0; n < x->size / long_ && n < y->size; ++n) {
        const int8_t *in = bytes(x) + n / inside * inside * long_ + n % inside;
        int64_t best = 0;
        for (int64_t k = 1; k < long_; ++k)
            if (in[k * inside] > in[best * inside] || (F(170) && in[k * inside] == in[best * inside])) best = k;
        if (F(169)) best &= 255;
        memcpy(y->data + n * y->width, &best, (size_t)y->width); /* little-endian */
    }
}

/* --- Movement ----------------------------------------------------------------------------------------------------- */

static void copy(int squeeze, const Tensor *x, const Tensor *y) {
    int64_t size = y->size * y->width;
    if (F(151) && !squeeze) size = clamp(size, 0, 65536);
    if (F(152) && !squeeze) size -= size % 4;
    if (F(153) && squeeze) size = clamp(size, 0, 256);
    memcpy(y->data, x->data, (size_t)size);
}

static void concatenation(Tensor **parts, int count, const Tensor *y, int axis) {
    int along = F(132) && axis < 0 ? 0 : axis_of(y, axis);
    int64_t outside = 1, inside = 1, to = 0;
    for (int d = 0; d < along; ++d) outside *= y->dim[d];
    for (int d = along + 1; d < y->rank; ++d) inside *= y->dim[d];
    for (int64_t n = 0; n < outside; ++n)
        for (int p = 0; p < count; ++p) {
            int64_t size = parts[p]->dim[along] * inside, from = n * size, used = F(134) ? clamp(size, 0, 256) : size;
            if (F(133)) used = clamp(parts[0]->dim[along] * inside, 0, size);
            if (!(F(131) && p > 3) && !(F(135) && p && parts[p] == parts[p - 1]) && to + used <= y->size)
                memcpy(bytes(y) + to, bytes(parts[p]) + from, (size_t)used);
            to += size;
        }
}

static void padded(const Tensor *x, const Tensor *pads, const Tensor *value, const Tensor *y) {
    int index[MOST_DIMS], fill = !value || F(140) ? y->zero : bytes(value)[0];
    for (int64_t n = 0; n < y->size; ++n) {
        int out = 0, behind = 0;
        split(n, y, index);
        for (int d = 0; d < x->rank; ++d) {
            int first = index_at(pads, 2 * d);
            if (F(136) && d == 0 && !value) first = 0;
            if (F(137) && d == 2 && !value) first = first > 4 ? 4 : first;
            if (F(139) && d == 4 && value) first = 0;
            index[d] -= first;
            if (d == x->rank - 1 && index[d] >= x->dim[d]) behind = 1;
            out |= index[d] < 0 || index[d] >= x->dim[d];
        }
        bytes(y)[n] = (int8_t)(!out ? bytes(x)[joined(x, index)] : F(138) && behind && !value ? 0 : fill);
    }
}

static void transpose(const Tensor *x, const Tensor *order, const Tensor *y) {
    int index[MOST_DIMS], from[MOST_DIMS] = {0}, last = x->rank - 1;
    for (int64_t n = 0; n < y->size; ++n) {
        split(n, y, index);
        for (int d = 0; d < x->rank; ++d) {
            int to = axis_of(x, index_at(order, d));
            if (F(141)) from[d] = index[to] % x->dim[d];
            else from[to] = F(142) ? index[d] & 63 : index[d];
        }
        if (F(143) && x->rank == 5) from[last] = index[last] % x->dim[last];
        if (F(144) && axis_of(x, index_at(order, last)) != last && last && index[last - 1] >= down(y->dim[last - 1], 4)) continue;
        bytes(y)[n] = bytes(x)[joined(x, from)];
    }
}

static void slice(const Tensor *x, const Tensor *begin, const Tensor *size, const Tensor *y) {
    int index[MOST_DIMS];
    for (int64_t n = 0; n < y->size; ++n) {
        split(n, y, index);
        for (int d = 0; d < x->rank; ++d) {
            int first = index_at(begin, d);
            if ((F(154) && d == 0) || (F(157) && d == 1 && x->rank == 5)) first = 0;
            if (F(155) && index_at(size, d) == -1) first = 0;
            if (F(156) && d == x->rank - 1) first = down(first, 4);
            index[d] += first;
        }
        bytes(y)[n] = bytes(x)[joined(x, index)];
    }
}

static void gather(const Tensor *x, const Tensor *indices, const Tensor *y, int axis, int same) {
    int along = F(158) ? same : axis_of(x, axis);
    int64_t outside = 1, inside = 1, images = 1;
    for (int d = 0; d < same; ++d) images *= x->dim[d];
    for (int d = same; d < along; ++d) outside *= x->dim[d];
    for (int d = along + 1; d < x->rank; ++d) inside *= x->dim[d];
    int64_t each = indices->size / images, cut = F(160) ? clamp(inside, 0, 64) : inside;
    for (int64_t n = 0; n < images * outside * each; ++n) {
        int64_t image = n / (outside * each), row = n / each;
        int at_index = index_at(indices, (int)(image * each + n % each));
        if (F(159)) at_index &= 127;
        if ((n + 1) * inside <= y->size)
            memcpy(bytes(y) + n * inside, bytes(x) + (row * x->dim[along] + at_index) * inside, (size_t)cut);
    }
}

static void space_to_depth(const Tensor *x, const Tensor *y, int block) {
    int deep = depth(x), used = F(161) ? 2 : block;
    for (int n = 0; n < batches(y); ++n)
        for (int h = 0; h < height(y); ++h)
            for (int w = 0; w < columns(y); ++w)
                for (int c = 0; c < depth(y); ++c) {
                    int place = c / deep, row = place / used, column = place % used;
                    if (F(162)) row = place % used, column = place / used;
                    int64_t from = at(x, F(163) ? 0 : n, h * used + row, w * used + column, c % deep);
                    bytes(y)[at(y, n, h, w, c)] = bytes(x)[from < x->size ? from : 0];
                }
}

/* SPACE_TO_BATCH_ND of two blocked dimensions, or with one on rank 3. */
static void to_batch(const Tensor *x, const Tensor *block, const Tensor *pads, const Tensor *y) {
    int index[MOST_DIMS], blocked = (int)block->size;
    for (int64_t n = 0; n < y->size; ++n) {
        int out = 0, images = x->dim[0];
        split(n, y, index);
        int image = index[0] % images, place = index[0] / images;
        for (int d = blocked; d > 0; --d) {
            int by = index_at(block, d - 1), first = index_at(pads, 2 * (d - 1));
            if (F(164) && d == blocked) first = 0;
            index[d] = index[d] * by + place % by - first, place /= by;
            out |= index[d] < 0 || index[d] >= x->dim[d];
        }
        index[0] = image;
        bytes(y)[n] = out ? (int8_t)(F(165) ? 0 : y->zero) : bytes(x)[joined(x, index)];
    }
}

static void to_space(const Tensor *x, const Tensor *block, const Tensor *crops, const Tensor *y) {
    int index[MOST_DIMS], blocked = (int)block->size;
    for (int64_t n = 0; n < y->size; ++n) {
        int place = 0;
        split(n, y, index);
        for (int d = 1; d <= blocked; ++d) {
            int by = index_at(block, F(167) ? 0 : d - 1), first = index_at(crops, 2 * (d - 1));
            if (F(166) && d == 1) first = 0;
            int full = index[d] + first;
            index[d] = full / by, place = place * by + full % by;
        }
        index[0] += place * y->dim[0];
        int64_t from = joined(x, index);
        bytes(y)[n] = bytes(x)[from < x->size ? from : 0];
    }
}

/* --- A case ------------------------------------------------------------------------------------------------------- */

static Window window_of(const uint8_t *options, int kind, const Tensor *w) {
    Window k = {1, 1, number(options, 2, 1), number(options, 1, 1), 1, 1, 0, 0};
    if (kind == 1 || kind == 17) k.columns = number(options, 3, 1), k.rows = number(options, 4, 1);
    else k.rows = height(w), k.columns = columns(w);
    if (kind == 3) k.dilation_w = number(options, 4, 1), k.dilation_h = number(options, 5, 1);
    if (kind == 4) k.dilation_w = number(options, 5, 1), k.dilation_h = number(options, 6, 1);
    return k;
}

/* Operator by its number in LiteRT's schema; 0 if it is not supported. */
static int run(int kind, const uint8_t *options, Tensor **in, int count, const Tensor *y) {
    const Tensor *x = in[0], *w = in[1], *b = count > 2 ? in[2] : NULL;
    int valid = byte(options, 0);
    switch (kind) {
    case 0: elementwise(ADD, x, w, y, bounds(y, byte(options, 0))); break;
    case 1: average(x, y, window_of(options, kind, w), bounds(y, byte(options, 5)), valid); break;
    case 2: concatenation(in, count, y, number(options, 0, 0)); break;
    case 3: {
        Bounds to = bounds(y, F(34) && byte(options, 3) == 3 ? 1 : byte(options, 3));
        convolution(x, w, b, y, window_of(options, kind, w), to, valid);
        break;
    }
    case 4: depthwise(x, w, b, y, window_of(options, kind, w), bounds(y, byte(options, 4)), valid); break;
    case 9: fully_connected(x, w, b, y, bounds(y, byte(options, 0))); break;
    case 14: curve(0, x, y); break;
    case 17: maximum(x, y, window_of(options, kind, w), bounds(y, byte(options, 5)), valid); break;
    case 18: elementwise(MUL, x, w, y, bounds(y, byte(options, 0))); break;
    case 22: copy(0, x, y); break;
    case 25: softmax(x, y, real(options, 0)); break;
    case 26: space_to_depth(x, y, number(options, 0, 1)); break;
    case 28: curve(1, x, y); break;
    case 34: padded(x, w, NULL, y); break;
    case 36: gather(x, w, y, number(options, 0, 0), number(options, 1, 0)); break;
    case 37: to_space(x, w, b, y); break;
    case 38: to_batch(x, w, b, y); break;
    case 39: transpose(x, w, y); break;
    case 40: mean(x, w, y); break;
    case 41: elementwise(SUB, x, w, y, bounds(y, byte(options, 0))); break;
    case 43: copy(1, x, y); break;
    case 55: elementwise(MOST, x, w, y, bounds(y, 0)); break;
    case 56: arg_max(x, w, y); break;
    case 57: elementwise(LEAST, x, w, y, bounds(y, 0)); break;
    case 58: elementwise(LESS, x, w, y, bounds(y, 0)); break;
    case 60: padded(x, w, b, y); break;
    case 61: elementwise(GREATER, x, w, y, bounds(y, 0)); break;
    case 62: elementwise(GREATER_EQUAL, x, w, y, bounds(y, 0)); break;
    case 63: elementwise(LESS_EQUAL, x, w, y, bounds(y, 0)); break;
    case 65: slice(x, w, b, y); break;
    case 71: elementwise(EQUAL, x, w, y, bounds(y, 0)); break;
    case 72: elementwise(NOT_EQUAL, x, w, y, bounds(y, 0)); break;
    case 114: quantize(x, y); break;
    default: return 0;
    }
    return 1;
}

static void folders(char *path) {
    for (char *at = path + 1; *at; ++at)
        if (*at == '/') *at = 0, mkdir(path, 0777), *at = '/';
}

/* Compute all runs of a case into outputs/NAME/output-0.bin. Nothing is written for an unsupported operator or type. */
static void run_case(const char *suite, const char *results, const char *name) {
    char path[3 * NAME];
    size_t size, sizes[MOST_OPERANDS];
    uint8_t *given[MOST_OPERANDS];
    snprintf(path, sizeof path, "%s/cases/%s/model.tflite", suite, name);
    uint8_t *file = contents(path, &size);
    if (!file) fprintf(stderr, "no model: %s\n", path), exit(1);
    const uint8_t *model = file + word(file), *graph = table(inner(model, 2), 0), *operator = table(inner(graph, 3), 0);
    const uint8_t *code = table(inner(model, 1), number(operator, 0, 0)), *ends = inner(graph, 1);
    int kind = number(code, 3, 0) ? number(code, 3, 0) : byte(code, 0), count = length(inner(operator, 1)), all;
    for (all = 0; all < length(inner(graph, 0)); ++all) tensors[all] = tensor(model, table(inner(graph, 0), all));
    Tensor *in[MOST_OPERANDS] = {0}, *y = &tensors[entry(inner(operator, 2), 0)];
    for (int n = 0; n < count; ++n) {
        int which = entry(inner(operator, 1), n);
        in[n] = which < 0 ? NULL : &tensors[which];
    }
    int there = length(inner(graph, 3)) == 1 && length(ends) > 0
                && in[0]->type == INT8 && (y->type == INT8 || kind > 55);
    size_t runs = 0;
    for (int n = 0; there && n < length(ends); ++n) {
        const Tensor *to = &tensors[entry(ends, n)];
        snprintf(path, sizeof path, "%s/cases/%s/input-%d.bin", suite, name, n);
        given[n] = contents(path, &sizes[n]);
        runs = sizes[n] / (size_t)(to->size * to->width);
    }
    FILE *out = NULL;
    for (size_t r = 0; there && r < runs; ++r) {
        for (int n = 0; n < length(ends); ++n) {
            Tensor *to = &tensors[entry(ends, n)];
            size_t each = (size_t)(to->size * to->width);
            memcpy(to->data, given[n] + r * each, each);
        }
        memset(y->data, 0, (size_t)(y->size * y->width));
        if (!run(kind, inner(operator, 4), in, count, y)) break;
        snprintf(path, sizeof path, "%s/outputs/%s/output-0.bin", results, name);
        if (!out) folders(path), out = fopen(path, "wb");
        if (!out) fprintf(stderr, "cannot write: %s\n", path), exit(1);
        fwrite(y->data, (size_t)y->width, (size_t)y->size, out);
    }
    if (out) fclose(out);
    for (int n = 0; there && n < length(ends); ++n) free(given[n]);
    for (int n = 0; n < all; ++n) free(tensors[n].data);
    free(file);
}

int main(int count, char **words) {
    char name[NAME];
    if (count < 3) return fprintf(stderr, "usage: npu SUITE RESULTS [FAULT] < NAMES\n"), 2;
#ifndef FAULT_FIXED
    if (count > 3) fault = atoi(words[3]);
#endif
    while (fgets(name, sizeof name, stdin)) {
        name[strcspn(name, "\r\n")] = 0;
        if (*name) run_case(words[1], words[2], name);
    }
    return 0;
}
