/* Rows that are zipped to one of tuples, and taken apart again, by vectors of 64 bytes, and of 16 where there are three. */
#ifndef TL_TUPLES_H
#define TL_TUPLES_H

#include "tl_wide.h"

#ifdef TL_WIDE

/* K rows as K vectors that hold a row of K-tuples: each is zipped lane by lane, so of each the pieces that are zipped together go one to each
 * lane first; where these are small, lanes change places afterwards. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_2(__m512i x)
{
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), x);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_4(__m512i x)
{
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_to_each_lane_8(__m512i x) { return x; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_2(__m512i *a) { (void)a; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_4(__m512i *a) { (void)a; }
TL_BY_512 static TL_ALWAYS_INLINE void tl_in_order_8(__m512i *a)
{
    __m512i b[8];
    tl_turn_lanes(a), tl_turn_lanes(a + 4);
    for (int j = 0; j < 4; j++)
        b[2 * j] = a[j], b[2 * j + 1] = a[4 + j];
    for (int j = 0; j < 8; j++)
        a[j] = b[j];
}
#define TL_DEFINE_ZIPPED(W, K, IN, SI)                                                                          \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##W##_##K(__m512i *a)                                      \
    {                                                                                                           \
        __m512i b[K];                                                                                           \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = tl_to_each_lane_##K(a[j]);                                                                   \
        TL_LADDER(_mm512, K, IN, SI)                                                                            \
        tl_in_order_##K(a);                                                                                     \
    }
TL_DEFINE_ZIPPED(1, 2, 1, 8)
TL_DEFINE_ZIPPED(1, 4, 2, 8)
TL_DEFINE_ZIPPED(1, 8, 3, 8)
TL_DEFINE_ZIPPED(2, 2, 1, 16)
TL_DEFINE_ZIPPED(2, 4, 2, 16)
TL_DEFINE_ZIPPED(4, 2, 1, 32)
TL_DEFINE_ZIPPED(4, 4, 2, 32)
TL_DEFINE_ZIPPED(8, 2, 1, 64)

/* K vectors that hold a row of K-tuples, as K rows: within lanes the elements of each row come together, and then pieces of lanes. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_2(__m512i *a)
{
    __m512i first = _mm512_permutex2var_epi64(a[0], _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), a[1]);
    a[1] = _mm512_permutex2var_epi64(a[0], _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), a[1]);
    a[0] = first;
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_4(__m512i *a)
{
    for (int j = 0; j < 4; j++)
        a[j] = tl_to_each_lane_4(a[j]);
    tl_turn_lanes(a);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_pieces_apart_8(__m512i *a)
{
    __m512i words = _mm512_set_epi16(31, 23, 15, 7, 30, 22, 14, 6, 29, 21, 13, 5, 28, 20, 12, 4,
                                     27, 19, 11, 3, 26, 18, 10, 2, 25, 17, 9, 1, 24, 16, 8, 0);
    for (int j = 0; j < 8; j++)
        a[j] = _mm512_permutexvar_epi16(words, a[j]);
    tl_turn_halves(a);
}
#define TL_DEFINE_APART(W, K, ...)                                                                              \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_##W##_##K(__m512i *a)                                       \
    {                                                                                                           \
        for (int j = 0; j < K; j++)                                                                             \
            a[j] = _mm512_shuffle_epi8(a[j], _mm512_broadcast_i32x4(_mm_setr_epi8(__VA_ARGS__)));               \
        tl_pieces_apart_##K(a);                                                                                 \
    }
TL_DEFINE_APART(1, 2, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)
TL_DEFINE_APART(1, 4, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
TL_DEFINE_APART(1, 8, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
TL_DEFINE_APART(2, 2, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
TL_DEFINE_APART(2, 4, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)
TL_DEFINE_APART(4, 2, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15)

TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_4_4(__m512i *a) { tl_pieces_apart_4(a); }
TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_8_2(__m512i *a) { tl_pieces_apart_2(a); }

/* Three rows and a row of triples: each vector of the one is picked from all three of the other, in pieces of so many bits. N of these are in a
 * vector, and an element takes G; of bytes, what is picked are lanes, and then bytes of three lanes. */
