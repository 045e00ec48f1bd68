/* Options of the delegate: operators, planted fault and mode. */
#ifndef LITECHECK_TESTS_DELEGATE_SETTINGS_H
#define LITECHECK_TESTS_DELEGATE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Planted faults, in every operator with the step concerned; settings.c has their names. The roundings are those of
 * x * m * 2^-s with a mantissa m of 31 bits. Without a fault it is rounded twice: the doubling high product half up,
 * the shift half away from zero. */
typedef enum {
    EXACT,
    HALF_UP,              /* the second shift rounds half up */
    SINGLE_ROUNDING,      /* one rounding of the whole product, half up */
    SINGLE_AND_CHANNEL,   /* SINGLE_ROUNDING, and the sixth channel of a sum of products has no bias */
    FLOAT32,              /* the product with a float32 multiplier, half to even */
    TRUNCATE,             /* the exact product, towards zero */
    FLOOR,                /* the exact product, towards minus infinity */
    REDUCED_MULTIPLIER,   /* m rounded to 15 fractional bits, then one shift half up */
    ADD_SINGLE_ROUNDING,  /* SINGLE_ROUNDING in the three rescalings of ADD only */
    NO_INPUT_ZERO_POINT,  /* the input zero point is not subtracted; padding is still the zero point */
    NO_OUTPUT_ZERO_POINT, /* the output's zero point is not added */
    NO_BIAS,              /* the bias is not added */
    SWAPPED_STRIDES,      /* the vertical and the horizontal stride are swapped */
    WEIGHTS_31_FOR_32,    /* channel 32 of a sum of products has the weights of channel 31 */
    OFFSET_16,            /* offsets of output elements have 16 bits */
    ZERO_PADDING,         /* SAME padding of convolutions has the stored value 0, not the zero point */
    NO_OUTPUT_CLAMP,      /* the fused activation is ignored; the result still saturates to int8 */
    WRAP_OUTPUT,          /* the result's low 8 bits are kept, then the fused activation applies */
    ACCUMULATOR_16,       /* sums saturate to 16 bits after every addition, tap by tap, the bias last */
    ACCUMULATOR_24,       /* the same with 24 bits */
    ACCUMULATOR_16_DEEP,  /* ACCUMULATOR_16 for sums of more than 256 products */
    FLOAT16_SUMS,         /* sums are rounded to float16 after every addition, tap by tap, the bias last */
    NEIGHBOUR_BIAS,       /* the last block of four channels has the bias of the channel before */
    BIAS_16_WRAPS,        /* the low 16 bits of the bias are kept */
    SWAPPED_SCALES,       /* the multipliers of channels 2n and 2n + 1 are swapped */
    ZERO_POINT_INT8,      /* the negated zero point of an input is int8: 128 becomes -128 */
    PER_TENSOR_SCALE,     /* the first channel's multiplier for all channels */
    U8S8,                 /* inputs + 128 as uint8; every two products saturate to int16 together */
    SAME_PADDING,         /* the odd element of SAME padding is before the image */
    POOL_TRUNCATE,        /* average pooling divides towards zero */
    PAST_IGNORED,         /* the state of SVDF is 0 before every invocation */
    FIRST_IMAGE,          /* all images of a batch equal the first */
    DILATION_W,           /* dilation is ignored along the width */
    FAULTS,
} Fault;

typedef enum {
    WELL,
    CRASH,         /* writes through a null pointer in invoke */
    ABORT,         /* abort() while the graph is prepared */
    HANG,          /* invoke does not return; all signals are blocked or ignored */
    REFUSE,        /* reports an error while the graph is prepared */
    REFUSE_INVOKE, /* reports an error in invoke */
    WRONG_SHAPE,   /* the output's last dimension is longer by 1 */
    WRONG_TYPE,    /* the output becomes uint8 */
    CORRUPT,       /* writes before its heap block after the output: free() aborts at teardown */
    EXIT_0,        /* ends the process in invoke with exit code 0 */
    NOTHING,       /* writes no output */
    FLAKY,         /* a random element differs by 1 in every second invocation of the process */
    CLAIMS_NONE,   /* delegates no operator */
    MEMORY,        /* allocates memory in invoke until it is exhausted */
    NOISY,         /* prints to standard output and standard error */
    PREVIOUS,      /* returns the output of the previous invocation */
    ONE_IN_200,    /* an element differs by 1 in every 200th invocation of the process */
    STALE_LAST,    /* the last element is that of the previous invocation */
    MODES,
} Mode;

enum { KNOWN = 11 };

/* Builtin codes of the operators that the delegate can compute, in the order of the bits below. */
extern const int known_codes[KNOWN];

typedef struct {
    unsigned operators; /* operators to compute: a bit for each of known_codes */
    unsigned at;        /* operators with the fault and the mode */
    Fault fault;
    Mode mode;
} Settings;

/* Return the index of a builtin code in known_codes, or -1. */
int known(int code);

/* Read the options ops=CONV_2D+ADD, at=ADD, fault=half-up, mode=crash. Missing options are read from the environment
 * (LITECHECK_DELEGATE_OPS, _AT, _FAULT, _MODE); the defaults are all operators, no fault and no failure. Report an
 * unknown word and return false. */
bool read_settings(
    Settings *settings, char **keys, char **values, size_t count, void (*report)(const char *message));

#endif
