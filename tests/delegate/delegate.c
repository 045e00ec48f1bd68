/* External delegate for tests: computes the selected operators like LiteRT's reference kernels, with a planted fault,
 * or fails in a planted way. settings.h describes its options. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "kernels.h"
#include "memory.h"
#include "settings.h"

/* Node computed by the delegate. */
typedef struct {
    int index;
    int code;
    const void *params;
    TfLiteIntArray *inputs;
    int output;
    Fault fault;
    Mode mode;
    size_t *block; /* CORRUPT: block whose allocator record is damaged, so that free() aborts */
    char *before;  /* PREVIOUS, STALE_LAST: output of the previous invocation */
} Kernel;

static bool concerned(const Settings *settings, int code) {
    return settings->at & 1u << known(code);
}

/* Return the current tensors of the node: the runtime may move them between inferences. */
static Call call_of(const TfLiteContext *context, const Kernel *kernel) {
    Call call = {.code = kernel->code, .params = kernel->params, .fault = kernel->fault};
    call.inputs = kernel->inputs->size < OPERANDS ? kernel->inputs->size : OPERANDS;
    for (int i = 0; i < call.inputs; ++i) {
        int index = kernel->inputs->data[i];
        call.input[i] = index < 0 ? NULL : &context->tensors[index];
    }
    call.output = &context->tensors[kernel->output];
    return call;
}

/* Return the kernel of a node of the original graph; index -1 if the delegate cannot compute it. */
static Kernel kernel_of(TfLiteContext *context, const Settings *settings, int index) {
    Kernel kernel = {.index = -1};
    TfLiteNode *node;
    TfLiteRegistration *registration;
    if (context->GetNodeAndRegistration(context, index, &node, &registration) != kTfLiteOk) return kernel;
    int place = known(registration->builtin_code);
    if (place < 0 || !(settings->operators & 1u << place) || node->outputs->size != 1) return kernel;
    kernel.code = registration->builtin_code;
    kernel.params = node->builtin_data;
    kernel.inputs = node->inputs;
    kernel.output = node->outputs->data[0];
    kernel.fault = concerned(settings, kernel.code) ? settings->fault : EXACT;
    kernel.mode = concerned(settings, kernel.code) ? settings->mode : WELL;
    Call call = call_of(context, &kernel);
    if (takes(&call) && kernel.mode != CLAIMS_NONE) kernel.index = index;
    return kernel;
}

static void *init(TfLiteContext *context, const char *buffer, size_t length) {
    (void)length;
    const TfLiteDelegateParams *params = (const TfLiteDelegateParams *)(const void *)buffer;
    Kernel *kernel = malloc(sizeof *kernel);
    if (!kernel) abort();
    *kernel = kernel_of(context, params->delegate->data, params->nodes_to_replace->data[0]);
    if (kernel->mode == CORRUPT) kernel->block = malloc(1 << 12);
    return kernel;
}

static void release(TfLiteContext *context, void *data) {
    (void)context;
    Kernel *kernel = data;
    free(kernel->block);
    free(kernel->before);
    free(kernel);
}

static TfLiteStatus lengthen(TfLiteContext *context, TfLiteTensor *output) {
    int rank = output->dims->size;
    TfLiteIntArray *shape = malloc(sizeof *shape + (size_t)(rank + 1) * sizeof *shape->data);
    if (!shape) return kTfLiteError;
    shape->size = rank > 0 ? rank : 1;
    shape->data[0] = 1;
    memcpy(shape->data, output->dims->data, (size_t)rank * sizeof *shape->data);
    ++shape->data[shape->size - 1];
    return context->ResizeTensor(context, output, shape);
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
    const Kernel *kernel = node->user_data;
    TfLiteTensor *output = &context->tensors[kernel->output];
    if (kernel->mode == WRONG_SHAPE) return lengthen(context, output);
    if (kernel->mode == WRONG_TYPE) output->type = kTfLiteUInt8;
    return kTfLiteOk;
}

static void hang(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; i < 4; ++i) signal((const int[]){SIGINT, SIGTERM, SIGHUP, SIGALRM}[i], SIG_IGN);
    for (;;) pause();
}

/* Allocate memory until it is exhausted or a terabyte is allocated, and free it. */
static TfLiteStatus exhaust(TfLiteContext *context) {
    const size_t size = (size_t)1 << 28;
    void **last = NULL;
    int blocks = 0;
    for (void **block; blocks < 1 << 12 && (block = malloc(size)); last = block, ++blocks) *block = last;
    for (void **before; last; last = before) {
        before = *last;
        free(last);
    }
    context->ReportError(context, "the test delegate is out of memory after %d MB", blocks * (int)(size >> 20));
    return kTfLiteError;
}

