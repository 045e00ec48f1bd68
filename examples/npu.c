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
 * 184 QUANTIZE arithmetic: the input zero point is missing
 * 201 CONV_2D geometry: output channels behind the last block of 32 have no bias
 * 202 CONV_2D geometry: padding at the bottom is the last row of the image
 * 203 CONV_2D geometry: a column on the right of the image is the start of the next row
 * 204 CONV_2D geometry: all groups read the input channels of the first group
 * 205 CONV_2D geometry: the last of an odd number of input channels has the weight of the channel before
 * 206 CONV_2D geometry: a fused activation with a lower bound is also applied after 64 input channels
 * 207 CONV_2D geometry: the dilation is used between the first two taps only
 * 208 CONV_2D geometry: SAME padding assumes a size that is a multiple of the stride
 * 209 CONV_2D geometry: the address of a weight in its filter has 12 bits
 * 210 CONV_2D geometry: the multiplier buffer has 256 entries
 * 211 CONV_2D geometry: the last of an odd number of rows is written in the last image only
 * 212 CONV_2D geometry: with SAME padding, an image has output rows times stride rows
 * 213 CONV_2D arithmetic: sums of more than 512 products lose the lowest bit
 * 214 CONV_2D arithmetic: the correction for the input zero point has at most 64 channels
 * 215 DEPTHWISE_CONV_2D geometry: the scale is that of the input channel
 * 216 DEPTHWISE_CONV_2D geometry: the bias of channel c is that of c modulo the input channels
 * 217 DEPTHWISE_CONV_2D geometry: SAME padding at the top is half of the window
 * 218 DEPTHWISE_CONV_2D geometry: a dilation has 2 bits
 * 219 DEPTHWISE_CONV_2D geometry: the first row of a tile of 16 output rows lacks the upper row of the window
 * 220 DEPTHWISE_CONV_2D geometry: the address of a weight has 10 bits
 * 221 DEPTHWISE_CONV_2D geometry: the input column has 7 bits
 * 222 DEPTHWISE_CONV_2D geometry: the last row of the last of several images is not written if the rows are odd
 * 223 DEPTHWISE_CONV_2D arithmetic: the bias saturates to 18 bits
 * 224 DEPTHWISE_CONV_2D geometry: a window of an even number of columns begins a column earlier
 * 225 FULLY_CONNECTED geometry: a fused activation with a lower bound is also applied after 128 inputs
 * 226 FULLY_CONNECTED arithmetic: sums saturate to 22 bits after each 256 inputs
 * 227 FULLY_CONNECTED geometry: rows behind the last block of 4 read the first row behind it
 * 228 FULLY_CONNECTED geometry: units behind the last block of 32 are exchanged in pairs
 * 229 FULLY_CONNECTED geometry: rows of the input begin at multiples of 16
 * 230 FULLY_CONNECTED geometry: the scale buffer has 128 entries
 * 231 FULLY_CONNECTED arithmetic: the correction for the input zero point lacks inputs behind the last block of 8
 * 233 AVERAGE_POOL_2D geometry: the divisor includes padding at the bottom
 * 234 AVERAGE_POOL_2D arithmetic: the reciprocal of the divisor has 12 bits
 * 235 AVERAGE_POOL_2D geometry: the window has at most 16 rows
 * 236 AVERAGE_POOL_2D geometry: with VALID padding, an image has output rows times stride rows
 * 237 AVERAGE_POOL_2D arithmetic: the upper bound of RELU6 is missing
 * 238 MAX_POOL_2D geometry: a column on the left of the image is the end of the row before
 * 239 MAX_POOL_2D geometry: the last row of a tile of 32 output rows lacks the lower row of the window
 * 240 MAX_POOL_2D geometry: the window has at most 16 columns
 * 241 MAX_POOL_2D geometry: a stride has 2 bits
 * 242 MAX_POOL_2D geometry: the odd row of SAME padding is at the top
 * 243 ADD geometry: an rhs with one channel is repeated 64 times at most
 * 244 ADD geometry: the address of lhs has 14 bits
 * 245 ADD geometry: rank 5 ignores the second dimension of rhs
 * 246 ADD geometry: elements behind the last block of 16 lack the fused activation
 * 247 ADD arithmetic: an operand is shifted by at most 3
 * 248 SUB geometry: images from the second add an rhs that is broadcast
 * 249 SUB geometry: the address of an output has 12 bits
 * 250 MUL geometry: the batch of an lhs that is broadcast is always 0
 * 251 MUL arithmetic: a multiplier of 1 or more is halved until it is below 1
 * 252 MAXIMUM geometry: an rhs of one element is 0 from output 256
 * 253 MINIMUM geometry: an rhs of lower rank is aligned with the first dimension
 * 254 LESS_EQUAL geometry: elements behind the last block of 8 are compared with LESS
 * 255 GREATER_EQUAL geometry: broadcasting of rhs is an index modulo the size
 * 256 NOT_EQUAL geometry: elements from 1024 are not written
 * 257 GREATER geometry: a smaller lhs is exchanged with rhs
 * 258 CONCATENATION geometry: an operand begins at a multiple of 4
 * 259 CONCATENATION geometry: rows from 128 have the first operand only
 * 260 PAD geometry: padding before the height and the width are exchanged
 * 261 PADV2 geometry: padding of the first dimension is the zero point
 * 262 TRANSPOSE geometry: an index of the first input dimension has 2 bits
 * 263 TRANSPOSE geometry: rank 4 keeps its first dimension at the start
 * 264 MEAN geometry: elements of the last dimension behind the last block of 8 are not added
 * 265 MEAN geometry: axes from the third are ignored
 * 266 RESHAPE geometry: the number of blocks of 16 bytes has 8 bits
 * 267 SQUEEZE geometry: bytes behind the last block of 8 are not copied
 * 268 SLICE geometry: the begin of the second dimension has 5 bits
 * 269 SLICE geometry: bytes of a row behind the last block of 16 are not copied
 * 270 GATHER geometry: a negative axis is the first
 * 271 GATHER geometry: at most 64 indices are read
 * 272 GATHER geometry: all images read the first image
 * 273 SPACE_TO_DEPTH geometry: the input channel has 3 bits
 * 274 SPACE_TO_BATCH_ND geometry: the places of a block count columns before rows
 * 275 BATCH_TO_SPACE_ND geometry: the blocks of an image are consecutive in the batch
 * 276 ARG_MAX geometry: elements behind the last block of 16 are not compared
 * 277 SOFTMAX geometry: the maximum is that of the first 256 elements
 * 278 SOFTMAX geometry: sums of exponentials saturate to 24 bits
 * 279 LOGISTIC geometry: elements from the second image are not written
 * 280 TANH geometry: elements from 1024 are not written
 * 281 QUANTIZE arithmetic: a multiplier of 1 or more is halved until it is below 1
 * 282 QUANTIZE geometry: the address of an output has 15 bits
 * 301 CONV_2D geometry: the line buffer has 2,048 bytes
 * 302 CONV_2D geometry: output channels behind the last block of 16 lack the fused activation
 * 303 CONV_2D geometry: with a stride above 1, padding on the right is the last column
 * 304 CONV_2D geometry: the first sum of an image begins with the last sum of the image before
 * 305 CONV_2D geometry: with a dilation above 1, a column on the right is the start of the next row
 * 306 CONV_2D geometry: a block of 4 output channels reads the group of its first channel
 * 308 CONV_2D arithmetic: a right shift is at most 15
 * 309 DEPTHWISE_CONV_2D geometry: with a multiplier, channels behind the last block of 4 read the first channel behind it
 * 310 DEPTHWISE_CONV_2D geometry: the last row of a tile of 8 rows lacks the lower row of a dilated window
 * 311 DEPTHWISE_CONV_2D geometry: with VALID padding, a row has output columns times stride columns
 * 312 DEPTHWISE_CONV_2D arithmetic: an input minus its zero point saturates to 8 bits
 * 313 FULLY_CONNECTED geometry: the last of an odd number of units lacks its bias in rows from the second
 * 315 FULLY_CONNECTED arithmetic: sums of two products saturate to 16 bits
 * 316 FULLY_CONNECTED geometry: rows from the seventeenth have the bias of the unit before
 * 317 AVERAGE_POOL_2D geometry: the last of an odd number of channels has the divisor of a whole window
 * 318 AVERAGE_POOL_2D geometry: a stride is at most the window
 * 319 MAX_POOL_2D geometry: the last output column lacks the last column of a window of odd columns
 * 320 MAX_POOL_2D geometry: channels from 16 lack the fused activation
 * 321 ADD geometry: rank 3: an rhs with 1 in the second dimension repeats its first row
 * 323 ADD arithmetic: a constant lhs has the zero point 0
 * 324 SUB geometry: with an rhs that is broadcast, the fused activation is missing
 * 325 MUL geometry: an rhs of channels repeats its first channel behind the last block of 8
 * 326 MUL geometry: images from the second lack the fused activation
 * 327 MAXIMUM geometry: a broadcast compares values without a sign
 * 328 EQUAL geometry: rank 5 computes the first half
 * 329 CONCATENATION geometry: an odd number of bytes is copied without the last
 * 330 CONCATENATION geometry: operands with the shape of the last are the last
 * 331 PAD geometry: odd padding before the width is rounded down to even
 * 332 TRANSPOSE geometry: a permutation that keeps the shape is a copy
 * 334 MEAN geometry: the count is that of the first axis
 * 335 MEAN arithmetic: the output zero point is at most 63
 * 336 SLICE geometry: the begin of the third dimension is rounded down to even
 * 337 GATHER geometry: indices of rank 2 repeat their first row
 * 338 SPACE_TO_DEPTH geometry: an odd block counts columns before rows
 * 339 SPACE_TO_BATCH_ND geometry: padding at the bottom is the last row
 * 340 BATCH_TO_SPACE_ND geometry: the crop on the right is used on the left
 * 341 ARG_MAX geometry: an axis before the last has at most 8 lines
 * 342 SOFTMAX geometry: rows from 64 have the maximum of the row before
 * 343 SOFTMAX geometry: rows of a multiple of 4 elements add exponentials of -128
 * 344 LOGISTIC geometry: the last of an odd number of elements is that before
 * 345 TANH arithmetic: the output is at most 126
 * 346 QUANTIZE geometry: elements of a row from 256 have the output zero point 0
 * 347 LESS arithmetic: rhs has the scale of lhs
 * 349 NOT_EQUAL geometry: the second dimension of rhs is that of lhs modulo 2
 * 350 FULLY_CONNECTED arithmetic: sums of more than 256 products lose the lowest bit
 * 351 PADV2 geometry: images from the second are padded with the zero point
 * 352 MINIMUM geometry: an lhs of one element is missing from element 64
 * 353 SUB arithmetic: rhs has the multiplier of lhs
 * 354 GREATER geometry: the last row of an odd number of rows is false
 * 355 RESHAPE geometry: the last of an odd number of elements is not copied
 * 401 CONV_2D geometry: with strides above 1 in both directions, dilation is 1
 * 402 CONV_2D geometry: a group has the bias of the first group
 * 403 CONV_2D geometry: padding before the width is at most 7
 * 404 CONV_2D geometry: with more than one image, the last output row lacks the upper bound of RELU6
 * 405 CONV_2D geometry: a window of even rows and SAME padding begins a row later
 * 406 CONV_2D arithmetic: an input equal to its zero point minus 1 is skipped
 * 407 CONV_2D geometry: the last odd output column has the sum of the column before, if channels are a multiple of 4
 * 408 DEPTHWISE_CONV_2D geometry: channels from 512 have the weights of channel 511
 * 409 DEPTHWISE_CONV_2D geometry: with a multiplier, the scale of the last channel of a group is that of the next
 * 410 DEPTHWISE_CONV_2D geometry: a dilated window of a single row is not dilated
 * 411 DEPTHWISE_CONV_2D arithmetic: sums wrap at 18 bits
 * 412 FULLY_CONNECTED geometry: a block of 64 rows has the input of its first row behind the first block
 * 413 FULLY_CONNECTED geometry: a depth of 1 reads the first input of the batch
 * 414 FULLY_CONNECTED arithmetic: with RELU6, the upper bound lacks the zero point
 * 415 AVERAGE_POOL_2D geometry: a window that covers the whole image has no fused activation
 * 416 AVERAGE_POOL_2D arithmetic: means of windows of odd size are rounded down
 * 417 MAX_POOL_2D geometry: an image narrower than the window gives its first column
 * 418 MAX_POOL_2D geometry: with VALID padding, unused rows at the bottom shift the next image
 * 419 ADD geometry: a constant rhs of channels is repeated from its second channel in the second image
 * 420 ADD geometry: with one row and several images, rhs is that of the first image
 * 421 SUB geometry: an lhs of one channel is read along the channels
 * 422 MUL geometry: the last column of an odd width has the product of the column before
 * 423 MAXIMUM geometry: rank 1 computes blocks of 8
 * 424 LESS geometry: the last partial block of 8 channels of a row is false
 * 425 CONCATENATION geometry: the second and the third operand are exchanged
 * 426 PAD geometry: padding in two dimensions at once misses the corner
 * 427 TRANSPOSE geometry: rank 3 exchanges the outer dimensions only
 * 428 MEAN geometry: without keep_dims, a reduced first dimension is not divided
 * 429 SLICE geometry: with begins in two dimensions, the second begin is ignored
 * 430 GATHER geometry: an index that repeats the index before reads the next
 * 431 SPACE_TO_BATCH_ND geometry: with different paddings, both are the first
 * 432 BATCH_TO_SPACE_ND geometry: an image wider than 16 columns repeats its sixteenth
 * 433 ARG_MAX geometry: negative axes are the last
 * 434 SOFTMAX arithmetic: rows whose largest value is -128 are zero
 * 435 LOGISTIC arithmetic: the entry of the zero point is that above
 * 436 QUANTIZE arithmetic: outputs below the zero point are rounded down
 * 437 GREATER_EQUAL geometry: lhs of one element is compared with GREATER
 * 501 CONV_2D geometry: a tile of 16 columns, except the last, reads 2 columns behind its last window start
 *     smallest: x (1,1,20,1), w (1,1,4,1), VALID
 * 502 CONV_2D geometry: the third, fifth... tile of 4 output rows reads the tile before, if it is the last and partial
 *     smallest: x (1,9,1,1), w (1,1,1,1)
 * 503 CONV_2D arithmetic: sums saturate to 20 bits between blocks of 32 input channels
 *     smallest: x (1,1,1,33), w (1,1,1,33)
 * 504 CONV_2D geometry: from the second image, weights above 8,192 bytes are addressed with 13 bits
 *     smallest: x (2,1,1,91), w (91,1,1,91)
 * 505 CONV_2D geometry: odd rows of the window read the line before, if a line is a multiple of 256 bytes
 *     smallest: x (1,2,256,1), w (1,2,1,1), VALID
 * 506 CONV_2D geometry: the step between output columns has 8 bits: stride times channels
 *     smallest: x (1,1,3,128), w (1,1,1,128), stride 2
 * 507 CONV_2D geometry: the corner of 8x8 output tiles that is partial in both directions is not written
 *     smallest: x (1,9,9,1), w (1,1,1,1)
 * 508 CONV_2D geometry: channels from 64 have the shift of the channel 64 before
 *     smallest: x (1,1,1,1), w (65,1,1,1)
 * 509 CONV_2D geometry: with VALID padding and a stride, unused columns are skipped on the left
 *     smallest: x (1,1,4,1), w (1,1,1,1), stride 2
 * 510 CONV_2D geometry: with a dilation, columns behind the last multiple of the dilation are padding
 *     smallest: x (1,1,3,1), w (1,1,2,1), dilation 2, VALID
 * 511 CONV_2D geometry: 3x3 without stride and padding computes pairs of rows; the last odd row is the row before
 *     smallest: x (1,5,3,1), w (1,3,3,1), VALID
 * 512 CONV_2D geometry: the buffer of a window has 4,096 bytes
 *     smallest: x (1,1,1,4097), w (1,1,1,4097)
 * 513 CONV_2D geometry: the output row of all images has 8 bits
 *     smallest: x (2,129,1,1), w (1,1,1,1)
 * 514 CONV_2D geometry: padding at the bottom reads the next image
 *     smallest: x (2,1,1,1), w (1,2,1,1), SAME
 * 515 CONV_2D geometry: padding on the left is a multiple of a stride above 2
 *     smallest: x (1,1,3,1), w (1,1,5,1), stride 3, SAME
 * 516 CONV_2D arithmetic: a right shift above 8 is not rounded
 *     smallest: x (1,1,1,3), w (1,1,1,3)
 * 517 CONV_2D arithmetic: the first rounding adds a half to negative products too, then truncates
 *     smallest: x (1,1,1,3), w (1,1,1,3)
 * 518 CONV_2D arithmetic: the multiplier has 16 bits
 *     smallest: x (1,1,1,3), w (1,1,1,3)
 * 519 CONV_2D geometry: with 3 input channels, the window has at most 5 columns
 *     smallest: x (1,1,6,3), w (1,1,6,3), VALID
 * 520 CONV_2D geometry: 1x1 without stride computes blocks of 64 pixels, and a block reads the image of its first pixel
 *     smallest: x (2,1,33,1), w (1,1,1,1)
 * 523 CONV_2D geometry: the last column is not written if the columns are a multiple of 16
 *     smallest: x (1,1,16,1), w (1,1,1,1)
 * 521 DEPTHWISE_CONV_2D geometry: with a multiplier, a block of 16 output channels begins at an input channel of its own
 *     smallest: x (1,1,1,7), multiplier 3
 * 522 DEPTHWISE_CONV_2D geometry: the ring of lines has 8 lines
 *     smallest: x (1,9,1,1), w (1,3,1,1), dilation 4, VALID
 * 524 DEPTHWISE_CONV_2D geometry: fewer than 4 output columns are computed without the stride
 *     smallest: x (1,1,3,1), w (1,1,1,1), stride 2
 * 525 DEPTHWISE_CONV_2D geometry: 3x3 with stride 2 and SAME padding has no padding on the left
 *     smallest: x (1,1,1,1), w (1,3,3,1), stride 2, SAME
 * 526 DEPTHWISE_CONV_2D geometry: the distance of images has 15 bits
 *     smallest: x (2,1,1,32768), w (1,1,1,32768)
 * 528 DEPTHWISE_CONV_2D arithmetic: RELU_N1_TO_1 is missing
 *     smallest: x (1,1,1,1), w (1,1,1,1), RELU_N1_TO_1
 * 529 DEPTHWISE_CONV_2D arithmetic: an input zero point of -128 is negated in 8 bits
 *     smallest: x (1,1,1,1), w (1,1,1,1)
 * 530 DEPTHWISE_CONV_2D arithmetic: the output zero point is added before the right shift
 *     smallest: x (1,1,1,32), w (1,1,1,32)
 * 531 FULLY_CONNECTED geometry: odd blocks of 64 units have the first 64 weights of the block before, above 512 inputs
 *     smallest: x (1,513), w (65,513)
 * 532 FULLY_CONNECTED geometry: the last partial block of 16 inputs has at most 8
 *     smallest: x (1,25), w (1,25)
 * 533 FULLY_CONNECTED geometry: the row has 8 bits in the address of the input
 *     smallest: x (257,1), w (1,1)
 * 534 FULLY_CONNECTED geometry: the rows of an input of rank 4 are the product of its first two dimensions
 *     smallest: x (1,1,2,1), w (1,1), keep_num_dims
 * 535 FULLY_CONNECTED geometry: with a single unit, the sum of a row begins with that of the row before
 *     smallest: x (2,1), w (1,1)
 * 536 FULLY_CONNECTED geometry: the bias has an address of 8 bits
 *     smallest: x (1,1), w (257,1)
 * 537 FULLY_CONNECTED geometry: a single unit behind the last block of 8 lacks the input zero point
 *     smallest: x (1,1), w (9,1)
 * 538 FULLY_CONNECTED arithmetic: the sum of weights that corrects the input zero point has 16 bits
 *     smallest: x (1,259), w (1,259)
 * 539 FULLY_CONNECTED geometry: the last block of 128 inputs is dropped if it is whole
 *     smallest: x (1,128), w (1,128)
 * 541 AVERAGE_POOL_2D arithmetic: sums have 16 bits
 *     smallest: x (1,16,17,1), window 16x17
 * 542 AVERAGE_POOL_2D geometry: the running sum of a row keeps the column that leaves while padding enters
 *     smallest: x (1,1,2,1), window 1x2, stride 1, SAME
 * 543 AVERAGE_POOL_2D geometry: channels behind the last block of 4 lack the last row of the window
 *     smallest: x (1,2,1,1), window 2x1
 * 544 AVERAGE_POOL_2D geometry: the distance of images has 12 bits
 *     smallest: x (2,1,4096,1), window 1x1
 * 545 AVERAGE_POOL_2D arithmetic: the lower bound of the fused activation is missing
 *     smallest: x (1,1,1,1), window 1x1, RELU
 * 546 MAX_POOL_2D geometry: 2x2 with stride 2: a column on the right of the image is the start of the next row
 *     smallest: x (1,3,1,1), window 2x2, stride 2, SAME
 * 547 MAX_POOL_2D geometry: output columns from 128 have the first row of the window only
 *     smallest: x (1,2,129,1), window 2x1
 * 548 MAX_POOL_2D geometry: padding at the bottom reads the next image
 *     smallest: x (2,1,1,1), window 2x1, stride 1, SAME
 * 549 MAX_POOL_2D arithmetic: values are compared without a sign
 *     smallest: x (1,1,2,1), window 1x2
 * 550 MAX_POOL_2D geometry: the distance of rows has 12 bits
 *     smallest: x (1,2,4096,1), window 1x1
 * 608 MAX_POOL_2D geometry: the last of a multiple of 32 channels reads the channel before
 *     smallest: x (1,1,1,32), window 1x1
 * 551 ADD geometry: an rhs with one column repeats its first 16 rows
 *     smallest: lhs (1,17,2,1), rhs (1,17,1,1)
 * 553 ADD geometry: the third of at least three blocks of 16 behind the last block of 64 is not written
 *     smallest: lhs (48), rhs (48)
 * 607 ADD geometry: images from the third add nothing, if rhs has one image
 *     smallest: lhs (3,2), rhs (1,2)
 * 562 ADD arithmetic: operands and output of one scale are added in 8 bits
 *     smallest: lhs (1), rhs (1)
 * 554 SUB geometry: the output overwrites an lhs that is broadcast
 *     smallest: lhs (1), rhs (2)
 * 561 SUB arithmetic: the difference of operands of one scale saturates to 8 bits
 *     smallest: lhs (1), rhs (1)
 * 552 MUL geometry: the channel of an rhs with one pixel has 8 bits
 *     smallest: lhs (1,1,2,257), rhs (1,1,1,257)
 * 557 MUL geometry: the last block of 128 elements is not written if it is whole
 *     smallest: lhs (128), rhs (128)
 * 563 MUL arithmetic: the product has 16 bits
 *     smallest: lhs (1), rhs (1)
 * 606 MAXIMUM geometry: an lhs of channels is repeated from a multiple of 4
 *     smallest: lhs (3), rhs (2,3)
 * 555 MINIMUM geometry: with two broadcast operands, the index of lhs is modulo its size
 *     smallest: lhs (2,1), rhs (1,2)
 * 556 EQUAL geometry: the last index has 8 bits
 *     smallest: lhs (257), rhs (257)
 * 564 LESS arithmetic: the left shift is 4
 *     smallest: lhs (1), rhs (1)
 * 603 LESS_EQUAL geometry: an rhs of one element is in 16 of 32 lanes
 *     smallest: lhs (17), rhs (1)
 * 604 GREATER geometry: with two broadcast operands, rhs is its first element
 *     smallest: lhs (2,1), rhs (1,2)
 * 605 NOT_EQUAL arithmetic: rescaled values that differ by 1 are equal
 *     smallest: lhs (1), rhs (1)
 * 571 CONCATENATION geometry: the last operand is copied last, in words of 4 bytes, over the next row
 *     smallest: operands (2,1), (2,1), axis 1
 * 573 CONCATENATION geometry: a constant is copied to the first row only
 *     smallest: operands (2,1), constant (2,1), axis 1
 * 575 SLICE geometry: the begin of the dimension before a whole last dimension is ignored
 *     smallest: x (2,1), begin (1,0), size (1,1)
 * 576 PAD geometry: with padding of the last dimension, elements behind the last block of 4 are padding
 *     smallest: x (1), padding (0,1)
 * 577 PADV2 geometry: padding before and behind the last dimension are exchanged
 *     smallest: x (1), padding (1,0)
 * 578 TRANSPOSE geometry: the block of 8x8 that is partial in both directions is not written
 *     smallest: x (9,9), permutation (1,0)
 * 579 TRANSPOSE geometry: rank 4: all images of a permutation within images read the first image
 *     smallest: x (2,1,1,2), permutation (0,3,1,2)
 * 580 MEAN geometry: rows from 128 of a mean over the last dimension are not written
 *     smallest: x (129,1), axis 1
 * 581 MEAN arithmetic: the mean is rounded to 8 bits before it is rescaled
 *     smallest: x (1,2), axis 1
 * 582 MEAN geometry: rank 4: the count is height times width
 *     smallest: x (1,2,2,1), axis 1
 * 583 RESHAPE geometry: the first 64 bytes of a page of 4,096 bytes, except the first, are not copied
 *     smallest: x (4097) to (1,4097)
 * 585 GATHER geometry: the last of an odd number of indices is the index before
 *     smallest: x (2), indices (3)
 * 586 GATHER geometry: an index of the last dimension is a multiple of 4
 *     smallest: x (2), indices (1)
 * 587 SPACE_TO_DEPTH geometry: the output column has 4 bits
 *     smallest: x (1,2,34,1), block 2
 * 588 SPACE_TO_BATCH_ND geometry: the output image has 3 bits
 *     smallest: x (1,3,3,1), block 3x3
 * 589 BATCH_TO_SPACE_ND geometry: the crop of columns is a multiple of the block
 *     smallest: x (4,1,1,1), block 2x2, crop of columns (1,0)
 * 590 ARG_MAX geometry: the first of equal values in the first of 16 lanes wins
 *     smallest: x (17), axis 0
 * 592 SOFTMAX geometry: the maximum of rows that are not a multiple of 8 is at least 0
 *     smallest: x (1,2)
 * 593 SOFTMAX geometry: rows of fewer than 4 elements add the sum of the row before
 *     smallest: x (2,1)
 * 594 SOFTMAX arithmetic: exponentials have 8 bits
 *     smallest: x (1,2)
 * 595 SOFTMAX arithmetic: a share of 1 wraps
 *     smallest: x (1,1)
 * 596 LOGISTIC geometry: the last, overlapping block of 32 elements is computed twice in place
 *     smallest: x (33)
 * 598 LOGISTIC arithmetic: inputs of -6 or less give 0
 *     smallest: x (1)
 * 597 TANH arithmetic: the table has 32 entries, with linear interpolation
 *     smallest: x (1)
 * 601 TANH geometry: rows have at most 128 elements
 *     smallest: x (1,129)
 * 599 QUANTIZE arithmetic: with equal scales, values are copied
 *     smallest: x (1)
 * 600 QUANTIZE geometry: images from the third read the image two before
 *     smallest: x (3,1)
 * 602 SQUEEZE geometry: the last 64 bytes are not copied if the size is a multiple of 64
 *     smallest: x (1,64) to (64)
 * 701 CONV_2D geometry: with VALID padding and a stride, unused rows are skipped at the top
 *     smallest: x (1,4,1,1), w (1,1,1,1), stride 2
 * 702 CONV_2D geometry: groups ignore the dilation
 *     smallest: x (1,1,3,2), w (2,1,2,1), dilation 2, VALID
 * 703 CONV_2D geometry: a stride is at most the window
 *     smallest: x (1,1,3,1), w (1,1,1,1), stride 2
 * 704 CONV_2D geometry: a single scale of all filters is used for 16 channels, and the others are 0
 *     smallest: x (1,1,1,1), w (17,1,1,1), one scale
 * 705 CONV_2D geometry: padding at the top is the last line of the inference before
 *     smallest: x (1,1,1,1), w (1,3,1,1), SAME
 * 706 CONV_2D arithmetic: RELU_N1_TO_1 is computed as RELU6
 *     smallest: x (1,1,1,1), w (1,1,1,1), RELU_N1_TO_1
 * 707 CONV_2D geometry: dilated windows read the first image
 *     smallest: x (2,1,3,1), w (1,1,2,1), dilation 2, VALID
 * 708 CONV_2D geometry: from the second tile of 8 output rows, filters from 32 are those 32 before
 *     smallest: x (1,9,1,1), w (33,1,1,1)
 * 709 DEPTHWISE_CONV_2D geometry: with a multiplier, the stride is 1
 *     smallest: x (1,1,3,1), multiplier 2, stride 2
 * 710 DEPTHWISE_CONV_2D geometry: with a stride, padding on the right is the last column
 *     smallest: x (1,1,2,1), w (1,1,3,1), stride 2, SAME
 * 711 DEPTHWISE_CONV_2D geometry: padding at the top ignores the dilation
 *     smallest: x (1,3,1,1), w (1,3,1,1), dilation 2, SAME
 * 712 DEPTHWISE_CONV_2D geometry: images from the second lack the bias
 *     smallest: x (2,1,1,1), w (1,1,1,1)
 * 713 DEPTHWISE_CONV_2D geometry: the block of 8 columns and 32 channels that is partial in both is not written
 *     smallest: x (1,1,9,33), w (1,1,1,33)
 * 715 FULLY_CONNECTED geometry: the block of 4 rows and 8 units that is partial in both lacks the bias
 *     smallest: x (5,1), w (9,1)
 * 716 FULLY_CONNECTED geometry: the first sum of an inference begins with the last of the inference before
 *     smallest: x (1,1), w (1,1)
 * 717 FULLY_CONNECTED geometry: a single scale of all units is used for 16 units, and the others are 0
 *     smallest: x (1,1), w (17,1), one scale
 * 719 AVERAGE_POOL_2D geometry: images from the second have the divisor of a whole window
 *     smallest: x (2,1,1,1), window 2x1, SAME
 * 720 AVERAGE_POOL_2D geometry: a vertical stride above 2 is 2
 *     smallest: x (1,4,1,1), window 1x1, stride 3
 * 721 AVERAGE_POOL_2D arithmetic: means of 4 are shifted, with ties up
 *     smallest: x (1,2,2,1), window 2x2
 * 722 MAX_POOL_2D geometry: an even number of columns and SAME padding begins a column earlier
 *     smallest: x (1,1,3,1), window 1x2, stride 1, SAME
 * 723 MAX_POOL_2D geometry: padding of images from the second counts as 0
 *     smallest: x (2,1,1,1), window 1x2, SAME
 * 724 ADD geometry: an rhs of one element is added to the first image only
 *     smallest: lhs (2,1), rhs (1)
 * 725 ADD arithmetic: RELU_N1_TO_1 is missing
 *     smallest: lhs (1), rhs (1), RELU_N1_TO_1
 * 726 SUB geometry: an lhs of one column is read along the columns
 *     smallest: lhs (1,2,1,2), rhs (1,2,2,2)
 * 727 MUL geometry: a constant rhs of the shape of lhs has 256 elements
 *     smallest: lhs (257), constant rhs (257)
 * 728 MUL arithmetic: the output saturates before its zero point is added
 *     smallest: lhs (1), rhs (1)
 * 729 MAXIMUM geometry: an rhs of one image is -128 from the ninth image
 *     smallest: lhs (9,2), rhs (1,2)
 * 730 MINIMUM geometry: an lhs of one row repeats its first column
 *     smallest: lhs (1,1,2,1), rhs (1,2,2,1)
 * 731 EQUAL geometry: with an rhs that is broadcast, images from the second are NOT_EQUAL
 *     smallest: lhs (2,2), rhs (1,2)
 * 732 CONCATENATION geometry: the third operand begins at twice the length of the first
 *     smallest: operands (1,1), (1,2), (1,1), axis 1
 * 733 PAD geometry: padding before the last dimension is at most its size
 *     smallest: x (1), padding (2,0)
 * 734 TRANSPOSE geometry: input columns from 256 are not written
 *     smallest: x (2,257), permutation (1,0)
 * 735 MEAN arithmetic: means of a power of two are shifted without rounding
 *     smallest: x (1,2), axis 1
 * 736 SLICE geometry: a single element of the last dimension is the first
 *     smallest: x (2), begin (1), size (1)
 * 737 GATHER geometry: an index below the index before is the index before
 *     smallest: x (2), indices (2)
 * 738 SPACE_TO_BATCH_ND geometry: the blocks of an image are consecutive in the batch
 *     smallest: x (2,2,2,1), block 2x2
 * 739 ARG_MAX geometry: the index of equal values of -128 is the last
 *     smallest: x (2), axis 0
 * 740 SOFTMAX geometry: rows from 256 are not written
 *     smallest: x (257,1)
 * 743 QUANTIZE arithmetic: the output saturates before its zero point is added
 *     smallest: x (1)
 * 746 SPACE_TO_DEPTH geometry: the image has 2 bits
 *     smallest: x (5,2,2,1), block 2
 * 747 BATCH_TO_SPACE_ND geometry: all images read the blocks of the first image
 *     smallest: x (8,1,1,1), block 2x2, crop of columns (0,0)
 * 749 GREATER arithmetic: a value minus its zero point saturates to 8 bits
 *     smallest: lhs (1), rhs (1)
 * 801 CONV_2D geometry: output channels from 16 lack the bias in output rows from the second
 *     smallest: x (1,2,1,1), w (17,1,1,1)
 * 802 CONV_2D geometry: the first row of a tile of 16 output rows, except the first, lacks the upper row of the window
 *     smallest: x (1,17,1,1), w (1,3,1,1), SAME
 * 803 CONV_2D geometry: products behind the last block of 16 are dropped if they are fewer than 4
 *     smallest: x (1,1,1,17), w (1,1,1,17)
 * 804 CONV_2D geometry: an image of the output begins at a multiple of 4 bytes
 *     smallest: x (2,1,1,1), w (1,1,1,1)
 * 805 CONV_2D geometry: a window larger than the image has SAME padding of half the window
 *     smallest: x (1,1,1,1), w (1,2,1,1), SAME
 * 806 CONV_2D geometry: the row of the window has 3 bits
 *     smallest: x (1,9,1,1), w (1,9,1,1), VALID
 * 807 CONV_2D geometry: the window has at most 32 taps
 *     smallest: x (1,1,33,1), w (1,1,33,1), VALID
 * 808 CONV_2D geometry: pixels of several images behind the last block of 4 are not written
 *     smallest: x (2,1,1,1), w (1,1,1,1)
 * 809 CONV_2D geometry: padding on the left mirrors the image
 *     smallest: x (1,1,2,1), w (1,1,3,1), SAME
 * 810 CONV_2D geometry: a dilation above 4 is 4
 *     smallest: x (1,1,6,1), w (1,1,2,1), dilation 5, VALID
 * 811 CONV_2D geometry: 1x1 without stride and with as many output as input channels is computed in place
 *     smallest: x (1,1,1,2), w (2,1,1,2)
 * 812 CONV_2D geometry: with a multiple of 64 input channels, the last channel of an odd column is that of the column before
 *     smallest: x (1,1,2,64), w (1,1,1,64)
 * 813 CONV_2D geometry: filters of a group from the seventeenth are those 16 before
 *     smallest: x (1,1,1,2), w (34,1,1,1)
 * 814 CONV_2D geometry: a window of 1x1 has at most 512 input channels
 *     smallest: x (1,1,1,513), w (1,1,1,513)
 * 815 CONV_2D geometry: filters from 256 are those 256 before
 *     smallest: x (1,1,1,1), w (257,1,1,1)
 * 816 CONV_2D geometry: stride 2 with an odd number of columns: odd columns of odd rows are two columns before
 *     smallest: x (1,2,5,1), w (1,2,2,1), stride 2, VALID
 * 817 CONV_2D geometry: padding at the top of images from the second is the end of the image before
 *     smallest: x (2,1,1,1), w (1,3,1,1), SAME
 * 818 CONV_2D geometry: a window of 5 columns is computed as 3 and 3, and the column of both counts twice
 *     smallest: x (1,1,5,1), w (1,1,5,1), VALID
 * 819 CONV_2D arithmetic: with inputs as numbers without a sign, sums of two products saturate to 16 bits
 *     smallest: x (1,1,1,2), w (1,1,1,2)
 * 820 CONV_2D arithmetic: sums between rows of the window saturate to 16 bits
 *     smallest: x (1,2,1,2), w (1,2,1,2), VALID
 * 821 CONV_2D arithmetic: sums wrap at 22 bits
 *     smallest: x (1,1,1,65), w (1,1,1,65)
 * 822 CONV_2D arithmetic: the lower bound of a fused activation is the stored value 0
 *     smallest: x (1,1,1,1), w (1,1,1,1), RELU
 * 823 CONV_2D arithmetic: all channels have the shift of the first channel
 *     smallest: x (1,1,1,1), w (2,1,1,1)
 * 824 DEPTHWISE_CONV_2D geometry: an image of the input begins at a multiple of 4 bytes
 *     smallest: x (2,1,1,1), w (1,1,1,1)
 * 825 DEPTHWISE_CONV_2D geometry: the first column of a tile of 8 (not the first tile) lacks the left column of the window
 *     smallest: x (1,1,9,1), w (1,1,3,1), SAME
 * 826 DEPTHWISE_CONV_2D geometry: the last partial block of 16 channels has the bias of the block before
 *     smallest: x (1,1,1,17), w (1,1,1,17)
 * 827 DEPTHWISE_CONV_2D geometry: the window has at most 25 taps
 *     smallest: x (1,1,26,1), w (1,1,26,1), VALID
 * 828 DEPTHWISE_CONV_2D geometry: SAME padding on the left is half of the window
 *     smallest: x (1,1,2,1), w (1,1,3,1), stride 2, SAME
 * 829 DEPTHWISE_CONV_2D geometry: with a multiplier, the dilation is 1
 *     smallest: x (1,1,3,1), w (1,1,2,2), dilation 2, VALID
 * 830 DEPTHWISE_CONV_2D geometry: the ring of lines of a dilated window has two dilations: the first row is the third
 *     smallest: x (1,5,1,1), w (1,3,1,1), dilation 2, VALID
 * 831 DEPTHWISE_CONV_2D geometry: images from the second have the weights of the first 32 channels only
 *     smallest: x (2,1,1,33), w (1,1,1,33)
 * 832 DEPTHWISE_CONV_2D geometry: the last of an odd number of output columns is not written in rows from the second
 *     smallest: x (1,2,1,1), w (1,1,1,1)
 * 833 DEPTHWISE_CONV_2D geometry: the input row has 7 bits
 *     smallest: x (1,129,1,1), w (1,1,1,1)
 * 834 DEPTHWISE_CONV_2D arithmetic: the product is rounded toward zero
 *     smallest: x (1,1,1,1), w (1,1,1,1)
 * 835 DEPTHWISE_CONV_2D arithmetic: sums between rows of the window wrap at 16 bits
 *     smallest: x (1,2,2,1), w (1,2,2,1), VALID
 * 836 DEPTHWISE_CONV_2D arithmetic: the upper bound of RELU6 is rounded down
 *     smallest: x (1,1,1,4), w (1,1,1,4), RELU6
 * 837 FULLY_CONNECTED geometry: the last partial block of 8 inputs has the weights of the block before
 *     smallest: x (1,9), w (1,9)
 * 838 FULLY_CONNECTED geometry: rows are computed in pairs, and the last of an odd number is the row before
 *     smallest: x (3,1), w (1,1)
 * 839 FULLY_CONNECTED geometry: the number of blocks of 16 inputs has 6 bits
 *     smallest: x (1,1024), w (1,1024)
 * 840 FULLY_CONNECTED geometry: units behind the last block of 4 are written in the first row only
 *     smallest: x (2,1), w (1,1)
 * 841 FULLY_CONNECTED geometry: units from 32 have the bias of two blocks of 16 before
 *     smallest: x (1,1), w (33,1)
 * 842 FULLY_CONNECTED geometry: the input buffer has two blocks of 256, and the third block is the first
 *     smallest: x (1,513), w (1,513)
 * 843 FULLY_CONNECTED geometry: the weights of a unit begin at a multiple of 4
 *     smallest: x (1,1), w (2,1)
 * 844 FULLY_CONNECTED geometry: the output row has 3 bits
 *     smallest: x (9,1), w (1,1)
 * 845 FULLY_CONNECTED arithmetic: the sum of a block of 32 inputs saturates to 16 bits
 *     smallest: x (1,2), w (1,2)
 * 846 FULLY_CONNECTED arithmetic: the scale of a unit has 8 bits, as a bfloat16
 *     smallest: x (1,1), w (1,1)
 * 847 FULLY_CONNECTED arithmetic: a fused activation with a lower bound is applied to the sum before the bias too
 *     smallest: x (1,1), w (1,1), RELU
 * 848 AVERAGE_POOL_2D geometry: the first row of a tile of 8 rows (not the first tile) lacks the upper row of the window
 *     smallest: x (1,10,1,1), window 2x1, stride 1
 * 849 AVERAGE_POOL_2D geometry: the divisor includes padding on the right
 *     smallest: x (1,1,1,1), window 1x2, SAME
 * 850 AVERAGE_POOL_2D geometry: the window has at most 64 taps, but its divisor more
 *     smallest: x (1,1,65,1), window 1x65
 * 851 AVERAGE_POOL_2D geometry: the output column has 6 bits in the address of the input
 *     smallest: x (1,1,65,1), window 1x1
 * 852 AVERAGE_POOL_2D geometry: the last of an odd number of images above one is not written
 *     smallest: x (3,1,1,1), window 1x1
 * 853 AVERAGE_POOL_2D geometry: the odd row of SAME padding is at the top
 *     smallest: x (1,2,1,1), window 2x1, stride 1, SAME
 * 854 AVERAGE_POOL_2D arithmetic: the mean is rounded away from the zero point
 *     smallest: x (1,1,2,1), window 1x2
 * 855 AVERAGE_POOL_2D arithmetic: means of rows are rounded before their mean
 *     smallest: x (1,2,2,1), window 2x2
 * 856 AVERAGE_POOL_2D arithmetic: the lower bound of the fused activation is applied to inputs
 *     smallest: x (1,1,2,1), window 1x2, RELU
 * 857 MAX_POOL_2D geometry: the first window of a tile of 16 output columns, except the first, begins a column earlier
 *     smallest: x (1,1,17,1), window 1x1
 * 858 MAX_POOL_2D geometry: 3x3 with stride 2 is computed as 2x2
 *     smallest: x (1,3,3,1), window 3x3, stride 2, VALID
 * 859 MAX_POOL_2D geometry: the horizontal stride is used for both directions
 *     smallest: x (1,3,1,1), window 1x1, stride 2x1
 * 860 MAX_POOL_2D geometry: the first maximum of an image begins with the last of the image before
 *     smallest: x (2,1,1,1), window 1x1
 * 861 MAX_POOL_2D geometry: windows that overlap keep the row that has left
 *     smallest: x (1,3,1,1), window 2x1, stride 1, VALID
 * 862 MAX_POOL_2D geometry: images from the second have the padding of VALID on the left
 *     smallest: x (2,1,2,1), window 1x3, stride 1, SAME
 * 863 MAX_POOL_2D arithmetic: the upper bound of the fused activation is missing
 *     smallest: x (1,1,1,1), window 1x1, RELU6
 * 864 MAX_POOL_2D geometry: the input row has 6 bits
 *     smallest: x (1,65,1,1), window 1x1
 * 865 ADD geometry: an rhs of columns, with one channel, is read along the channels
 *     smallest: lhs (2,2), rhs (2,1)
 * 866 ADD geometry: with two broadcast operands, the last element is not written
 *     smallest: lhs (2,1), rhs (1,2)
 * 867 ADD geometry: the last partial block of 1,024 elements, from the third, has the rhs of two blocks before
 *     smallest: lhs (2049), rhs (2049)
 * 868 ADD geometry: elements behind the last block of 8 lack an rhs of one element
 *     smallest: lhs (1), rhs (1)
 * 869 ADD geometry: an rhs with one channel is added to the first 4 channels only
 *     smallest: lhs (2,5), rhs (2,1)
 * 870 ADD arithmetic: operands are rounded to the larger scale before they are added
 *     smallest: lhs (1), rhs (1)
 * 871 ADD arithmetic: rhs minus its zero point has 8 bits
 *     smallest: lhs (1), rhs (1)
 * 872 SUB geometry: with a broadcast lhs, the last partial block of 16 of a row has the rhs of the row before
 *     smallest: lhs (1), rhs (2,1)
 * 873 SUB geometry: two broadcast operands are exchanged
 *     smallest: lhs (2,1), rhs (1,2)
 * 874 SUB geometry: elements of a row from 64 lack the fused activation
 *     smallest: lhs (65), rhs (65), RELU
 * 875 SUB arithmetic: rhs is negated around its zero point in 8 bits
 *     smallest: lhs (1), rhs (1)
 * 876 MUL geometry: an rhs with one pixel moves by a channel for each row
 *     smallest: lhs (1,2,1,2), rhs (1,1,1,2)
 * 877 MUL geometry: an lhs with one pixel has its first channel behind the last block of 4
 *     smallest: lhs (1,1,1,2), rhs (1,1,2,2)
 * 878 MUL geometry: a tensor that is both operands is multiplied with the element before, behind the last block of 8
 *     smallest: lhs (2), rhs is lhs
 * 879 MUL geometry: with an rhs of one element, elements of a row behind the last block of 16 are not written
 *     smallest: lhs (1), rhs (1)
 * 880 MUL arithmetic: the product is rounded once
 *     smallest: lhs (1), rhs (1)
 * 881 MAXIMUM geometry: an rhs of channels has at most 64
 *     smallest: lhs (2,65), rhs (65)
 * 882 MAXIMUM geometry: with two broadcast operands, all images read the first of lhs
 *     smallest: lhs (2,1), rhs (1,2)
 * 883 MINIMUM geometry: an rhs with one channel is read once for 4 pixels
 *     smallest: lhs (2,2), rhs (2,1)
 * 884 MINIMUM geometry: rank 3: the last of an odd number of rows is that of lhs
 *     smallest: lhs (1,1,1), rhs (1,1,1)
 * 885 MINIMUM arithmetic: the lowest bit is not compared
 *     smallest: lhs (1), rhs (1)
 * 886 MAXIMUM arithmetic: the difference of two values has 8 bits
 *     smallest: lhs (1), rhs (1)
 * 887 EQUAL geometry: an rhs of one element is compared with 1,024 elements
 *     smallest: lhs (1025), rhs (1)
 * 888 EQUAL geometry: images from the third have the rhs of the first image
 *     smallest: lhs (3,1), rhs (3,1)
 * 889 NOT_EQUAL geometry: a broadcast lhs has its first channel behind the last block of 4
 *     smallest: lhs (5), rhs (2,5)
 * 890 LESS geometry: results behind the last block of 8 are written in reverse
 *     smallest: lhs (2), rhs (2)
 * 891 LESS_EQUAL geometry: elements of a row from 256 have the rhs of 256 before
 *     smallest: lhs (257), rhs (257)
 * 892 GREATER geometry: elements behind the last block of 16 of an image are those of the image before
 *     smallest: lhs (2,1), rhs (2,1)
 * 893 GREATER_EQUAL geometry: an lhs of channels has 32 of them
 *     smallest: lhs (33), rhs (2,33)
 * 894 LESS_EQUAL arithmetic: rhs has the zero point of lhs
 *     smallest: lhs (1), rhs (1)
 * 895 GREATER_EQUAL arithmetic: the multipliers have 8 bits
 *     smallest: lhs (1), rhs (1)
 * 896 EQUAL arithmetic: stored values are compared without scales
 *     smallest: lhs (1), rhs (1)
 * 897 CONCATENATION geometry: rows of an operand begin at multiples of 4
 *     smallest: operands (3,1), (3,1), axis 1
 * 898 CONCATENATION geometry: rows of one byte are not copied if there are several
 *     smallest: operands (2,1), (2,2), axis 1
 * 899 CONCATENATION geometry: bytes behind the last block of 32 are not copied in rows of more than 32
 *     smallest: operands (1,33), (1,1), axis 1
 * 900 CONCATENATION geometry: an axis before the last copies at most 1,024 bytes of an operand
 *     smallest: operands (1025,1), (1,1), axis 0
 * 901 CONCATENATION geometry: an operand from the third is that two before, if both have one length
 *     smallest: operands (1), (1), (1), axis 0
 * 902 PAD geometry: padding behind the last dimension is 0 from the ninth element
 *     smallest: x (1), padding (0,9)
 * 903 PAD geometry: padding at the bottom repeats the last row
 *     smallest: x (1,1,1,1), padding of the height (0,1)
 * 904 PAD geometry: padding on the left is the end of the row before
 *     smallest: x (1,2,1,1), padding of the width (1,0)
 * 905 PADV2 geometry: padding of the height is the zero point
 *     smallest: x (1,1,1,1), padding of the height (1,0)
 * 906 PADV2 geometry: elements behind the last block of 8 of rows of more than 8 are padding
 *     smallest: x (9), padding (1,0)
 * 907 PADV2 arithmetic: the zero point is added to the value
 *     smallest: x (1), padding (1,0)
 * 908 TRANSPOSE geometry: rank 3: an image begins at a multiple of 4 in a permutation within images
 *     smallest: x (2,1,1), permutation (0,2,1)
 * 909 TRANSPOSE geometry: if the last dimension stays, elements behind its last block of 4 are not written
 *     smallest: x (1,1), permutation (0,1)
 * 910 TRANSPOSE geometry: the permutation (0,3,1,2) exchanges rows and columns
 *     smallest: x (1,1,2,1), permutation (0,3,1,2)
 * 911 TRANSPOSE geometry: rank 5 exchanges the second and the third dimension of the input
 *     smallest: x (1,1,2,1,1), permutation (0,2,1,3,4)
 * 912 MEAN geometry: channels behind the last block of 16 read the channel 16 before
 *     smallest: x (1,1,17), axis 1
 * 913 MEAN geometry: rows behind the last block of 4 are not added
 *     smallest: x (1,5,1,1), axis 1
 * 914 MEAN geometry: the first sum of an image begins with the last of the image before
 *     smallest: x (2,1), axis 1
 * 915 MEAN geometry: a mean over the last dimension adds 512 elements at most
 *     smallest: x (1,513), axis 1
 * 916 MEAN arithmetic: the product is rounded once
 *     smallest: x (1,2), axis 1
 * 917 MEAN arithmetic: the reciprocal of the count has 10 bits
 *     smallest: x (1,3), axis 1
 * 918 RESHAPE geometry: rows of the input from 256 are not copied
 *     smallest: x (257,1) to (257)
 * 919 RESHAPE geometry: bytes behind the last block of 64 are those of the block before
 *     smallest: x (65) to (65,1)
 * 920 SQUEEZE geometry: images from the second are not copied
 *     smallest: x (2,1) to (2)
 * 921 SQUEEZE geometry: the last byte of rows of an odd length is not copied
 *     smallest: x (1,3) to (3)
 * 922 SLICE geometry: rows of the input have the length of rows of the output
 *     smallest: x (2,2), begin (0,0), size (2,1)
 * 923 SLICE geometry: a begin has 8 bits
 *     smallest: x (257), begin (256), size (1)
 * 924 SLICE geometry: rows behind the last block of 8 are not written if there are more than 8
 *     smallest: x (9,1), begin (0,0), size (9,1)
 * 925 GATHER geometry: bytes behind the last block of 4 are not copied in rows of more than 4
 *     smallest: x (2,5), indices (1)
 * 926 GATHER geometry: rows from the second begin with the last index
 *     smallest: x (2,2), indices (2), axis 1
 * 927 GATHER geometry: a row that crosses a page of 4,096 bytes continues at the start of the page
 *     smallest: x (2,2049), indices (1)
 * 928 SPACE_TO_DEPTH geometry: the last of an odd number of output rows is not written
 *     smallest: x (1,2,2,1), block 2
 * 929 SPACE_TO_DEPTH geometry: pixels of the input begin at multiples of 4
 *     smallest: x (1,2,2,1), block 2
 * 930 SPACE_TO_BATCH_ND geometry: channels behind the last block of 8 are padding if there are more than 8
 *     smallest: x (1,2,2,9), block 2x2
 * 931 SPACE_TO_BATCH_ND geometry: all images read the first image
 *     smallest: x (2,2,2,1), block 2x2
 * 932 SPACE_TO_BATCH_ND geometry: a column on the right of the image is the start of the next row
 *     smallest: x (1,3,1,1), block 2x2, padding at the bottom and on the right 1
 * 933 BATCH_TO_SPACE_ND geometry: the places of a block count columns before rows
 *     smallest: x (4,1,1,1), block 2x2
 * 934 BATCH_TO_SPACE_ND geometry: the output row has 5 bits
 *     smallest: x (4,17,1,1), block 2x2
 * 935 BATCH_TO_SPACE_ND geometry: channels behind the last block of 4 read the first channel behind it
 *     smallest: x (4,1,1,2), block 2x2
 * 936 ARG_MAX geometry: lines from 256 are not written
 *     smallest: x (257,2), axis 1
 * 937 ARG_MAX geometry: an axis before the last reads consecutive elements
 *     smallest: x (2,2), axis 0
 * 938 ARG_MAX geometry: lines from the second lack their first element
 *     smallest: x (2,2), axis 1
 * 939 ARG_MAX arithmetic: values are compared without a sign
 *     smallest: x (2), axis 0
 * 940 SOFTMAX geometry: elements behind the last block of 8 are not in the sum of rows of more than 8
 *     smallest: x (1,9)
 * 941 SOFTMAX geometry: the sum begins again at element 512
 *     smallest: x (1,513)
 * 942 SOFTMAX geometry: the maximum of a row begins with that of the row before
 *     smallest: x (2,2)
 * 943 SOFTMAX geometry: rows of the input begin at multiples of 4
 *     smallest: x (3,2)
 * 944 SOFTMAX arithmetic: the reciprocal has one step of Newton's method
 *     smallest: x (1,2)
 * 945 SOFTMAX arithmetic: shares are rounded down
 *     smallest: x (1,2)
 * 946 LOGISTIC geometry: elements of a row from 256 are those 256 before
 *     smallest: x (1,257)
 * 947 LOGISTIC geometry: elements behind the last block of 64 are those of the block before
 *     smallest: x (65)
 * 948 LOGISTIC arithmetic: entries below the zero point are 256 minus the entry on its other side
 *     smallest: x (1)
 * 949 LOGISTIC arithmetic: inputs beyond 4 give the value of 4
 *     smallest: x (1)
 * 950 TANH geometry: the last of an odd number of rows is not written
 *     smallest: x (1,1)
 * 951 TANH geometry: the last partial block of 512 elements, from the third, is that two before
 *     smallest: x (1025)
 * 952 TANH arithmetic: entries are made from a LOGISTIC of 7 bits
 *     smallest: x (1)
 * 953 TANH arithmetic: the input zero point is missing
 *     smallest: x (1)
 * 954 QUANTIZE geometry: the address of an input has 12 bits
 *     smallest: x (4097)
 * 955 QUANTIZE geometry: rows behind the last block of 4 are the row before
 *     smallest: x (2,1)
 * 956 QUANTIZE arithmetic: the product is rounded toward zero
 *     smallest: x (1)
 * 957 QUANTIZE arithmetic: a shift to the left is made behind the product
 *     smallest: x (1) */

