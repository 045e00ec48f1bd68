/* Declarations of the TfLite C interface for external delegates, written by hand for ai-edge-litert 2.3.0.
 *
 * The wheel has no headers and exports no TfLite symbol: all functions are pointers in TfLiteContext. The runtime
 * adds fields at the end of a struct only. Structs that the runtime owns are therefore declared up to their last used
 * member; TfLiteRegistration and TfLiteDelegate are created here and are complete. Types that the delegate passes on
 * without reading them are void pointers.
 */
#ifndef LITECHECK_TESTS_DELEGATE_ABI_H
#define LITECHECK_TESTS_DELEGATE_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;
typedef enum { kTfLiteInt32 = 2, kTfLiteUInt8 = 3, kTfLiteInt16 = 7, kTfLiteInt8 = 9 } TfLiteType;
typedef enum { kTfLitePaddingUnknown = 0, kTfLitePaddingSame = 1, kTfLitePaddingValid = 2 } TfLitePadding;
typedef enum { kTfLiteActNone = 0, kTfLiteActRelu = 1, kTfLiteActReluN1To1 = 2, kTfLiteActRelu6 = 3 } TfLiteActivation;
typedef enum { kTfLiteMmapRo = 1, kTfLiteDynamic = 4 } TfLiteAllocationType;
enum { kTfLiteAffineQuantization = 1 };

/* Codes of BuiltinOperator in the schema. */
enum {
    kAdd = 0,
    kAveragePool2d = 1,
    kConv2d = 3,
    kDepthwiseConv2d = 4,
    kFullyConnected = 9,
    kLogistic = 14,
    kMul = 18,
    kSvdf = 27,
    kMean = 40,
    kDelegateNode = 51,
    kLeakyRelu = 98,
    kQuantize = 114,
};

typedef struct {
    int size;
    int data[];
} TfLiteIntArray;

typedef struct {
    int size;
    float data[];
} TfLiteFloatArray;

typedef struct {
    TfLiteFloatArray *scale;
    TfLiteIntArray *zero_point;
    int32_t quantized_dimension;
} TfLiteAffineQuantization;

typedef struct {
    int type;
    void *params;
} TfLiteQuantization;

typedef struct {
    float scale;
    int32_t zero_point;
} TfLiteQuantizationParams;

typedef struct TfLiteTensor {
    TfLiteType type;
    void *data;
    TfLiteIntArray *dims;
    TfLiteQuantizationParams params;
    TfLiteAllocationType allocation_type;
    size_t bytes;
    const void *allocation;
    const char *name;
    void *delegate;
    int buffer_handle;
    bool data_is_stale;
    bool is_variable;
    TfLiteQuantization quantization;
    void *sparsity;
    const TfLiteIntArray *dims_signature;
} TfLiteTensor;

typedef struct TfLiteNode {
    TfLiteIntArray *inputs;
    TfLiteIntArray *outputs;
    TfLiteIntArray *intermediates;
    TfLiteIntArray *temporaries;
    void *user_data;
    void *builtin_data;
} TfLiteNode;

typedef struct TfLiteContext TfLiteContext;
typedef struct TfLiteDelegate TfLiteDelegate;

typedef struct TfLiteRegistration {
    void *(*init)(TfLiteContext *, const char *buffer, size_t length);
    void (*free)(TfLiteContext *, void *data);
    TfLiteStatus (*prepare)(TfLiteContext *, TfLiteNode *);
    TfLiteStatus (*invoke)(TfLiteContext *, TfLiteNode *);
    const char *(*profiling_string)(const TfLiteContext *, const TfLiteNode *);
    int32_t builtin_code;
    const char *custom_name;
    int version;
    void *registration_external;
    void *(*async_kernel)(TfLiteContext *, TfLiteNode *);
    uint64_t inplace_operator;
} TfLiteRegistration;

struct TfLiteContext {
    size_t tensors_size;
    TfLiteStatus (*GetExecutionPlan)(TfLiteContext *, TfLiteIntArray **plan);
    TfLiteTensor *tensors;
    void *impl;
    TfLiteStatus (*ResizeTensor)(TfLiteContext *, TfLiteTensor *, TfLiteIntArray *shape); /* frees shape */
    void (*ReportError)(TfLiteContext *, const char *format, ...);
    TfLiteStatus (*AddTensors)(TfLiteContext *, int count, int *first);
    TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext *, int index, TfLiteNode **, TfLiteRegistration **);
    TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(
        TfLiteContext *, TfLiteRegistration, const TfLiteIntArray *nodes, TfLiteDelegate *);
};

/* Content of the buffer that the init function of a delegate kernel receives. */
typedef struct {
    TfLiteDelegate *delegate;
    TfLiteIntArray *nodes_to_replace;
    TfLiteIntArray *input_tensors;
    TfLiteIntArray *output_tensors;
} TfLiteDelegateParams;

struct TfLiteDelegate {
    void *data;
    TfLiteStatus (*Prepare)(TfLiteContext *, TfLiteDelegate *);
    TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext *, TfLiteDelegate *, int handle, TfLiteTensor *);
    TfLiteStatus (*CopyToBufferHandle)(TfLiteContext *, TfLiteDelegate *, int handle, TfLiteTensor *);
    void (*FreeBufferHandle)(TfLiteContext *, TfLiteDelegate *, int *handle);
    int64_t flags;
    void *opaque_delegate_builder;
};

/* Options of the operators: types of TfLiteNode.builtin_data. */
typedef struct {
    int rank;
    TfLiteActivation activation;
} TfLiteSVDFParams;

typedef struct {
    TfLitePadding padding;
    int stride_width, stride_height;
    TfLiteActivation activation;
    int dilation_width, dilation_height;
} TfLiteConvParams;

typedef struct {
    TfLitePadding padding;
    int stride_width, stride_height;
    int depth_multiplier;
    TfLiteActivation activation;
    int dilation_width, dilation_height;
} TfLiteDepthwiseConvParams;

typedef struct {
    TfLitePadding padding;
    int stride_width, stride_height;
    int filter_width, filter_height;
    TfLiteActivation activation;
} TfLitePoolParams;

/* Beginning of the options of FULLY_CONNECTED, ADD and MUL. */
typedef struct {
    TfLiteActivation activation;
} TfLiteFusedParams;

typedef struct {
    float alpha;
} TfLiteLeakyReluParams;

#endif