/* Fail in the planted way, if the mode has one, before the node is computed. */
static TfLiteStatus fail(TfLiteContext *context, const Kernel *kernel) {
    switch (kernel->mode) {
        case CRASH: {
            volatile char *volatile nowhere = NULL;
            *nowhere = 1;
            break;
        }
        case HANG:
            hang();
            break;
        case REFUSE_INVOKE:
            context->ReportError(context, "the test delegate refuses to compute node %d", kernel->index);
            return kTfLiteError;
        case EXIT_0:
            _exit(0);
        case MEMORY:
            return exhaust(context);
        case NOISY:
            printf("the test delegate computes node %d\n", kernel->index);
            fflush(stdout);
            fprintf(stderr, "the test delegate computes node %d\n", kernel->index);
            break;
        default:
            break;
    }
    return kTfLiteOk;
}

/* Change an element of the output by 1 in every second invocation of the process. */
static void disturb(const TfLiteTensor *output) {
    static unsigned invocations, state = 1;
    if (invocations++ % 2 == 0 || output->bytes == 0) return;
    state = state * 1664525u + 1013904223u;
    ((int8_t *)output->data)[(state >> 8) % output->bytes] ^= 1;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
    Kernel *kernel = node->user_data;
    TfLiteStatus status = fail(context, kernel);
    if (status != kTfLiteOk || kernel->mode == NOTHING) return status;
    Call call = call_of(context, kernel);
    if (kernel->mode == WRONG_SHAPE) {
        memset(call.output->data, 0, call.output->bytes);
        return kTfLiteOk;
    }
    compute(&call);
    if (kernel->mode == FLAKY) disturb(call.output);
    remember(kernel->mode, call.output, &kernel->before);
    if (kernel->mode == CORRUPT && kernel->block) kernel->block[-1] = ~(size_t)0; /* size field of the allocator */
    return kTfLiteOk;
}

/* Replace a single node, so that every output remains a tensor that the interpreter can return. */
static TfLiteStatus take(TfLiteContext *context, TfLiteDelegate *delegate, int index) {
    const TfLiteRegistration registration = {
        .init = init,
        .free = release,
        .prepare = prepare,
        .invoke = invoke,
        .builtin_code = kDelegateNode,
        .custom_name = "TestDelegate",
        .version = 1,
    };
    Kernel kernel = kernel_of(context, delegate->data, index);
    if (kernel.index < 0) return kTfLiteOk;
    if (kernel.mode == ABORT) abort();
    if (kernel.mode == REFUSE) {
        context->ReportError(context, "the test delegate refuses node %d", index);
        return kTfLiteError;
    }
    struct {
        int size;
        int data[1];
    } alone = {1, {index}};
    const TfLiteIntArray *nodes = (const TfLiteIntArray *)(const void *)&alone;
    return context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, nodes, delegate);
}

static TfLiteStatus prepare_graph(TfLiteContext *context, TfLiteDelegate *delegate) {
    TfLiteIntArray *plan;
    if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) return kTfLiteError;
    int count = plan->size;
    int *indexes = malloc((size_t)count * sizeof *indexes + 1);
    if (!indexes) return kTfLiteError;
    memcpy(indexes, plan->data, (size_t)count * sizeof *indexes); /* the replacement of nodes changes the plan */
    TfLiteStatus status = kTfLiteOk;
    for (int i = 0; i < count && status == kTfLiteOk; ++i) status = take(context, delegate, indexes[i]);
    free(indexes);
    return status;
}

#define EXPORTED __attribute__((visibility("default")))

/* Python passes a C int for the size_t of the interface: the low 32 bits are the count. */
EXPORTED TfLiteDelegate *tflite_plugin_create_delegate(
    char **keys, char **values, size_t count, void (*report)(const char *message)) {
    Settings *settings = malloc(sizeof *settings);
    TfLiteDelegate *delegate = calloc(1, sizeof *delegate);
    if (settings && delegate && read_settings(settings, keys, values, (unsigned)count, report)) {
        delegate->data = settings;
        delegate->Prepare = prepare_graph;
        return delegate;
    }
    free(settings);
    free(delegate);
    return NULL;
}

EXPORTED void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate) {
    if (delegate) free(delegate->data);
    free(delegate);
}