/* --- Files and flatbuffers, as in device.c ------------------------------------------------------------------------ */

enum { NAME = 1024, MOST_DIMS = 8, MOST_OPERANDS = 40, MOST_TENSORS = 64 };
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

/* Number of the inference of a case, and the first input of the inference before. */
static size_t inference;
static int8_t *earlier;

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

/* Padding before a size that is a multiple of the stride. */
static int multiple(int window, int stride, int dilation) {
    int total = (window - 1) * dilation + 1 - stride;
    return total > 0 ? total / 2 : 0;
}

static int two_bits(int value) { return value & 3 ? value & 3 : 1; }

static int least(int a, int b) { return a < b ? a : b; }

/* Offset of tap i. */
static int tap(int i, int dilation) { return F(207) && i > 1 ? dilation + i - 1 : i * dilation; }

static void pad(Window *at, const Tensor *x, const Tensor *y, int valid) {
    at->top = valid ? 0 : before(height(x), height(y), at->rows, at->stride_h, at->dilation_h);
    at->left = valid ? 0 : before(columns(x), columns(y), at->columns, at->stride_w, at->dilation_w);
}

static int down(int value, int block) { return value - value % block; }

static int64_t over(int64_t value, int64_t block) { return (value + block - 1) / block * block; }

static void convolution(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Window k, Bounds to,
    int valid) {
    Bounds all = to;
    int group = depth(w), groups = depth(x) / group, zero = x->zero;
    if (F(8)) k.stride_h = k.stride_w;
    if (F(9)) k.stride_h = (int)clamp(k.stride_h, 1, 2), k.stride_w = (int)clamp(k.stride_w, 1, 2);
    if (F(10)) k.dilation_h = k.dilation_w;
    if (F(11) && (k.stride_h > 1 || k.stride_w > 1)) k.dilation_h = k.dilation_w = 1;
    if (F(21) && k.rows == 1 && k.columns == 1) k.stride_h = k.stride_w = 1;
    if (F(401) && k.stride_h > 1 && k.stride_w > 1) k.dilation_h = k.dilation_w = 1;
    if (F(702) && groups > 1) k.dilation_h = k.dilation_w = 1;
    pad(&k, x, y, valid);
    if (F(403)) k.left = least(k.left, 7);
    if (F(405) && !valid && k.rows % 2 == 0) --k.top;
    if (F(12) && !valid) k.left += odd(columns(x), columns(y), k.columns, k.stride_w, k.dilation_w);
    if (F(13) && !valid) k.left = before(columns(x), columns(y), k.columns, k.stride_w, 1);
    if (F(24) && height(x) == 1) k.left = 0;
    if (F(208) && !valid) k.top = multiple(k.rows, k.stride_h, k.dilation_h),
        k.left = multiple(k.columns, k.stride_w, k.dilation_w);
    int64_t carried = 0, tiles = (height(y) + 3) / 4, pitch = columns(x) * depth(x), area = height(y) * columns(y);
    int pointwise = k.rows * k.columns * k.stride_h * k.stride_w == 1;
    int taps = k.rows * k.columns * group, filter = (int)(w->size / w->dim[0]);
    if (F(805) && !valid && k.rows > height(x)) k.top = k.rows / 2;
    if (F(805) && !valid && k.columns > columns(x)) k.left = k.columns / 2;
    if (F(810)) k.dilation_h = least(k.dilation_h, 4), k.dilation_w = least(k.dilation_w, 4);
    if (F(33)) zero = 0;
    if (F(509) && valid && k.stride_w > 1)
        k.left = (columns(y) - 1) * k.stride_w + (k.columns - 1) * k.dilation_w + 1 - columns(x);
    if (F(515) && k.stride_w > 2) k.left = down(k.left, k.stride_w);
    if (F(701) && valid && k.stride_h > 1)
        k.top = (height(y) - 1) * k.stride_h + (k.rows - 1) * k.dilation_h + 1 - height(x);
    if (F(703)) k.stride_h = least(k.stride_h, k.rows), k.stride_w = least(k.stride_w, k.columns);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int64_t sum = 0, later = 0, bias = b
                        ? index_at(b, F(16) ? c % 64 : F(402) ? c % (depth(y) / groups) : c) : 0;
                    int image = F(6) ? 0 : F(7) ? n & 3 : n, first = F(204) ? 0
                        : (F(306) ? down(c, 4) : c) / (depth(y) / groups) * group;
                    int used = F(14) && group > 16 ? down(group, 16) : group;
                    int64_t made_at = at(y, n, oy, ox, c), pixel = n * area + oy * columns(y) + ox;
                    int last_tile = tiles > 2 && tiles % 2 && height(y) % 4 && oy / 4 == tiles - 1;
                    int64_t pixels = batches(y) * area, two = 0;
                    if (F(808) && batches(y) > 1 && pixel >= pixels - pixels % 4) continue;
                    if (F(507) && height(y) > 8 && columns(y) > 8 && oy >= down(height(y), 8)
                        && ox >= down(columns(y), 8)) continue;
                    if (F(513) && n * height(y) + oy > 255) continue;
                    if (F(523) && columns(y) % 16 == 0 && ox == columns(y) - 1) continue;
                    if (F(511) && valid && k.rows == 3 && k.columns == 3 && k.stride_h * k.stride_w == 1
                        && height(y) % 2 && oy && oy == height(y) - 1) {
                        bytes(y)[made_at] = bytes(y)[made_at - columns(y) * depth(y)];
                        continue;
                    }
                    if (F(707) && k.dilation_h * k.dilation_w > 1) image = 0;
                    if (F(520) && pointwise) image = (int)((pixel - pixel % 64) / area);
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int across = F(22) && k.columns == 1 && k.rows > 1;
                            int row = oy * k.stride_h - k.top + (across ? 0 : tap(i, k.dilation_h));
                            int column = (F(3) ? ox & 63 : ox) * k.stride_w - k.left 
                                         + tap(across ? i : j, k.dilation_w);
                            if ((F(1) && j > 2) || (F(2) && i > 4)) continue;
                            if (F(820) && i && !j) sum = clamp(sum, -32768, 32767);
                            if (F(802) && oy && oy % 16 == 0 && k.rows > 1 && !i) continue;
                            if (F(806)) row -= down(i, 8) * k.dilation_h;
                            if (F(807) && i * k.columns + j > 31) continue;
                            if (F(809) && column < 0) column = -column;
                            if (F(816) && k.stride_w == 2 && columns(x) % 2 && column > 1 && column % 2 && row % 2)
                                column -= 2;
                            if (F(817)) {
                                int past = row < 0 && row >= -height(x) && n;
                                image = n - past, row += past * height(x);
                            }
                            if (F(25) && ox % 16 == 15 && j && j == k.columns - 1) continue;
                            if (F(26) && oy % 8 == 7 && i && i == k.rows - 1) continue;
                            if (F(501) && ox / 16 < (columns(y) - 1) / 16
                                && column > (ox / 16 * 16 + 15) * k.stride_w - k.left + 2) continue;
                            if (F(502) && last_tile) row -= 4 * k.stride_h;
                            if (F(505) && pitch % 256 == 0 && i % 2) row -= k.dilation_h;
                            if (F(510) && k.dilation_w > 1 && column >= down(columns(x), k.dilation_w)) continue;
                            if (F(519) && depth(x) == 3 && j > 4) continue;
                            if (F(514)) {
                                int next = row >= height(x) && row < 2 * height(x) && n + 1 < batches(x);
                                image = n + next, row -= next * height(x);
                            }
                            if (F(5)) row = row < 0 ? row : row & 255;
                            if (F(202) && row >= height(x)) row = height(x) - 1;
                            if (F(303) && k.stride_w > 1 && column >= columns(x)) column = columns(x) - 1;
                            if (F(305) && k.dilation_w > 1 && column >= columns(x) && row >= 0 && row + 1 < height(x))
                                ++row, column -= columns(x);
                            if (F(203) && column >= columns(x) && row >= 0 && row + 1 < height(x))
                                ++row, column -= columns(x);
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            int above_image = F(705) && inference && row < 0 && row >= -height(x) && column >= 0
                                && column < columns(x) && !n;
                            if (out && !F(27) && !above_image) continue;
                            for (int d = 0; d < used; ++d) {
                                int64_t from = out ? 0 : at(x, image, row, column, first + (F(15) ? d & 255 : d));
                                int64_t weight = at(w, c, i, j, F(205) && d && group % 2 && d == group - 1 ? d - 1 : d);
                                if (F(209)) weight = at(w, c, 0, 0, 0) + (at(w, 0, i, j, d) & 4095);
                                int product = (i * k.columns + j) * group + d;
                                if (F(803) && taps > 16 && taps % 16 < 4 && product >= down(taps, 16)) continue;
                                if (F(813) && groups > 1 && c % (depth(y) / groups) > 15) weight -= 16 * filter;
                                if (F(814) && k.rows * k.columns == 1 && d > 511) continue;
                                if (F(815) && c > 255) weight -= 256 * filter;
                                if (F(812) && !out && depth(x) % 64 == 0 && first + d == depth(x) - 1 && column % 2)
                                    from -= depth(x);
                                if (F(212) && !valid && !out)
                                    from = at(x, 0, image * height(y) * k.stride_h + row, column, first + d);
                                if (F(301) && !out)
                                    from = at(x, image, row, 0, 0) + ((column * depth(x) + first + d) & 2047);
                                if (F(504) && n && w->size > 8192) weight &= 8191;
                                if (F(506)) from -= (int64_t)ox * down(k.stride_w * depth(x), 256);
                                if (F(512) && (i * k.columns + j) * group + d > 4095) continue;
                                if (from >= x->size || from < 0) from = 0;
                                int stored = out ? 0 : bytes(x)[F(19) ? from & 65535 : from];
                                if (F(708) && oy > 7 && c > 31) weight -= 32 * (w->size / w->dim[0]);
                                if (above_image) stored = earlier[at(x, 0, row + height(x), column, first + d)];
                                if (F(811) && pointwise && depth(x) == depth(y) && first + d < c) stored = bytes(y)[from];
                                int64_t above = stored - (F(214) && d > 63 ? 0 : zero);
                                if (F(406) && above == -1) above = 0;
                                int64_t term = above * bytes(w)[F(18) ? weight & 65535 : weight];
                                if (F(818) && k.columns == 5 && j == 2) term *= 2;
                                if (F(819)) {
                                    two += (stored + 128) * bytes(w)[weight];
                                    if (d % 2) sum += clamp(two, -32768, 32767) - two;
                                    if (d % 2 || d == used - 1) two = 0;
                                }
                                if (d > 63) later += term;
                                sum += term;
                                if (F(29)) sum = clamp(sum, -32768, 32767);
                                if (F(503) && d % 32 == 31 && d < used - 1) sum = clamp(sum, -524288, 524287);
                            }
                        }
                    int channel = F(28) ? 0 : F(17) && c >= down(depth(y), 8) ? down(c, 8) : F(210) ? c & 255 : c;
                    Multiplier m = multiplier((double)scale(x, 0) * scale(w, channel) / scale(y, 0));
                    if (F(30)) bias = clamp(bias, -32768, 32767);
                    if (F(801) && c > 15 && oy) bias = 0;
                    if (F(822) && all.low > -128) to.low = 0;
                    if (F(823)) m.shift = multiplier((double)scale(x, 0) * scale(w, 0) / scale(y, 0)).shift;
                    if (F(35) || (F(201) && depth(y) > 32 && c >= down(depth(y), 32))) bias = 0;
                    if (F(206) && group > 64 && to.low > -128 && sum - later + bias < 0) sum = later - bias;
                    if (F(213) && k.rows * k.columns * group > 512) sum &= ~1LL;
                    if (F(304) && n && !oy && !ox && !c) sum += carried;
                    sum = (int32_t)(sum + bias); /* wraps */
                    carried = sum;
                    if (F(404) && batches(y) > 1) to.high = oy == height(y) - 1 ? 127 : all.high;
                    if (F(308) && m.shift < -15) m.shift = -15;
                    if (F(38)) sum = clamp(sum, -524288, 524287);
                    if (F(821)) sum = ((sum + 2097152) & 4194303) - 2097152;
                    if (F(508) && c > 63)
                        m.shift = multiplier((double)scale(x, 0) * scale(w, c - 64) / scale(y, 0)).shift;
                    if (F(518)) m.m = m.m & -65536;
                    if (F(704) && length(w->scales) == 1 && c > 15) m.m = 0;
                    int64_t made = F(31) ? rescaled_once(sum, m) : F(32) ? rescaled_to_zero(sum, m) : rescaled(sum, m);
                    if (F(37) && m.shift < 0) made = (2 * high_product(sum, m.m) + (1LL << -m.shift)) >> (1 - m.shift);
                    if (F(516) && m.shift < -8) made = high_product(sum, m.m) >> -m.shift;
                    if (F(517) && m.shift <= 0) made = shifted((sum * m.m + (1LL << 30)) / (1LL << 31), -m.shift);
                    int64_t to_byte = at(y, n, oy, ox, c);
                    if (F(804)) to_byte += n * (over(y->size / batches(y), 4) - y->size / batches(y));
                    if (F(804) && to_byte >= y->size) continue;
                    if (F(407) && group % 4 == 0 && columns(y) % 2 && ox && ox == columns(y) - 1) {
                        bytes(y)[to_byte] = bytes(y)[to_byte - depth(y)];
                        continue;
                    }
                    made = F(36) ? (int8_t)(made + y->zero) : made + y->zero;
                    if ((F(4) && ox >= 128) || (F(23) && n && k.rows == 1 && k.columns == 1)) continue;
                    if (F(302) && c >= down(depth(y), 16)) to.low = -128, to.high = 127;
                    if (F(302) && c < down(depth(y), 16)) to = all;
                    if (F(211) && height(y) % 2 && oy == height(y) - 1 && n < batches(y) - 1) continue;
                    bytes(y)[F(20) ? to_byte & 32767 : to_byte] = (int8_t)clamp(made, to.low, to.high);
                }
}

