/* Micro-kernels: small transposes inside 16-byte vectors, made of one operation, the zip.
 *
 * Zipping the first half of k vectors with the second half, element by element, is a perfect shuffle of the k * B
 * elements they hold (B = 16 / width). Done log2(k) times it interleaves the k vectors; done log2(B) times it takes
 * k interleaved vectors apart again; for k = B both are the transpose of a B x B block.
 */
#ifndef TL_SHUFFLE_H
#define TL_SHUFFLE_H

#include <stdint.h>
#include <string.h>

#include "tl_level.h"

#ifdef TL_VECTORS

typedef uint8_t tl_v1 __attribute__((vector_size(16)));
typedef uint16_t tl_v2 __attribute__((vector_size(16)));
typedef uint32_t tl_v4 __attribute__((vector_size(16)));
typedef uint64_t tl_v8 __attribute__((vector_size(16)));

#if defined(__clang__)
#define TL_PICK(V, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TL_PICK(V, a, b, ...) __builtin_shuffle(a, b, (V){__VA_ARGS__})
#endif

#define TL_LOW_1(a, b) TL_PICK(tl_v1, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TL_HIGH_1(a, b) TL_PICK(tl_v1, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TL_LOW_2(a, b) TL_PICK(tl_v2, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TL_HIGH_2(a, b) TL_PICK(tl_v2, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define TL_LOW_4(a, b) TL_PICK(tl_v4, a, b, 0, 4, 1, 5)
#define TL_HIGH_4(a, b) TL_PICK(tl_v4, a, b, 2, 6, 3, 7)
#define TL_LOW_8(a, b) TL_PICK(tl_v8, a, b, 0, 2)
#define TL_HIGH_8(a, b) TL_PICK(tl_v8, a, b, 1, 3)

/* tl_zip_W: k vectors at from + j * from_step, shuffled `stages` times, to to + m * to_step. */
#define TL_DEFINE_ZIP(W)                                                                                        \
    static TL_ALWAYS_INLINE void tl_zip_##W(int k, int stages, const char *from,                                \
                                                                 const int64_t *from_at, int64_t from_step,     \
                                                                 char *to, const int64_t *to_at, int64_t to_step) \
    {                                                                                                           \
        tl_v##W a[16], b[16];                                                                                   \
        for (int j = 0; j < k; j++)                                                                             \
            memcpy(&a[j], from + (from_at ? from_at[j] : j * from_step), 16);                                   \
        for (int s = 0; s < stages; s++) {                                                                      \
            for (int j = 0; j < k / 2; j++) {                                                                   \
                b[2 * j] = TL_LOW_##W(a[j], a[j + k / 2]);                                                      \
                b[2 * j + 1] = TL_HIGH_##W(a[j], a[j + k / 2]);                                                 \
            }                                                                                                   \
            for (int j = 0; j < k; j++)                                                                         \
                a[j] = b[j];                                                                                    \
        }                                                                                                       \
        for (int j = 0; j < k; j++)                                                                             \
            memcpy(to + (to_at ? to_at[j] : j * to_step), &a[j], 16);                                           \
    }

TL_DEFINE_ZIP(1)
TL_DEFINE_ZIP(2)
TL_DEFINE_ZIP(4)
TL_DEFINE_ZIP(8)

#endif
#endif