#define TL_APART_AT(J, O, N, G) (G) * (3 * ((O) / (G)) + (J)) + (O) % (G)
#define TL_ZIPPED_AT(J, O, N, G) (N) * (((N) / (G) * (J) + (O) / (G)) % 3) + (G) * (((N) / (G) * (J) + (O) / (G)) / 3) + (O) % (G)
#define TL_FOUR(F, J, O, ...) F(J, O, __VA_ARGS__), F(J, O + 1, __VA_ARGS__), F(J, O + 2, __VA_ARGS__), F(J, O + 3, __VA_ARGS__)
#define TL_LIST_8(F, J, O, ...) TL_FOUR(F, J, O, __VA_ARGS__), TL_FOUR(F, J, O + 4, __VA_ARGS__)
#define TL_LIST_16(F, J, O, ...) TL_LIST_8(F, J, O, __VA_ARGS__), TL_LIST_8(F, J, O + 8, __VA_ARGS__)
#define TL_LIST_32(F, J, O, ...) TL_LIST_16(F, J, O, __VA_ARGS__), TL_LIST_16(F, J, O + 16, __VA_ARGS__)
#define TL_THREE_LISTS(F, N, G) {{TL_LIST_##N(F, 0, 0, N, G)}, {TL_LIST_##N(F, 1, 0, N, G)}, {TL_LIST_##N(F, 2, 0, N, G)}}
#define TL_DEFINE_PICK(SI, N)                                                                                   \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_pick_##SI(const uint##SI##_t (*at)[N], __m512i *a)                \
    {                                                                                                           \
        __m512i x[3];                                                                                           \
        for (int j = 0; j < 3; j++) {                                                                           \
            __m512i which = _mm512_loadu_si512((const void *)at[j]);                                            \
            x[j] = _mm512_permutex2var_epi##SI(a[0], which, a[1]);                                              \
            x[j] = _mm512_mask_permutexvar_epi##SI(                                                             \
                x[j], _mm512_cmpge_epu##SI##_mask(which, _mm512_set1_epi##SI(2 * N)), which, a[2]);             \
        }                                                                                                       \
        a[0] = x[0], a[1] = x[1], a[2] = x[2];                                                                  \
    }