static void depthwise(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Window k, Bounds to,
    int valid) {
    int times = depth(y) / depth(x);
    if (F(218)) k.dilation_h = two_bits(k.dilation_h), k.dilation_w = two_bits(k.dilation_w);
    if (F(44)) k.dilation_h = 1;
    if (F(45)) k.stride_h = k.stride_w;
    if (F(54)) k.stride_h = two_bits(k.stride_h), k.stride_w = two_bits(k.stride_w);
    pad(&k, x, y, valid);
    int spread_rows = (k.rows - 1) * k.dilation_h + 1;
    int64_t each = x->size / batches(x);
    if (F(524) && columns(y) < 4) k.stride_w = 1;
    if (F(828) && !valid) k.left = (k.columns - 1) * k.dilation_w / 2;
    if (F(829) && times > 1) k.dilation_h = k.dilation_w = 1;
    if (F(711) && !valid) k.top = before(height(x), height(y), k.rows, k.stride_h, 1);
    if (F(709) && times > 1) k.stride_h = k.stride_w = 1;
    if (F(525) && !valid && k.rows == 3 && k.columns == 3 && k.stride_h == 2 && k.stride_w == 2) k.left = 0;
    if (F(410) && k.rows == 1) k.dilation_w = 1;
    if (F(217) && !valid) k.top = (k.rows - 1) * k.dilation_h / 2;
    if (F(224) && k.columns % 2 == 0) ++k.left;
    if (F(46) && !valid) k.top += odd(height(x), height(y), k.rows, k.stride_h, k.dilation_h);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int from = F(41) ? c % depth(x) : F(42) && times > 4 ? c / times * (c % times < 4) : c / times;
                    int weights = F(43) && c >= down(depth(y), 8) && c ? c - 1 : F(408) ? least(c, 511) : c;
                    int64_t sum = 0, bias = b ? index_at(b, F(216) ? c % depth(x) : c) : 0;
                    if (F(712) && n) bias = 0;
                    if (F(826) && b && depth(y) > 16 && c >= down(depth(y), 16)) bias = index_at(b, c - 16);
                    if (F(831) && n) weights = c % 32;
                    if (F(832) && columns(y) % 2 && ox == columns(y) - 1 && oy) continue;
                    if (F(713) && columns(y) > 8 && depth(y) > 32 && ox >= down(columns(y), 8) && c >= down(depth(y), 32))
                        continue;
                    if (F(48)) from &= 255;
                    if (F(521) && times > 1) from = down(c, 16) / times + c % 16 / times;
                    if (F(309) && times > 1)
                        from = least(from, down(depth(x), 4) < depth(x) ? down(depth(x), 4) : from);
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int along = F(53) && k.rows == 1 && k.columns > 1;
                            int row = oy * k.stride_h - k.top + (along ? j : i) * k.dilation_h;
                            int column = ox * k.stride_w - k.left + (along ? 0 : j * k.dilation_w);
                            if (F(835) && i && !j) sum = (int16_t)sum;
                            if (F(825) && ox && ox % 8 == 0 && k.columns > 1 && !j) continue;
                            if (F(827) && i * k.columns + j > 24) continue;
                            if (F(830) && k.dilation_h > 1 && k.rows > 2 && !i) row += 2 * k.dilation_h;
                            if (F(833)) row = row < 0 || row >= height(x) ? row : row & 127;
                            if (F(710) && k.stride_w > 1 && column >= columns(x)) column = columns(x) - 1;
                            if (F(522) && spread_rows > 8 && i * k.dilation_h < spread_rows - 8) row += 8;
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            if ((F(47) && i > 6) || (out && !F(55))) continue;
                            if (F(50) && ox % 32 == 31 && j && j == k.columns - 1) continue;
                            if (F(310) && k.dilation_h > 1 && oy % 8 == 7 && i && i == k.rows - 1) continue;
                            if (F(219) && oy && oy % 16 == 0 && k.rows > 1 && !i) continue;
                            int64_t place = out ? 0 : at(x, F(49) ? 0 : n, row, F(221) ? column & 127 : column, from);
                            if (F(311) && valid && !out)
                                place = ((int64_t)(n * height(x) + row) * columns(y) * k.stride_w + column)
                                    * depth(x) + from;
                            if (F(526)) place -= n * (each - each % 32768);
                            if (F(824)) place += n * (over(each, 4) - each);
                            if (place >= x->size) place = 0;
                            int64_t weight = at(w, 0, i, j, weights);
                            int stored = out ? 0 : bytes(x)[F(51) ? place & 65535 : place];
                            if (F(529) && x->zero == -128) stored -= 256;
                            sum += (F(312) ? clamp(stored - x->zero, -128, 127) : (int64_t)(stored - x->zero))
                                * bytes(w)[F(220) ? weight & 1023 : weight];
                        }
                    int channel = F(52) ? c & 31 : F(215) ? c / times : F(409) && times > 1 && c % times == times - 1
                        ? least(c + 1, depth(y) - 1) : c;
                    Multiplier m = multiplier((double)scale(x, 0) * scale(w, channel) / scale(y, 0));
                    if (F(59)) sum = (int16_t)sum;
                    if (F(411)) sum = (sum + bias + 131072) & 262143, sum -= 131072 + bias;
                    if (F(223)) bias = clamp(bias, -131072, 131071);
                    int64_t made = F(56) ? rescaled(sum, m) + rescaled(bias, m) : F(57) ? rescaled_once(sum + bias, m)
                                                                                : rescaled((int32_t)(sum + bias), m);
                    if (F(530) && m.shift < 0)
                        made = shifted(high_product(sum + bias, m.m) + y->zero * (1LL << -m.shift), -m.shift) - y->zero;
                    if (F(834)) made = rescaled_to_zero(sum + bias, m);
                    if (F(58)) made = clamp(made, -128, 127);
                    if (F(60)) to.low = -128, to.high = 127;
                    if (F(222) && n && n == batches(y) - 1 && height(y) % 2 && oy == height(y) - 1) continue;
                    bytes(y)[at(y, n, oy, ox, c)] = (int8_t)clamp(made + y->zero, to.low, to.high);
                }
}

