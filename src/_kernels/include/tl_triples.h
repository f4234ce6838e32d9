/* Three rows that are zipped to one of triples, and taken apart again, where that takes single bytes: of bytes in registers (pairs
 * blend them), and of any elements by vectors of 16 bytes. */
#ifndef TL_TRIPLES_H
#define TL_TRIPLES_H

#include "tl_wide.h"

#ifdef TL_WIDE

/* What three lines of triples have at each place, in pieces of so many bits, if they are zipped or taken apart. N pieces are in a vector, and an
 * element takes G; of bytes, what is picked are lanes, and then bytes of three lanes. */
#define TL_APART_AT(J, O, N, G) (G) * (3 * ((O) / (G)) + (J)) + (O) % (G)
#define TL_ZIPPED_AT(J, O, N, G) (N) * (((N) / (G) * (J) + (O) / (G)) % 3) + (G) * (((N) / (G) * (J) + (O) / (G)) / 3) + (O) % (G)
#define TL_FOUR(F, J, O, ...) F(J, O, __VA_ARGS__), F(J, O + 1, __VA_ARGS__), F(J, O + 2, __VA_ARGS__), F(J, O + 3, __VA_ARGS__)
#define TL_LIST_8(F, J, O, ...) TL_FOUR(F, J, O, __VA_ARGS__), TL_FOUR(F, J, O + 4, __VA_ARGS__)
#define TL_LIST_16(F, J, O, ...) TL_LIST_8(F, J, O, __VA_ARGS__), TL_LIST_8(F, J, O + 8, __VA_ARGS__)
#define TL_THREE_LISTS(F, N, G) {{TL_LIST_##N(F, 0, 0, N, G)}, {TL_LIST_##N(F, 1, 0, N, G)}, {TL_LIST_##N(F, 2, 0, N, G)}}

/* Those of a list of bytes, where 16 * k + b is byte b of the k-th lane of three, that are in the k-th; for the others, what a shuffle makes 0
 * of. */
static TL_ALWAYS_INLINE __m128i tl_in_lane(const uint8_t *at, int k)
{
    __m128i which = _mm_loadu_si128((const __m128i *)at), none = _mm_set1_epi8(-128);
    __m128i is_there = _mm_cmpeq_epi8(_mm_and_si128(which, _mm_set1_epi8(48)), _mm_set1_epi8((char)(16 * k)));
    return _mm_or_si128(_mm_and_si128(which, is_there), _mm_andnot_si128(is_there, none));
}

#if TL_MASKED
/* Three vectors of lanes by such lists. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_pick_lanes(const uint64_t (*at)[8], __m512i *a)
{
    __m512i x[3];
    for (int j = 0; j < 3; j++) {
        __m512i which = _mm512_loadu_si512((const void *)at[j]);
        x[j] = _mm512_permutex2var_epi64(a[0], which, a[1]);
        x[j] = _mm512_mask_permutexvar_epi64(x[j], _mm512_cmpge_epu64_mask(which, _mm512_set1_epi64(16)), which, a[2]);
    }
    a[0] = x[0], a[1] = x[1], a[2] = x[2];
}

/* The bytes of each three lanes by these lists. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_pick_bytes(const uint8_t (*at)[16], __m512i *a)
{
    __m512i x[3];
    TL_UNROLL
    for (int j = 0; j < 3; j++) {
        __m512i of[3];
        TL_UNROLL
        for (int k = 0; k < 3; k++)
            of[k] = _mm512_shuffle_epi8(a[k], _mm512_broadcast_i32x4(tl_in_lane(at[j], k)));
        x[j] = _mm512_or_si512(_mm512_or_si512(of[0], of[1]), of[2]);
    }
    a[0] = x[0], a[1] = x[1], a[2] = x[2];
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_1_3(__m512i *a)
{
    static const uint8_t at[3][16] = TL_THREE_LISTS(TL_ZIPPED_AT, 16, 1);
    static const uint64_t lanes[3][8] = TL_THREE_LISTS(TL_ZIPPED_AT, 8, 2);
    tl_pick_bytes(at, a);
    tl_pick_lanes(lanes, a);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_1_3(__m512i *a)
{
    static const uint8_t at[3][16] = TL_THREE_LISTS(TL_APART_AT, 16, 1);
    static const uint64_t lanes[3][8] = TL_THREE_LISTS(TL_APART_AT, 8, 2);
    tl_pick_lanes(lanes, a);
    tl_pick_bytes(at, a);
}

#endif

/* The same by vectors of a lane, elements of any width by their bytes: three rows become one of triples, and back, from `done` on; how far
 * whole lanes go is returned. */
#define TL_DEFINE_TRIPLES_256(W)                                                                                \
    TL_BY_256 static int64_t tl_zip_##W##_3_256(                                                                \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t done, int64_t nu)         \
    {                                                                                                           \
        static const uint8_t at[3][16] = TL_THREE_LISTS(TL_ZIPPED_AT, 16, W);                                   \
        int64_t whole = nu - nu % (16 / W);                                                                     \
        for (int64_t u = done; u < whole; u += 16 / W) {                                                        \
            __m128i a[3], x;                                                                                    \
            for (int k = 0; k < 3; k++)                                                                         \
                a[k] = _mm_loadu_si128((const void *)(from + u * W + v_at[k]));                                 \
            for (int j = 0; j < 3; j++) {                                                                       \
                TL_PICK_LANE(x, a, at[j]);                                                                      \
                _mm_storeu_si128((void *)(to + u_at[u] + 16 * j), x);                                           \
            }                                                                                                   \
        }                                                                                                       \
        return whole;                                                                                           \
    }                                                                                                           \
    TL_BY_256 static int64_t tl_unzip_##W##_3_256(                                                              \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t done, int64_t nv)         \
    {                                                                                                           \
        static const uint8_t at[3][16] = TL_THREE_LISTS(TL_APART_AT, 16, W);                                    \
        int64_t whole = nv - nv % (16 / W);                                                                     \
        for (int64_t v = done; v < whole; v += 16 / W) {                                                        \
            __m128i a[3], x;                                                                                    \
            for (int k = 0; k < 3; k++)                                                                         \
                a[k] = _mm_loadu_si128((const void *)(from + v_at[v] + 16 * k));                                \
            for (int j = 0; j < 3; j++) {                                                                       \
                TL_PICK_LANE(x, a, at[j]);                                                                      \
                _mm_storeu_si128((void *)(to + v * W + u_at[j]), x);                                            \
            }                                                                                                   \
        }                                                                                                       \
        return whole;                                                                                           \
    }
#define TL_PICK_LANE(X, A, AT)                                                                                  \
    X = _mm_shuffle_epi8(A[0], tl_in_lane(AT, 0));                                                              \
    for (int k = 1; k < 3; k++)                                                                                 \
        X = _mm_or_si128(X, _mm_shuffle_epi8(A[k], tl_in_lane(AT, k)))
TL_DEFINE_TRIPLES_256(1)
TL_DEFINE_TRIPLES_256(2)
TL_DEFINE_TRIPLES_256(4)
TL_DEFINE_TRIPLES_256(8)

#endif

#endif