TL_DEFINE_PICK(16, 32)
TL_DEFINE_PICK(32, 16)
TL_DEFINE_PICK(64, 8)
#define TL_DEFINE_TRIPLES(NAME, SI, N, G)                                                                       \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_zipped_##NAME##_3(__m512i *a)                                     \
    {                                                                                                           \
        static const uint##SI##_t at[3][N] = TL_THREE_LISTS(TL_ZIPPED_AT, N, G);                                \
        tl_pick_##SI(at, a);                                                                                    \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_##NAME##_3(__m512i *a)                                      \
    {                                                                                                           \
        static const uint##SI##_t at[3][N] = TL_THREE_LISTS(TL_APART_AT, N, G);                                 \
        tl_pick_##SI(at, a);                                                                                    \
    }
TL_DEFINE_TRIPLES(2, 16, 32, 1)
TL_DEFINE_TRIPLES(4, 32, 16, 1)
TL_DEFINE_TRIPLES(8, 64, 8, 1)
TL_DEFINE_TRIPLES(lanes, 64, 8, 2)

/* Those of a list of bytes, where 16 * k + b is byte b of the k-th lane of three, that are in the k-th; for the others, what a shuffle makes 0
 * of. */
static TL_ALWAYS_INLINE __m128i tl_in_lane(const uint8_t *at, int k)
{
    __m128i which = _mm_loadu_si128((const __m128i *)at), none = _mm_set1_epi8(-128);
    __m128i is_there = _mm_cmpeq_epi8(_mm_and_si128(which, _mm_set1_epi8(48)), _mm_set1_epi8((char)(16 * k)));
    return _mm_or_si128(_mm_and_si128(which, is_there), _mm_andnot_si128(is_there, none));
}

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
    tl_pick_bytes(at, a);
    tl_zipped_lanes_3(a);
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_apart_1_3(__m512i *a)
{
    static const uint8_t at[3][16] = TL_THREE_LISTS(TL_APART_AT, 16, 1);
    tl_apart_lanes_3(a);
    tl_pick_bytes(at, a);
}

/* How many K-tuples have to lie together, and where the j-th line of those from v on is: triples lie across lines. */
#define TL_TUPLES(W, K) (64 / W / (K == 3 ? 1 : K))
#define TL_TUPLES_AT(AT, V, J, W, K) (K == 3 ? (AT)[V] + 64 * (J) : (AT)[(V) + (J) * TL_TUPLES(W, K)])

/* K rows into one of K-tuples and back, a line of each row at a time, and what is left of them. Of the K rows that are taken apart the first nu
 * are there: what is behind these in the last tuple that a line ends with is not read. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_last_tuples(const int W, const int K, const int64_t *v_at, const char *from, int64_t v, int64_t nv,
                                                         int64_t nu, int j)
{
    int64_t bytes = (K == 3 ? (nv - v) * 3 * W - 64 * j : tl_least(64, (nv - v) * K * W - 64 * j)) - (K - nu) * W;
    return bytes > 0 ? _mm512_maskz_loadu_epi8(tl_first(bytes), from + TL_TUPLES_AT(v_at, v, j, W, K)) : _mm512_setzero_si512();
}
#define TL_DEFINE_NARROW_512(W, K)                                                                              \
    TL_BY_512 static void tl_zip_##W##_##K##_512(                                                               \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, enum tl_way way)      \
    {                                                                                                           \
        int64_t whole = nu - nu % (64 / W);                                                                     \
        for (int64_t u = 0; u < whole; u += 64 / W) {                                                           \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_loadu_si512((const void *)(from + u * W + v_at[j]));                              \
            tl_zipped_##W##_##K(a);                                                                             \
            for (int j = 0; j < K; j++)                                                                         \
                tl_store_line(to + u_at[u] + 64 * j, a[j], way);                                                \
        }                                                                                                       \
        if (whole < nu) {                                                                                       \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_maskz_loadu_epi8(tl_first((nu - whole) * W), from + whole * W + v_at[j]);         \
            tl_zipped_##W##_##K(a);                                                                             \
            for (int64_t j = 0, left = (nu - whole) * K * W; left > 0; j++, left -= 64)                         \
                _mm512_mask_storeu_epi8(to + u_at[whole] + 64 * j, tl_first(left), a[j]);                       \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_unzip_by_##W##_##K(                                               \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, enum tl_way way)\
    {                                                                                                           \
        int64_t whole = nv - nv % (64 / W);                                                                     \
        __mmask64 there = tl_first(64 - (K - nu) * W);                                                          \
        for (int64_t v = 0; v < whole; v += 64 / W) {                                                           \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++) {                                                                       \
                const char *f = from + TL_TUPLES_AT(v_at, v, j, W, K);                                          \
                int is_whole = nu == K || (K == 3 && j < 2);                                                    \
                a[j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(there, f);      \
            }                                                                                                   \
            tl_apart_##W##_##K(a);                                                                              \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                if (j < nu)                                                                                     \
                    tl_store_line(to + v * W + u_at[j], a[j], way);                                             \
        }                                                                                                       \
        if (whole < nv) {                                                                                       \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = tl_last_tuples(W, K, v_at, from, whole, nv, nu, j);                                      \
            tl_apart_##W##_##K(a);                                                                              \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < K; j++)                                                                         \
                if (j < nu)                                                                                     \
                    _mm512_mask_storeu_epi8(to + whole * W + u_at[j], tl_first((nv - whole) * W), a[j]);        \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static void tl_unzip_##W##_##K##_512(                                                             \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, enum tl_way way)\
    {                                                                                                           \
        if (nu == K)                                                                                            \
            tl_unzip_by_##W##_##K(v_at, u_at, from, to, K, nv, way);                                            \
        else                                                                                                    \
            tl_unzip_by_##W##_##K(v_at, u_at, from, to, nu, nv, way);                                           \
    }
TL_ALL_ZIPPED(TL_DEFINE_NARROW_512)
#endif

#endif