static void fully_connected(const Tensor *x, const Tensor *w, const Tensor *b, const Tensor *y, Bounds to) {
    int units = w->dim[0], deep = w->dim[1];
    static int64_t carried;
    for (int64_t n = 0; n < y->size; ++n) {
        int unit = (int)(n % units), used = deep;
        int64_t row = n / units, sum = 0, bias = 0, rows = y->size / units;
        int64_t from = F(227) && rows > 4 && row >= rows - rows % 4 ? rows - rows % 4 : row;
        int64_t pitch = F(229) ? (deep + 15) / 16 * 16 : deep, pair = 0;
        int read = F(228) && units > 32 && unit >= down(units, 32) && (unit ^ 1) < units ? unit ^ 1 : unit;
        if (b) bias = index_at(b, F(66) && unit >= down(units, 16) ? down(unit, 16) : F(536) ? unit & 255 : unit);
        int64_t by_all = 0;
        if (F(533)) from &= 255;
        int64_t block = 0;
        if (F(838) && rows % 2 && row && row == rows - 1) { bytes(y)[n] = bytes(y)[n - units]; continue; }
        if (F(839)) used = deep / 16 % 64 * 16 + deep % 16;
        if (F(840) && row && unit >= down(units, 4)) continue;
        if (F(841) && b && unit > 31) bias = index_at(b, unit % 32);
        if (F(534) && x->rank == 4 && row >= x->dim[0] * x->dim[1]) continue;
        if (F(535) && units == 1) sum = row ? carried : 0;
        if (F(716) && inference && !n) sum = carried;
        if (F(715) && row >= rows - rows % 4 && unit >= down(units, 8)) bias = 0;
        if (F(539) && deep % 128 == 0) used = deep - 128;
        if (F(61)) used = (int)clamp(used, 0, 1024);
        if (F(65) && deep > 4) used = down(deep, 4);
        if ((F(64) && row > 3) || (F(67) && row >= x->dim[0]) || (F(70) && unit >= 1000)) continue;
        for (int d = 0; d < used; ++d) {
            int64_t weight = (int64_t)(F(63) ? read & 255 : read) * deep + d;
            int64_t place = from * pitch + (F(62) ? d & 4095 : d);
            if (F(412) && row > 63) place = row / 64 * 64 * deep + d;
            if (F(413) && deep == 1) place = 0;
            if (F(531) && unit / 64 % 2 && deep > 512 && d < 64) weight -= 64 * deep;
            if (F(532) && deep > 16 && deep % 16 > 8 && d >= down(deep, 16) + 8) continue;
            if (F(837) && deep > 8 && d >= down(deep, 8)) weight -= 8;
            if (F(842) && d > 511) place -= 512;
            if (F(843)) weight += unit * (over(deep, 4) - deep);
            if (weight >= w->size) weight = 0;
            if (place >= x->size) place = 0;
            int stored = bytes(x)[place], by = bytes(w)[F(68) ? weight & 65535 : weight];
            int64_t above = stored - (F(231) && deep > 8 && d >= down(deep, 8) ? 0 : x->zero);
            if (F(537) && units > 8 && units % 8 == 1 && unit == units - 1) above = stored;
            by_all += by;
            sum += above * (F(76) && by == -127 ? -126 : by) * (F(71) && deep % 2 && !d ? 2 : 1);
            if (F(315)) {
                pair += above * by, sum -= above * by;
                if (d % 2 || d == used - 1) sum += clamp(pair, -32768, 32767), pair = 0;
            }
            block += above * by;
            if (F(845) && (d % 32 == 31 || d == used - 1)) sum += clamp(block, -32768, 32767) - block;
            if (d % 32 == 31) block = 0;
            if (F(225) && d == 127 && deep > 128 && to.low > -128 && sum + bias < 0) sum = -bias;
            if (F(226) && d % 256 == 255) sum = clamp(sum, -2097152, 2097151);
        }
        if (F(847) && to.low > -128 && sum < 0) sum = 0;
        carried = sum;
        if (F(538)) sum += x->zero * (by_all - (int16_t)by_all);
        if (F(313) && units % 2 && unit == units - 1 && row) bias = 0;
        if (F(316) && row > 15 && unit && b) bias = index_at(b, unit - 1);
        if (!(F(69) && units == 1)) sum += bias;
        if (F(350) && deep > 256) sum &= ~1LL;
        if (F(75)) sum = clamp(sum, -524288, 524287);
        int scaled = F(74) ? 0 : F(230) ? unit & 127 : unit;
        double value = (int32_t)sum * ((double)scale(x, 0) * scale(w, scaled) / scale(y, 0));
        if (F(846)) {
            float step = (float)((double)scale(x, 0) * scale(w, scaled) / scale(y, 0));
            uint32_t bits;
            memcpy(&bits, &step, sizeof bits);
            bits &= 0xffff0000, memcpy(&step, &bits, sizeof step);
            value = (int32_t)sum * (double)step;
        }
        if (F(717) && length(w->scales) == 1 && unit > 15) value = 0;
        if (F(414) && to.high < 127) to.high = (int)clamp(to.high - y->zero, -128, 127);
        if (F(77)) to.low = -128, to.high = 127;
        value = F(72) ? rint(value) : round(value);
        int64_t to_byte = F(844) ? n - row / 8 * 8 * units : n;
        bytes(y)[to_byte] = (int8_t)clamp((int64_t)value + (F(73) ? 0 : y->zero), to.low, to.high);
    }
}

