/* Operators: conditions of the delegated nodes, and kernels. */
#ifndef LITECHECK_TESTS_DELEGATE_KERNELS_H
#define LITECHECK_TESTS_DELEGATE_KERNELS_H

#include <stdbool.h>

#include "abi.h"
#include "settings.h"

enum { OPERANDS = 5, RANK = 8 };

/* Operator, options and tensors of a node; an absent operand is NULL. */
typedef struct {
    int code;
    const void *params;
    Fault fault;
    const TfLiteTensor *input[OPERANDS];
    int inputs;
    TfLiteTensor *output;
} Call;

/* True if the delegate can compute the node: int8, per-tensor quantization except for weights, known shapes. */
bool takes(const Call *call);

/* Compute the output, with all faults. */
void compute(const Call *call);

/* Compute the output, with all faults except those of extents.c. */
void compute_all(const Call *call);

int64_t elements(const TfLiteTensor *tensor);

/* Kernels of the operators. */
void conv_2d(const Call *call);
void depthwise_conv_2d(const Call *call);
void fully_connected(const Call *call);
void average_pool_2d(const Call *call);
void add(const Call *call);
void mul(const Call *call);
void mean(const Call *call);
void quantize(const Call *call);
void leaky_relu(const Call *call);
void logistic(const Call *call);

#endif
