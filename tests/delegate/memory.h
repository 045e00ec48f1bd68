/* Kernels and modes with state. */
#ifndef LITECHECK_TESTS_DELEGATE_MEMORY_H
#define LITECHECK_TESTS_DELEGATE_MEMORY_H

#include "kernels.h"

bool takes_svdf(const Call *call);

void svdf(const Call *call);

/* FIRST_IMAGE: replace all images of a batch by the first. */
void first_image(const Call *call);

/* Change the output by the mode, and keep it for the next invocation in before, which is NULL in the first. */
void remember(Mode mode, const TfLiteTensor *output, char **before);

#endif