static void average(const Tensor *x, const Tensor *y, Window k, Bounds to, int valid) {
    if (F(84)) k.stride_w = k.stride_h;
    int64_t each = x->size / batches(x);
    if (F(237)) to.high = 127;
    if (F(545)) to.low = -128;
    if (F(720)) k.stride_h = least(k.stride_h, 2);
    if (F(415) && k.rows >= height(x) && k.columns >= columns(x)) to.low = -128, to.high = 127;
    if (F(318)) k.stride_w = least(k.stride_w, k.columns), k.stride_h = least(k.stride_h, k.rows);
    pad(&k, x, y, valid);
    if (F(853) && !valid) k.top += odd(height(x), height(y), k.rows, k.stride_h, 1);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int64_t sum = 0, count = 0;
                    int64_t means = 0, lines = 0;
                    if (F(852) && batches(y) > 1 && batches(y) % 2 && n == batches(y) - 1) continue;
                    for (int i = 0; F(855) && i < k.rows; ++i) {
                        int64_t line = 0, inside = 0;
                        for (int j = 0; j < k.columns; ++j) {
                            int row = oy * k.stride_h - k.top + i, column = ox * k.stride_w - k.left + j;
                            if (row < 0 || row >= height(x) || column < 0 || column >= columns(x)) continue;
                            line += bytes(x)[at(x, n, row, column, c)], ++inside;
                        }
                        if (inside) means += (line + (line > 0 ? inside / 2 : -(inside / 2))) / inside, ++lines;
                    }
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int row = oy * k.stride_h - k.top + i, column = ox * k.stride_w - k.left + j;
                            if (F(851)) column -= down(ox, 64) * k.stride_w;
                            if (F(849) && column >= columns(x) && row >= 0 && row < height(x)) ++count;
                            if (F(233) && row >= height(x) && column >= 0 && column < columns(x)) ++count;
                            if (row < 0 || row >= height(x) || column < 0 || column >= columns(x)) continue;
                            if ((F(87) && j > 7) || (F(235) && i > 15)) continue;
                            if ((F(848) && oy && oy % 8 == 0 && k.rows > 1 && !i) || (F(850) && i * k.columns + j > 63)) {
                                ++count;
                                continue;
                            }
                            if (F(543) && c >= down(depth(x), 4) && i && i == k.rows - 1) continue;
                            if (F(236) && valid) row = (row + n * height(y) * k.stride_h) % (height(x) * batches(x));
                            int from = F(83) && c && c >= down(depth(x), 16) ? c - 1 : c;
                            int image = F(85) || (F(236) && valid) ? 0 : n;
                            int64_t place = at(x, image, row, F(86) ? column & 255 : column, from);
                            if (F(856)) sum += clamp(to.low - bytes(x)[place], 0, 255);
                            sum += bytes(x)[F(544) ? place - n * (each - each % 4096) : place], ++count;
                            if (F(542) && j == 0 && k.stride_w == 1 && column && column + k.columns > columns(x))
                                sum += bytes(x)[at(x, n, row, column - 1, c)];
                        }
                    if (F(317) && depth(x) % 2 && c == depth(x) - 1) count = k.rows * k.columns;
                    if (F(81)) count = k.rows * k.columns;
                    if (F(82)) count = count & 255 ? count & 255 : 256;
                    if (F(90)) sum = clamp(sum, -2048, 2047);
                    if (F(541)) sum = (int16_t)sum;
                    if (F(719) && n) count = k.rows * k.columns;
                    if (!count) count = 1;
                    int64_t half = F(88) ? 0 : count / 2;
                    int64_t mean = sum > 0 ? (sum + half) / count : (sum - half) / count;
                    int64_t above = sum - count * x->zero;
                    if (F(854)) mean = (above > 0 ? above + half : above - half) / count + x->zero;
                    if (F(855) && lines) mean = (means + (means > 0 ? lines / 2 : -(lines / 2))) / lines;
                    if (F(234)) mean = (sum * ((4096 + count / 2) / count) + (sum > 0 ? 2048 : -2048)) / 4096;
                    if (F(416) && k.rows * k.columns % 2) mean = (int64_t)floor((double)sum / (double)count);
                    if (F(721) && count == 4) mean = (sum + 2) >> 2;
                    if (F(89)) mean = (int64_t)floor((double)sum / (double)count + 0.5);
                    bytes(y)[at(y, n, oy, ox, c)] = (int8_t)clamp(mean, to.low, to.high);
                }
}

static void maximum(const Tensor *x, const Tensor *y, Window k, Bounds to, int valid) {
    if (F(93) && k.stride_w > k.columns) k.stride_w = k.columns;
    if (F(93) && k.stride_h > k.rows) k.stride_h = k.rows;
    pad(&k, x, y, valid);
    Bounds all = to;
    int pairs = k.rows == 2 && k.columns == 2 && k.stride_h == 2 && k.stride_w == 2;
    int64_t pitch = columns(x) * depth(x);
    int left = k.left, carried = -128;
    if (F(859)) k.stride_h = k.stride_w;
    if (F(863)) to.high = 127;
    if (F(241)) k.stride_h = two_bits(k.stride_h), k.stride_w = two_bits(k.stride_w);
    if (F(722) && !valid && k.columns % 2 == 0) ++k.left;
    if (F(242) && !valid) k.top += odd(height(x), height(y), k.rows, k.stride_h, 1);
    if (F(96) && !valid) k.left += odd(columns(x), columns(y), k.columns, k.stride_w, 1);
    for (int n = 0; n < batches(y); ++n)
        for (int oy = 0; oy < height(y); ++oy)
            for (int ox = 0; ox < columns(y); ++ox)
                for (int c = 0; c < depth(y); ++c) {
                    int most = F(98) ? 0 : -128, seen = 0;
                    if (F(860) && n && !oy && !ox && !c) most = carried;
                    if (F(862)) k.left = n ? 0 : left;
                    for (int j = 0; F(861) && oy && k.stride_h < k.rows && j < k.columns; ++j) {
                        int row = oy * k.stride_h - k.top - 1, column = ox * k.stride_w - k.left + j;
                        if (row < 0 || row >= height(x) || column < 0 || column >= columns(x)) continue;
                        if (bytes(x)[at(x, n, row, column, c)] > most) most = bytes(x)[at(x, n, row, column, c)];
                    }
                    for (int i = 0; i < k.rows; ++i)
                        for (int j = 0; j < k.columns; ++j) {
                            int row = oy * k.stride_h - k.top + i, column = ox * k.stride_w - k.left + j;
                            if (F(857) && ox && ox % 16 == 0) --column;
                            if (F(858) && k.rows == 3 && k.columns == 3 && k.stride_h == 2 && k.stride_w == 2
                                && (i > 1 || j > 1)) continue;
                            if (F(864)) row = row < 0 || row >= height(x) ? row : row & 63;
                            if (F(546) && pairs && column >= columns(x) && row >= 0 && row + 1 < height(x))
                                ++row, column = 0;
                            if (F(547) && ox > 127 && i) continue;
                            int next = F(548) && row >= height(x) && row < 2 * height(x) && n + 1 < batches(x);
                            row -= next * height(x);
                            if (F(238) && column < 0 && row > 0 && row < height(x)) --row, column += columns(x);
                            int out = row < 0 || row >= height(x) || column < 0 || column >= columns(x);
                            if ((F(92) && i > 3) || (F(240) && j > 15) || (out && !F(91) && !(F(723) && n))) continue;
                            if (F(417) && columns(x) < k.columns && column > 0) continue;
                            if (F(319) && k.columns % 2 && j && j == k.columns - 1 && ox == columns(y) - 1) continue;
                            if (F(239) && oy % 32 == 31 && i && i == k.rows - 1) continue;
                            if (F(97) && ox % 8 == 7 && j && j == k.columns - 1) continue;
                            int image = F(94) ? n & 1 : n, used = (height(y) - 1) * k.stride_h + k.rows;
                            if (F(418) && valid) row = (row + n * used) % (height(x) * batches(x)), image = 0;
                            int from = F(95) ? c & 127 : F(608) && depth(x) % 32 == 0 && c == depth(x) - 1 ? c - 1 : c;
                            int64_t place = at(x, image + next, row, column, from);
                            if (F(550) && !out) place -= row * (pitch - pitch % 4096);
                            int value = out ? 0 : bytes(x)[place];
                            if (F(549) ? !seen++ || (uint8_t)value > (uint8_t)most : value > most) most = value;
                        }
                    carried = most;
                    if (F(320)) to.low = c > 15 ? -128 : all.low, to.high = c > 15 ? 127 : all.high;
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
    if (F(886) && what == MOST) return (int8_t)(a - b) > 0 ? a : b;
    if (F(885) && what == LEAST) return a >> 1 <= b >> 1 ? a : b;
    if (F(896) && what == EQUAL) return a == b;
    if (F(871) && what == ADD) b = (int8_t)(b - zero) + zero;
    if (F(875) && what == SUB) b = 2 * zero - (int)clamp(2 * zero - b, -128, 127);
    if (F(894) && what == LESS_EQUAL) b += r->zero - l->zero;
    if (what == MOST) return a > b ? a : b;
    if (what == LEAST) return a < b ? a : b;
    if (what >= EQUAL) {
        if (F(129) && what == GREATER) return a > b;
        int by = F(564) && what == LESS ? 16 : 256;
        if (F(749) && what == GREATER)
            a = (int)clamp(a - l->zero, -128, 127) + l->zero, b = (int)clamp(b - r->zero, -128, 127) + r->zero;
        int64_t left = rescaled((int64_t)(a - l->zero) * by, multiplier(scale(l, 0)));
        int64_t right = rescaled((int64_t)(b - r->zero) * by, multiplier(scale(F(347) && what == LESS ? l : r, 0)));
        if (F(605) && what == NOT_EQUAL) return left - right > 1 || right - left > 1;
        if (F(895) && what == GREATER_EQUAL) {
            Multiplier ml = multiplier(scale(l, 0)), mr = multiplier(scale(r, 0));
            ml.m &= ~((1 << 23) - 1), mr.m &= ~((1 << 23) - 1);
            return rescaled((int64_t)(a - l->zero) * by, ml) >= rescaled((int64_t)(b - r->zero) * by, mr);
        }
        return compare(what, left, right);
    }
    if (what == MUL) {
        Multiplier m = multiplier(scale(l, 0) * scale(r, 0) / scale(y, 0));
        int64_t product = (int64_t)(a - (F(115) && l == r ? 0 : l->zero)) * (b - zero);
        if (F(251) && m.shift > 0) m.shift = 0;
        if (F(127)) product = clamp(product, -16384, 16383);
        if (F(563)) product = (int16_t)product;
        if (F(728)) return clamp(rescaled(product, m), -128, 127) + y->zero;
        if (F(880)) return rescaled_once(product, m) + y->zero;
        return (F(128) ? rescaled_to_zero(product, m) : rescaled(product, m)) + y->zero;
    }
    double twice = 2 * (scale(l, 0) > scale(r, 0) ? scale(l, 0) : scale(r, 0));
    Multiplier ml = multiplier(scale(l, 0) / twice), mr = multiplier(scale(r, 0) / twice);
    if (F(247) && what == ADD) ml.shift = ml.shift < -3 ? -3 : ml.shift, mr.shift = mr.shift < -3 ? -3 : mr.shift;
    if (F(353) && what == SUB) mr = ml;
    int64_t left = rescaled((int64_t)(a - l->zero) * (1 << up), ml);
    int64_t right = rescaled((int64_t)(b - zero) * (1 << up), mr);
    Multiplier m = multiplier(twice / ((1 << up) * (double)scale(y, 0)));
    int64_t sum = what == SUB ? left - right : left + right;
    if (F(870) && what == ADD) {
        double big = twice / 2, first = round((a - l->zero) * scale(l, 0) / big);
        return (int64_t)round((first + round((b - zero) * scale(r, 0) / big)) * big / scale(y, 0)) + y->zero;
    }
    if (F(561) && what == SUB && scale(l, 0) == scale(r, 0))
        sum = rescaled(clamp(a - l->zero - b + zero, -128, 127) * (1 << up), ml);
    if (F(562) && what == ADD && scale(l, 0) == scale(r, 0) && scale(l, 0) == scale(y, 0))
        return (int8_t)(a - l->zero + b - zero + y->zero);
    return (F(124) && what == ADD ? rescaled_once(sum, m) : rescaled(sum, m)) + y->zero;
}

static int64_t faulty_left(int what, const Tensor *l, const Tensor *r, const Tensor *y, const int *index, int64_t n,
    int64_t sound) {
    if (((F(102) && what == ADD) || (F(120) && what == LESS)) && l->size < y->size) return 0;
    if (F(103) && what == ADD && l->size < y->size) return n % l->size;
    if (F(104) && what == ADD && l->rank > 4) return n % (l->size / l->dim[0]);
    if (F(109) && what == ADD && l->rank < y->rank && l->rank > 0) {
        int64_t made = 0;
        for (int d = 0; d < l->rank; ++d) made = made * l->dim[d] + (l->dim[d] > 1 ? index[d] % l->dim[d] : 0);
        return made;
    }
    int deep = l->rank ? l->dim[l->rank - 1] : 1, both = l->size < y->size && r->size < y->size;
    if (F(877) && what == MUL && l->rank == 4 && l->dim[1] * l->dim[2] == 1 && y->dim[1] * y->dim[2] > 1
        && sound % deep >= down(deep, 4)) return sound - sound % deep;
    if (F(882) && what == MOST && both && l->rank == y->rank && l->rank > 1) return sound % (l->size / l->dim[0]);
    if (F(889) && what == NOT_EQUAL && l->size < y->size && deep > 4 && sound % deep >= down(deep, 4))
        return sound - sound % deep;
    if (F(893) && what == GREATER_EQUAL && l->size == deep && l->size < y->size) return sound & 31;
    if (F(606) && what == MOST && l->size == deep && deep > 1 && n >= deep) return n % ((deep + 3) / 4 * 4) % deep;
    if (F(555) && what == LEAST && both) return n % l->size;
    if (F(726) && what == SUB && l->rank == 4 && l->dim[2] == 1 && y->dim[2] > 1)
        return sound - (index[1] - index[2] % l->dim[1]) * (l->dim[1] > 1) * deep;
    if (F(730) && what == LEAST && l->rank == 4 && l->dim[1] == 1 && y->dim[1] > 1 && l->dim[2] > 1)
        return sound - index[2] * l->dim[3];
    if (F(111) && what == ADD && l->size < y->size && l->size > 1) return sound & 255;
    if (F(244) && what == ADD) return sound & 16383;
    if (F(421) && what == SUB && l->rank > 1 && l->size < y->size && l->dim[l->rank - 1] == 1) return n % l->size;
    if (F(250) && what == MUL && l->size < y->size && l->rank > 1) return sound % (l->size / l->dim[0]);
    if (F(112) && what == ADD && l->constant) return sound & 1023;
    return sound;
}

static int64_t faulty_right(int what, const Tensor *l, const Tensor *r, const Tensor *y, int64_t n, int64_t sound) {
    int64_t image = r->rank > 1 ? r->size / r->dim[0] : r->size;
    int wide = y->rank ? y->dim[y->rank - 1] : 1, deep = r->rank ? r->dim[r->rank - 1] : 1;
    int tail = n % wide >= down(wide, 16);
    if (F(865) && what == ADD && r->rank > 1 && deep == 1 && wide > 1 && r->size == r->dim[r->rank - 2])
        return n % wide % r->size;
    if (F(867) && what == ADD && r->size == y->size && n > 2047 && n >= down((int)y->size, 1024)) return n - 2048;
    if (F(872) && what == SUB && l->size < y->size && r->rank > 1 && r->dim[r->rank - 2] > 1 && tail
        && sound / deep % r->dim[r->rank - 2]) return sound - deep;
    if (F(876) && what == MUL && r->rank == 4 && r->dim[1] * r->dim[2] == 1)
        return sound - sound % deep + (sound + n / ((int64_t)wide * y->dim[2]) % y->dim[1]) % deep;
    if (F(878) && what == MUL && l == r && n && n >= y->size - y->size % 8) return sound - 1;
    if (F(881) && what == MOST && r->size == deep && r->size < y->size) return sound > 63 ? 63 : sound;
    if (F(883) && what == LEAST && r->rank && deep == 1 && wide > 1) return sound - sound % 4;
    if (F(888) && what == EQUAL && r->size == y->size && r->rank > 1 && n >= 2 * (r->size / r->dim[0]))
        return sound % (r->size / r->dim[0]);
    if (F(891) && what == LESS_EQUAL && deep > 256 && n % wide > 255) return sound - 256;
    if (F(551) && what == ADD && r->rank == 4 && r->dim[2] == 1 && y->dim[2] > 1)
        return sound - down((int)(sound / r->dim[3] % r->dim[1]), 16) * r->dim[3];
    if (F(552) && what == MUL && r->rank == 4 && r->dim[1] * r->dim[2] == 1 && y->dim[1] * y->dim[2] > 1)
        return sound - down((int)(sound % r->dim[3]), 256);
    if (F(727) && what == MUL && r->constant && r->size == y->size) return sound & 255;
    if (F(604) && what == GREATER && l->size < y->size && r->size < y->size) return 0;
    if (((F(117) && what == MUL) || (F(118) && what == MOST)) && r->rank > 1) return sound % image;
    if (F(243) && what == ADD && r->rank && r->dim[r->rank - 1] == 1 && r->size < y->size) {
        int64_t further = sound + n % y->dim[y->rank - 1] / 64;
        return further < r->size ? further : sound;
    }
    if (F(245) && what == ADD && r->rank == 5) {
        int64_t inside = r->size / r->dim[0] / r->dim[1];
        return sound / (inside * r->dim[1]) * inside * r->dim[1] + sound % inside;
    }
    if (F(253) && what == LEAST && r->rank < y->rank && r->rank > 0) {
        int64_t made = 0, inside = y->size;
        for (int d = 0; d < r->rank; ++d)
            inside /= y->dim[d], made = made * r->dim[d] + (r->dim[d] > 1 ? n / inside % y->dim[d] % r->dim[d] : 0);
        return made;
    }
    if (F(419) && what == ADD && r->constant && r->rank == 1 && r->size > 1 && r->size < y->size
        && n >= y->size / y->dim[0]) return (sound + 1) % r->size;
    if (F(420) && what == ADD && y->rank == 4 && y->dim[1] == 1 && y->dim[0] > 1) return sound % image;
    if (F(321) && what == ADD && r->rank == 3 && r->dim[1] == 1 && y->dim[y->rank - 2] > 1) return sound % r->dim[2];
    if (F(325) && what == MUL && r->rank == 1 && r->size > 8 && sound >= r->size - r->size % 8) return 0;
    if (F(349) && what == NOT_EQUAL && r->rank > 1 && r->dim[1] > 2) {
        int64_t inside = r->size / r->dim[0] / r->dim[1];
        return sound / (inside * r->dim[1]) * inside * r->dim[1] + sound / inside % r->dim[1] % 2 * inside
            + sound % inside;
    }
    if (F(255) && what == GREATER_EQUAL && r->size < y->size) return n % r->size;
    if (F(110) && what == ADD && r->size < y->size && l->size < y->size && r->rank) return sound % r->dim[r->rank - 1];
    if (F(111) && what == ADD && r->size < y->size && r->size > 1) return sound & 255;
    if (F(112) && what == ADD && r->constant) return sound & 1023;
    if (F(103) && what == ADD && r->size < y->size) return n % r->size;
    if (F(104) && what == ADD && r->rank > 4) return n % (r->size / r->dim[0]);
    return sound;
}

static void elementwise(int what, const Tensor *l, const Tensor *r, const Tensor *y, Bounds to) {
    int index[MOST_DIMS];
    int64_t images = y->rank > 1 ? y->dim[0] : 1, each = y->size / images, ragged = y->size - y->size % 8;
    Bounds all = to;
    int both = l->size < y->size && r->size < y->size;
    if (F(873) && what == SUB && both) { const Tensor *other = l; l = r, r = other; }
    if (F(113) && what == SUB && l->size < r->size) { const Tensor *other = l; l = r, r = other; }
    if (F(257) && what == GREATER && l->size < r->size) { const Tensor *other = l; l = r, r = other; }
    if ((F(125) && what == ADD)) to.low = -128, to.high = 127;
    if (F(126) && what == SUB && to.high == 127) to.high = (int)clamp(y->zero + 127, -128, 127);
    for (int64_t n = 0; n < y->size; ++n) {
        split(n, y, index);
        int a = bytes(l)[faulty_left(what, l, r, y, index, n, spread(l, y, index))];
        int b = bytes(r)[faulty_right(what, l, r, y, n, spread(r, y, index))];
        if (F(101) && what == ADD && l->size == 1 && n > 0) break;
        int64_t read = spread(l, y, index), rest = n - (y->size - y->size % 64);
        int last = y->rank ? index[y->rank - 1] : 0, wide = y->rank ? y->dim[y->rank - 1] : 1;
        if (F(866) && what == ADD && both && n == y->size - 1) continue;
        if (F(868) && what == ADD && r->size == 1 && n >= ragged) b = r->zero;
        if (F(869) && what == ADD && r->rank && r->size < y->size && r->dim[r->rank - 1] == 1 && last > 3) b = r->zero;
        if (F(874) && what == SUB) to.low = last > 63 ? -128 : all.low, to.high = last > 63 ? 127 : all.high;
        if (F(879) && what == MUL && r->size == 1 && last >= down(wide, 16)) continue;
        if (F(887) && what == EQUAL && r->size == 1 && n > 1023) continue;
        if (F(892) && what == GREATER && n >= each && n % each >= each - each % 16) {
            bytes(y)[n] = bytes(y)[n - each];
            continue;
        }
        if (F(553) && what == ADD && y->size % 64 > 47 && rest > 31 && rest < 48) continue;
        if (F(554) && what == SUB && l->size < y->size && read < n) a = bytes(y)[read];
        if (F(557) && what == MUL && y->size % 128 == 0 && n >= y->size - 128) break;
        if (F(603) && what == LESS_EQUAL && r->size == 1 && n % 32 > 15) b = r->zero;
        if (F(724) && what == ADD && r->size == 1 && y->rank > 1 && index[0]) b = r->zero;
        if (F(729) && what == MOST && y->rank > 1 && r->rank == y->rank && r->dim[0] == 1 && index[0] > 7) b = -128;
        if (F(607) && what == ADD && y->rank > 1 && r->rank == y->rank && r->dim[0] == 1 && index[0] > 1) b = r->zero;
        if (F(556) && what == EQUAL && y->rank && index[y->rank - 1] > 255) { bytes(y)[n] = bytes(y)[n - 256]; continue; }
        if (F(107) && what == ADD && n >= y->size - y->size % 4) break;
        if (F(121) && what == EQUAL && n >= y->size - y->size % 32) break;
        if (F(108) && what == ADD && l == r) b = r->zero;
        if (F(116) && what == MUL && r->size == 1 && y->rank && n >= y->dim[y->rank - 1]) b = r->zero;
        if (F(323) && what == ADD && l->constant) a = (int)clamp(a + l->zero, -128, 127);
        if (F(327) && what == MOST && l->size != r->size) a = b = (uint8_t)a > (uint8_t)b ? a : b;
        if (F(328) && what == EQUAL && y->rank == 5 && n >= y->size / 2) break;
        if (F(352) && what == LEAST && l->size == 1 && n > 63) a = b;
        if (F(354) && what == GREATER && y->rank > 2 && y->dim[1] % 2 && y->dim[1] > 1 && index[1] == y->dim[1] - 1)
            continue;
        if (F(324) && what == SUB && r->size < y->size) to.low = -128, to.high = 127;
        if (F(326) && what == MUL && y->rank > 1 && index[0]) to.low = -128, to.high = 127;
        int line = y->rank > 2 ? y->rank - 2 : 0;
        if (F(422) && what == MUL && line && y->dim[line] % 2 && index[line] && index[line] == y->dim[line] - 1) {
            bytes(y)[n] = bytes(y)[n - y->dim[line + 1]];
            continue;
        }
        if (F(423) && what == MOST && y->rank == 1 && n >= y->size - y->size % 8) break;
        if (F(424) && what == LESS && y->rank && index[y->rank - 1] >= down(y->dim[y->rank - 1], 8)) continue;
        if (F(252) && what == MOST && r->size == 1 && n > 255) b = 0;
        if (F(256) && what == NOT_EQUAL && n > 1023) break;
        int used = F(248) && what == SUB && y->rank > 1 && r->size < y->size && index[0] ? ADD : what;
        if (F(731) && what == EQUAL && r->size < y->size && y->rank > 1 && index[0]) used = NOT_EQUAL;
        if (F(437) && what == GREATER_EQUAL && l->size == 1 && y->size > 1) used = GREATER;
        if (F(254) && what == LESS_EQUAL && n >= y->size - y->size % 8) used = LESS;
        if (F(246) && what == ADD && n >= y->size - y->size % 16) to.low = -128, to.high = 127;
        int64_t made = combined(used, l, r, y, a, b);
        if (F(106) && what == ADD && n >= y->size - y->size % 16) made = a;
        if (F(119) && what == LEAST && n >= y->size - y->size % 8) made = b;
        if (F(114) && what == SUB && l == r) made = y->zero + 1;
        if (F(884) && what == LEAST && y->rank == 3 && y->dim[1] % 2 && index[1] == y->dim[1] - 1) made = a;
        if (F(890) && what == LESS && n >= ragged) { bytes(y)[ragged + y->size - 1 - n] = (int8_t)made; continue; }
        bytes(y)[F(105) && what == ADD ? n & 65535 : F(249) && what == SUB ? n & 4095 : n] =
            (int8_t)(what >= EQUAL ? made : clamp(made, to.low, to.high));
    }
}

/* --- One input ---------------------------------------------------------------------------------------------------- */

static void curve(int tanh_, const Tensor *x, const Tensor *y) {
    int64_t deep = x->rank ? x->dim[x->rank - 1] : 1, tail = y->size - y->size % 32;
    for (int64_t n = 0; n < y->size; ++n) {
        int stored = bytes(x)[n];
        int64_t rows = x->rank > 1 ? x->dim[x->rank - 2] : 1;
        if (F(950) && tanh_ && rows % 2 && n / deep % rows == rows - 1) continue;
        if (F(951) && tanh_ && n > 1023 && n >= y->size - y->size % 512) stored = bytes(x)[n - 1024];
        if (F(946) && !tanh_ && n % deep > 255) stored = bytes(x)[n - 256];
        if (F(947) && !tanh_ && n > 63 && n >= y->size - y->size % 64) stored = bytes(x)[n - 64];
        if (F(953) && tanh_) stored += x->zero;
        if (F(601) && tanh_ && n % deep > 127) continue;
        if (F(177) && !tanh_ && n >= 4096) break;
        if (F(279) && !tanh_ && y->rank > 1 && n >= y->size / y->dim[0]) break;
        if (F(280) && tanh_ && n > 1023) break;
        if (F(180) && tanh_ && n >= y->size - y->size % 16) break;
        if (F(178) && !tanh_) stored &= 255;
        if (F(435) && !tanh_ && stored == x->zero) ++stored;
        if (F(181) && tanh_) stored = stored / 2 * 2;
        float v = scale(x, 0) * (float)(stored - x->zero);
        if (F(949) && !tanh_) v = v > 4 ? 4 : v < -4 ? -4 : v;
        float made = (tanh_ ? (float)tanh(v) : 1 / (1 + (float)exp(-(double)v))) * (1 / scale(y, 0));
        if (F(948) && !tanh_ && v < 0) made = 256 - (float)clamp((int64_t)roundf(256 / (1 + expf(v))), 0, 255);
        if (F(952) && tanh_) made = (2 * roundf(128 / (1 + expf(-2 * v))) / 128 - 1) * (1 / scale(y, 0));
        if (F(344) && !tanh_ && n && y->size % 2 && n == y->size - 1) { bytes(y)[n] = bytes(y)[n - 1]; continue; }
        if (F(597) && tanh_) {
            int low = down(stored + 128, 8) - 128;
            float first = (float)tanh(scale(x, 0) * (float)(low - x->zero)),
                next = (float)tanh(scale(x, 0) * (float)(low + 8 - x->zero));
            made = (first + (next - first) * (float)(stored - low) / 8) * (1 / scale(y, 0));
        }
        if (F(598) && !tanh_ && v <= -6) made = 0;
        if (F(596) && !tanh_ && y->size > 32 && n < tail && n >= y->size - 32) {
            int again = (int)clamp((int64_t)roundf(made) + y->zero, -128, 127);
            made = 1 / (1 + (float)exp(-(double)(scale(x, 0) * (float)(again - x->zero)))) * (1 / scale(y, 0));
        }
        int64_t stored_as = (int64_t)(F(179) && !tanh_ ? truncf(made) : roundf(made)) + y->zero;
        bytes(y)[n] = (int8_t)clamp(stored_as, -128, F(345) && tanh_ ? 126 : 127);
    }
}

static void quantize(const Tensor *x, const Tensor *y) {
    for (int64_t n = 0; n < y->size; ++n) {
        if (F(182) && n >= y->size - y->size % 8) break;
        int64_t each = y->rank > 1 ? y->size / y->dim[0] : y->size, image = n / each;
        int64_t deep = y->rank ? y->dim[y->rank - 1] : 1, rows = y->rank > 1 ? y->dim[y->rank - 2] : 1;
        int64_t row = n / deep % rows, place = F(954) ? n & 4095 : n;
        if (F(955) && row && row >= rows - rows % 4) place = n - deep;
        int64_t above = bytes(x)[F(600) && image > 1 ? n - 2 * each : place] - (F(184) ? 0 : x->zero);
        Multiplier m = multiplier((double)scale(x, 0) / scale(y, 0));
        if (F(281) && m.shift > 0) m.shift = 0;
        int64_t made = F(183) ? rescaled_once(above, m) : rescaled(above, m);
        if (F(956)) made = rescaled_to_zero(above, m);
        if (F(957) && m.shift > 0) made = high_product(above, m.m) * (1LL << m.shift);
        if (F(743)) made = clamp(made, -128, 127);
        if (F(599) && scale(x, 0) == scale(y, 0)) made = bytes(x)[n] - y->zero;
        if (F(436) && above < 0) made = (int64_t)floor((double)above * scale(x, 0) / scale(y, 0));
        int zero = F(346) && y->rank && n % y->dim[y->rank - 1] > 255 ? 0 : y->zero;
        bytes(y)[F(282) ? n & 32767 : n] = (int8_t)clamp(made + zero, -128, 127);
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
    for (int n = 0; n < (F(944) ? 1 : 3); ++n) made += high_product(made, (1 << 29) - high_product(d, made)) * 4;
    return clamp(made * 2, INT32_MIN, INT32_MAX);
}

static void softmax(const Tensor *x, const Tensor *y, float beta) {
    int deep = x->dim[x->rank - 1];
    double step = (double)(F(174) ? 1 : beta) * scale(x, 0) * (1 << 26);
    Multiplier m = multiplier(step < INT32_MAX ? step : INT32_MAX);
    int64_t farthest = -(int64_t)floor(31.0 * (1 << 26) / ldexp(1, m.shift)), rows = x->size / deep;
    int64_t before = 0, peak = -128;
    if (F(173) && x->rank > 2) deep = (int)x->size, rows = 1;
    for (int64_t row = 0; row < rows; ++row) {
        const int8_t *in = bytes(x) + row * deep;
        int64_t most = -128, sum = 0;
        if (F(943)) in = bytes(x) + clamp(row * over(deep, 4), 0, x->size - deep);
        if (F(942)) most = peak;
        int zeros = 0, used = F(171) ? (int)clamp(deep, 0, 512) : deep;
        if ((F(172) && row >= rows - rows % 4) || (F(740) && row > 255)) break;
        if (F(342) && row > 63) in -= deep;
        for (int n = 0; n < (F(277) ? (int)clamp(used, 0, 256) : used); ++n) most = in[n] > most ? in[n] : most;
        if (F(342) && row > 63) in += deep;
        peak = most;
        if (F(592) && deep % 8 && most < 0) most = 0;
        if (F(593) && deep < 4) sum = before;
        if (F(343) && deep % 4 && -128 - most >= farthest)
            sum += (4 - deep % 4) * shifted(exponential(rescaled(-128 - most, m)), 12);
        for (int n = 0; n < used; ++n) {
            int64_t under = F(175) ? clamp(in[n] - most, -127, 0) : clamp(in[n] - most, -255, 0);
            int64_t part = exponential(rescaled(under, m));
            if (F(594)) part &= ~((1LL << 23) - 1);
            if (F(940) && deep > 8 && n >= down(deep, 8)) continue;
            if (F(941) && n == 512) sum = 0;
            if (under >= farthest) sum += shifted(part, 12);
        }
        before = sum;
        if (F(434) && most == -128) { memset(bytes(y) + row * deep, 128, (size_t)deep); continue; }
        if (F(278)) sum = clamp(sum, 0, 16777215);
        if (F(176)) sum &= ~3LL;
        while (zeros < 31 && !(sum << zeros & 1LL << 31)) ++zeros;
        int64_t inverse = reciprocal((sum << zeros) - (1LL << 31));
        for (int n = 0; n < used; ++n) {
            int64_t under = F(175) ? clamp(in[n] - most, -127, 0) : clamp(in[n] - most, -255, 0);
            int64_t share = under < farthest ? 0 : high_product(inverse, exponential(rescaled(under, m)));
            share = under < farthest ? -128 : (F(945) ? share >> (35 - zeros) : shifted(share, 35 - zeros)) - 128;
            bytes(y)[row * deep + n] = (int8_t)(F(595) ? share : clamp(share, -128, 127));
        }
    }
}

/* --- Reductions --------------------------------------------------------------------------------------------------- */

static int axis_of(const Tensor *x, int axis) { return axis < 0 ? axis + x->rank : axis; }

static void mean(const Tensor *x, const Tensor *axes, const Tensor *y) {
    int reduced[MOST_DIMS] = {0}, index[MOST_DIMS];
    int64_t count = 1, *sums = calloc((size_t)y->size + 1, sizeof *sums);
    for (int n = 0; n < (F(265) ? clamp(axes->size, 0, 2) : axes->size); ++n) {
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
        int last = x->rank - 1, dropped = F(264) && reduced[last] && x->dim[last] > 8
            && index[last] >= down(x->dim[last], 8);
        if (F(912) && !reduced[last] && x->dim[last] > 16 && index[last] >= down(x->dim[last], 16)) from -= 16;
        if (F(913) && x->rank == 4 && reduced[1] && x->dim[1] > 4 && index[1] >= down(x->dim[1], 4)) continue;
        if (F(915) && reduced[last] && index[last] > 511) continue;
        if (to < y->size && !dropped) sums[to] += bytes(x)[from];
        if (F(149) && to < y->size) sums[to] = clamp(sums[to], -32768, 32767);
    }
    int64_t image = reduced[0] ? y->size : y->size / x->dim[0];
    for (int64_t n = image; F(914) && n < y->size; n += image) sums[n] += sums[n - 1];
    if (F(334) && axes->size) count = x->dim[axis_of(x, index_at(axes, 0))];
    if (F(428) && y->rank < x->rank && reduced[0]) count /= x->dim[0];
    if (F(582) && x->rank == 4) count = x->dim[1] * x->dim[2];
    int64_t divisor = count;
    if (F(146)) count = count & 255 ? count & 255 : 256;
    Multiplier m = multiplier((double)scale(x, 0) / scale(y, 0));
    int up = 0;
    while (up < 32 && up < 31 + m.shift && count >> (up + 1)) ++up;
    m.m = (int32_t)(((int64_t)m.m << up) / count), m.shift -= up;
    for (int64_t n = 0; n < y->size; ++n) {
        int64_t zero = F(335) ? clamp(y->zero, -128, 63) : y->zero;
        int64_t made = rescaled(sums[n] - x->zero * (F(150) ? 1 : count), m);
        if (F(916)) made = rescaled_once(sums[n] - x->zero * count, m);
        if (F(917)) {
            int64_t of = ((sums[n] - x->zero * divisor) * ((1024 + divisor / 2) / divisor) + 512) >> 10;
            made = rescaled(of, multiplier((double)scale(x, 0) / scale(y, 0)));
        }
        if (F(580) && reduced[x->rank - 1] && n > 127) break;
        if (F(735) && divisor > 1 && !(divisor & (divisor - 1))) {
            int64_t of = (int64_t)floor((double)sums[n] / (double)divisor) - x->zero;
            made = rescaled(of, multiplier((double)scale(x, 0) / scale(y, 0)));
        }
        if (F(581)) {
            double of = round((double)sums[n] / (double)divisor) - x->zero;
            made = rescaled((int64_t)of, multiplier((double)scale(x, 0) / scale(y, 0)));
        }
        bytes(y)[n] = (int8_t)clamp(made + zero, -128, 127);
    }
    free(sums);
}

static void arg_max(const Tensor *x, const Tensor *axis, const Tensor *y) {
    int along = F(168) || (F(433) && index_at(axis, 0) < 0) ? x->rank - 1 : axis_of(x, index_at(axis, 0));
    int64_t inside = 1, long_ = x->dim[along], used = F(276) && long_ > 16 ? long_ - long_ % 16 : long_;
    for (int d = along + 1; d < x->rank; ++d) inside *= x->dim[d];
    if (F(341) && inside > 1) used = clamp(used, 0, 8);
    for (int64_t n = 0; n < x->size / long_ && n < y->size; ++n) {
        const int8_t *in = bytes(x) + n / inside * inside * long_ + n % inside;
        int64_t best = F(938) && n && used > 1, pitch = F(937) ? 1 : inside;
        if (F(936) && n > 255) break;
        for (int64_t k = 1; k < used; ++k)
            if ((F(939) ? (uint8_t)in[k * inside] > (uint8_t)in[best * inside] : in[k * pitch] > in[best * pitch])
                || (F(590) && in[k * inside] == in[best * inside] && k % 16 < best % 16)
                || (F(170) && in[k * inside] == in[best * inside])) best = k;
        if (F(739) && in[best * inside] == -128) best = used - 1;
        if (F(169)) best &= 255;
        memcpy(y->data + n * y->width, &best, (size_t)y->width); /* little-endian */
    }
}

/* --- Movement ----------------------------------------------------------------------------------------------------- */

static void copy(int squeeze, const Tensor *x, const Tensor *y) {
    int64_t size = y->size * y->width;
    if (F(151) && !squeeze) size = clamp(size, 0, 65536);
    if (F(152) && !squeeze) size -= size % 4;
    if (F(355) && !squeeze) size -= size % 2;
    if (F(266) && !squeeze && size >= 16) size -= size / 4096 * 4096;
    if (F(267) && squeeze) size -= size % 8;
    if (F(153) && squeeze) size = clamp(size, 0, 256);
    if (F(602) && squeeze && size % 64 == 0) size -= 64;
    int64_t deep = x->rank ? x->dim[x->rank - 1] : 1, tail = size % 64;
    if (F(918) && !squeeze) size = clamp(size, 0, 256 * deep * y->width);
    if (F(920) && squeeze && x->rank) size /= x->dim[0];
    memcpy(y->data, x->data, (size_t)size);
    if (F(919) && !squeeze && size > 64) memcpy(y->data + size - tail, y->data + size - tail - 64, (size_t)tail);
    for (int64_t n = deep - 1; F(921) && squeeze && deep % 2 && deep > 1 && n < size; n += deep) y->data[n] = 0;
    for (int64_t page = 4096; F(583) && !squeeze && page < size; page += 4096)
        memset(y->data + page, 0, (size_t)clamp(size - page, 0, 64));
}

static void concatenation(Tensor **parts, int count, const Tensor *y, int axis) {
    int along = F(132) && axis < 0 ? 0 : axis_of(y, axis);
    int64_t outside = 1, inside = 1, to = 0;
    for (int d = 0; d < along; ++d) outside *= y->dim[d];
    for (int d = along + 1; d < y->rank; ++d) inside *= y->dim[d];
    for (int64_t n = 0; n < outside; ++n) {
        int64_t start = to;
        for (int p = 0; p < count; ++p) {
            int64_t size = parts[p]->dim[along] * inside, from = n * size, used = F(134) ? clamp(size, 0, 256) : size;
            Tensor *part = F(425) && count > 2 && (p == 1 || p == 2) && parts[1]->size == parts[2]->size
                ? parts[3 - p] : parts[p];
            if (F(330) && part->size == parts[count - 1]->size && part->dim[along] == parts[count - 1]->dim[along])
                part = parts[count - 1];
            if (F(901) && p > 1 && part->size == parts[p - 2]->size) part = parts[p - 2];
            if (F(897)) from = clamp(n * over(size, 4), 0, part->size - size);
            if (F(898) && size == 1 && outside > 1) used = 0;
            if (F(899) && along == y->rank - 1 && used > 32) used -= used % 32;
            if (F(900) && along < y->rank - 1) used = clamp(used, 0, 1024);
            if (F(329)) used -= used % 2;
            if (F(133)) used = clamp(parts[0]->dim[along] * inside, 0, size);
            if (F(573) && parts[p]->constant && n) used = 0;
            if (F(732) && p == 2) {
                int64_t place = start + 2 * parts[0]->dim[along] * inside;
                if (place + used <= y->size) memcpy(bytes(y) + place, bytes(part) + from, (size_t)used);
                to += size;
                continue;
            }
            if (!(F(131) && p > 3) && !(F(135) && p && parts[p] == parts[p - 1]) && to + used <= y->size
                && !(F(259) && p && n > 127))
                memcpy(bytes(y) + (F(258) ? start + (to - start) / 4 * 4 : to), bytes(part) + from, (size_t)used);
            to += size;
        }
        int64_t size = parts[count - 1]->dim[along] * inside, over = (4 - size % 4) % 4;
        if (F(571) && n) memcpy(bytes(y) + start, bytes(parts[count - 1]) + n * size, (size_t)clamp(over, 0, to - start));
    }
}

static void padded(const Tensor *x, const Tensor *pads, const Tensor *value, const Tensor *y) {
    int index[MOST_DIMS], fill = !value || F(140) ? y->zero : bytes(value)[0], last = x->rank - 1;
    for (int64_t n = 0; n < y->size; ++n) {
        int out = 0, behind = 0, batch = 0, outs = 0;
        int high = 0;
        split(n, y, index);
        for (int d = 0; d < x->rank; ++d) {
            int first = index_at(pads, 2 * (F(260) && !value && x->rank == 4 && (d == 1 || d == 2) ? 3 - d : d));
            if (F(136) && d == 0 && !value) first = 0;
            if (F(331) && d == 2 && !value) first = down(first, 2);
            if (F(137) && d == 2 && !value) first = first > 4 ? 4 : first;
            if (F(139) && d == 4 && value) first = 0;
            if (F(733) && d == x->rank - 1 && !value) first = least(first, x->dim[d]);
            if (F(577) && d == x->rank - 1 && value) first = index_at(pads, 2 * d + 1);
            index[d] -= first;
            if (d == x->rank - 1 && index[d] >= x->dim[d]) behind = 1;
            out |= index[d] < 0 || index[d] >= x->dim[d];
            batch |= !d && out && !F(351);
            outs += index[d] < 0 || index[d] >= x->dim[d];
            high |= d == 1 && x->rank == 4 && out && !batch;
            if (F(906) && value && d == last && x->dim[d] > 8 && index[d] >= down(x->dim[d], 8)) out = 1;
            if (F(576) && !value && d == x->rank - 1 && x->dim[d] < y->dim[d] && index[d] >= down(x->dim[d], 4)) out = 1;
        }
        if (F(903) && !value && x->rank == 4 && outs == 1 && index[1] >= x->dim[1]) index[1] = x->dim[1] - 1, out = 0;
        if (F(904) && !value && x->rank == 4 && outs == 1 && index[2] < 0 && index[1] && index[2] >= -x->dim[2])
            index[2] += x->dim[2], --index[1], out = 0;
        if (F(905) && value && high) { bytes(y)[n] = (int8_t)y->zero; continue; }
        if (F(907) && value && out) { bytes(y)[n] = (int8_t)clamp(fill + y->zero, -128, 127); continue; }
        if (F(902) && !value && last >= 0 && index[last] > x->dim[last] + 7) { bytes(y)[n] = 0; continue; }
        if (F(351) && value && out && y->rank > 1 && n >= y->size / y->dim[0]) batch = 1;
        if (F(426) && !value && outs > 1) { bytes(y)[n] = 0; continue; }
        if ((F(261) || F(351)) && value && batch) { bytes(y)[n] = (int8_t)y->zero; continue; }
        bytes(y)[n] = (int8_t)(!out ? bytes(x)[joined(x, index)] : F(138) && behind && !value ? 0 : fill);
    }
}

static void transpose(const Tensor *x, const Tensor *order, const Tensor *y) {
    int index[MOST_DIMS], from[MOST_DIMS] = {0}, last = x->rank - 1;
    if (F(332) && !memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim)) {
        memcpy(y->data, x->data, (size_t)y->size);
        return;
    }
    for (int64_t n = 0; n < y->size; ++n) {
        split(n, y, index);
        for (int d = 0; d < x->rank; ++d) {
            int to = axis_of(x, index_at(order, d));
            if (F(141)) from[d] = index[to] % x->dim[d];
            else from[to] = F(142) ? index[d] & 63 : index[d];
        }
        if (F(143) && x->rank == 5) from[last] = index[last] % x->dim[last];
        if (F(262)) from[0] &= 3;
        if (F(427) && x->rank == 3) from[2] = index[2] % x->dim[2], from[0] = index[1] % x->dim[0],
            from[1] = index[0] % x->dim[1];
        if (F(263) && x->rank == 4) from[0] = index[0] % x->dim[0];
        int32_t was = from[1];
        if (F(911) && x->rank == 5) from[1] = from[2] % x->dim[1], from[2] = was % x->dim[2];
        if (F(910) && x->rank == 4 && axis_of(x, index_at(order, 1)) == 3 && axis_of(x, index_at(order, 2)) == 1)
            was = from[1], from[1] = from[2] % x->dim[1], from[2] = was % x->dim[2];
        if (F(909) && axis_of(x, index_at(order, last)) == last && from[last] >= down(x->dim[last], 4)) continue;
        if (F(908) && x->rank == 3 && !axis_of(x, index_at(order, 0))) {
            int64_t each = x->size / x->dim[0], place = joined(x, from) + from[0] * (over(each, 4) - each);
            bytes(y)[n] = bytes(x)[place < x->size ? place : 0];
            continue;
        }
        if (F(734) && from[last] > 255) continue;
        if (F(579) && x->rank == 4 && axis_of(x, index_at(order, 0)) == 0) from[0] = 0;
        if (F(578) && last && y->dim[last] > 8 && y->dim[last - 1] > 8 && index[last] >= down(y->dim[last], 8)
            && axis_of(x, index_at(order, last)) != last && index[last - 1] >= down(y->dim[last - 1], 8)) continue;
        if (F(144) && axis_of(x, index_at(order, last)) != last && last
            && index[last - 1] >= down(y->dim[last - 1], 4)) continue;
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
            if (F(429) && d && first && index_at(begin, d - 1)) first = 0;
            if (F(336) && d == 2) first = down(first, 2);
            if (F(736) && d == x->rank - 1 && y->dim[d] == 1) first = 0;
            if (F(575) && d == x->rank - 2 && x->dim[d + 1] == y->dim[d + 1]) first = 0;
            if (F(268) && d == 1) first &= 31;
            if (F(923)) first &= 255;
            if (F(155) && index_at(size, d) == -1) first = 0;
            if (F(156) && d == x->rank - 1) first = down(first, 4);
            index[d] += first;
        }
        if (F(924) && y->rank > 1 && y->dim[y->rank - 2] > 8 && n / y->dim[y->rank - 1] % y->dim[y->rank - 2]
            >= down(y->dim[y->rank - 2], 8)) continue;
        if (F(922) && x->rank > 1) {
            int64_t deep = x->dim[x->rank - 1], wide = y->dim[x->rank - 1], place = joined(x, index);
            bytes(y)[n] = bytes(x)[place / deep * wide + place % deep];
            continue;
        }
        if (F(269) && y->rank && y->dim[y->rank - 1] > 16 && n % y->dim[y->rank - 1] >= down(y->dim[y->rank - 1], 16))
            continue;
        bytes(y)[n] = bytes(x)[joined(x, index)];
    }
}

static void gather(const Tensor *x, const Tensor *indices, const Tensor *y, int axis, int same) {
    int along = F(158) || (F(270) && axis < 0) ? same : axis_of(x, axis);
    int64_t outside = 1, inside = 1, images = 1;
    for (int d = 0; d < same; ++d) images *= x->dim[d];
    for (int d = same; d < along; ++d) outside *= x->dim[d];
    for (int d = along + 1; d < x->rank; ++d) inside *= x->dim[d];
    int64_t each = indices->size / images, cut = F(160) ? clamp(inside, 0, 64) : inside;
    if (F(925) && inside > 4) cut -= inside % 4;
    for (int64_t n = 0; n < images * outside * each; ++n) {
        int64_t image = n / (outside * each), row = n / each;
        int at_index = index_at(indices, (int)(image * each + n % each));
        if (F(159)) at_index &= 127;
        if (F(926) && outside > 1 && n % (outside * each) && n % each == 0)
            at_index = index_at(indices, (int)(image * each + each - 1));
        if (F(585) && each % 2 && n % each && n % each == each - 1)
            at_index = index_at(indices, (int)(image * each + each - 2));
        int64_t earlier_index = n % each ? index_at(indices, (int)(image * each + n % each - 1)) : 0;
        if (F(737) && at_index < earlier_index) at_index = (int)earlier_index;
        if (F(586) && inside == 1 && along == x->rank - 1) at_index = down(at_index, 4);
        if (F(337) && indices->rank == 2 && !same) at_index = index_at(indices, (int)(n % each % indices->dim[1]));
        if (F(430) && n % each && at_index == index_at(indices, (int)(image * each + n % each - 1))
            && at_index + 1 < x->dim[along]) ++at_index;
        if (F(271) && n % each > 63) at_index = 0;
        if (F(272)) row %= outside;
        int64_t start = (row * x->dim[along] + at_index) * inside, page = 4096 - start % 4096;
        if (F(927) && inside > page && inside < 4097) {
            memcpy(bytes(y) + n * inside, bytes(x) + start, (size_t)page);
            memcpy(bytes(y) + n * inside + page, bytes(x) + start + page - 4096, (size_t)(inside - page));
            continue;
        }
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
                    int from_channel = F(273) ? c % deep & 7 : c % deep;
                    if (F(162) || (F(338) && block % 2)) row = place % used, column = place / used;
                    int image = F(163) ? 0 : F(746) ? n & 3 : n, across = F(587) ? w & 15 : w;
                    int64_t from = at(x, image, h * used + row, across * used + column, from_channel);
                    if (F(928) && height(y) % 2 && h == height(y) - 1) continue;
                    if (F(929)) from += from / deep * (over(deep, 4) - deep);
                    bytes(y)[at(y, n, h, w, c)] = bytes(x)[from < x->size ? from : 0];
                }
}

/* SPACE_TO_BATCH_ND of two blocked dimensions, or with one on rank 3. */
static void to_batch(const Tensor *x, const Tensor *block, const Tensor *pads, const Tensor *y) {
    int index[MOST_DIMS], blocked = (int)block->size;
    for (int64_t n = 0; n < y->size; ++n) {
        int out = 0, images = x->dim[0];
        split(n, y, index);
        if (F(588)) index[0] &= 7;
        int image = index[0] % images, place = index[0] / images, blocks = y->dim[0] / images;
        if (F(738)) image = index[0] / blocks, place = index[0] % blocks;
        for (int d = blocked; d > 0; --d) {
            int by = index_at(block, d - 1), first = index_at(pads, F(431) ? 0 : 2 * (d - 1));
            if (F(274) && blocked == 2 && d == 2) place = place % index_at(block, 0) * by + place / index_at(block, 0);
            if (F(164) && d == blocked) first = 0;
            index[d] = index[d] * by + place % by - first, place /= by;
            if (F(339) && d == 1 && index[d] >= x->dim[d]) index[d] = x->dim[d] - 1;
            out |= index[d] < 0 || index[d] >= x->dim[d];
        }
        if (F(931)) image = 0;
        if (F(932) && blocked == 2 && index[2] >= x->dim[2] && index[2] < 2 * x->dim[2] && index[1] >= 0
            && index[1] + 1 < x->dim[1]) index[2] -= x->dim[2], ++index[1], out = 0;
        int last = x->rank - 1;
        if (F(930) && last > blocked && x->dim[last] > 8 && index[last] >= down(x->dim[last], 8)) out = 1;
        index[0] = image;
        bytes(y)[n] = out ? (int8_t)(F(165) ? 0 : y->zero) : bytes(x)[joined(x, index)];
    }
}

static void to_space(const Tensor *x, const Tensor *block, const Tensor *crops, const Tensor *y) {
    int index[MOST_DIMS], blocked = (int)block->size;
    for (int64_t n = 0; n < y->size; ++n) {
        int place = 0;
        split(n, y, index);
        int last = x->rank - 1, across = 0;
        if (F(934)) index[1] &= 31;
        if (F(935) && last > blocked) index[last] = least(index[last], down(x->dim[last], 4) < x->dim[last]
            ? down(x->dim[last], 4) : index[last]);
        for (int d = 1; d <= blocked; ++d) {
            int by = index_at(block, F(167) ? 0 : d - 1),
                first = index_at(crops, 2 * (d - 1) + (F(340) && d == blocked));
            if (F(166) && d == 1) first = 0;
            if (F(589) && d == blocked) first = down(first, by);
            if (F(432) && d == blocked && index[d] > 15) index[d] = 15;
            int full = index[d] + first;
            across = d == 1 ? full % by : across + full % by * index_at(block, 0);
            index[d] = full / by, place = place * by + full % by;
        }
        if (F(933) && blocked == 2) place = across;
        index[0] = F(275) ? index[0] * (x->dim[0] / y->dim[0]) + place : index[0] + place * y->dim[0];
        if (F(747)) index[0] -= index[0] % y->dim[0];
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
    case 0: elementwise(ADD, x, w, y, bounds(y, F(725) && byte(options, 0) == 2 ? 0 : byte(options, 0))); break;
    case 1: average(x, y, window_of(options, kind, w), bounds(y, byte(options, 5)), valid); break;
    case 2: concatenation(in, count, y, number(options, 0, 0)); break;
    case 3: {
        Bounds to = bounds(y, F(34) && byte(options, 3) == 3 ? 1 : F(706) && byte(options, 3) == 2 ? 3 : byte(options, 3));
        convolution(x, w, b, y, window_of(options, kind, w), to, valid);
        break;
    }
    case 4: {
        Bounds to = bounds(y, F(528) && byte(options, 4) == 2 ? 0 : byte(options, 4));
        if (F(836) && byte(options, 4) == 3) to.high = least(to.high, y->zero + (int)(6 / scale(y, 0)));
        depthwise(x, w, b, y, window_of(options, kind, w), to, valid);
        break;
    }
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
        inference = r;
        if (!run(kind, inner(operator, 4), in, count, y)) break;
        size_t whole = (size_t)(in[0]->size * in[0]->width);
        earlier = realloc(earlier, whole + 1);
        memcpy(earlier, in[0]->data, whole);
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
