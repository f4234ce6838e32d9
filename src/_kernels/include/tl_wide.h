/* Wider kernels for x86: vectors of 32 and 64 bytes, taken as lanes of 16.
 *
 * The zip of tl_shuffle.h works within each lane, so wide vectors transpose as many B x B blocks at once as they have lanes:
 * neighbours along u, so that a row of the source is read in one piece. Lane k of what comes out goes to block k.
 */
#ifndef TL_WIDE_H
#define TL_WIDE_H

#include "tl_stream.h"

#ifdef TL_WIDE

#include <immintrin.h>

/* Blocks of (2 * B) x B by vectors of 32 bytes, as far as whole ones go; how far along u is returned. */
#define TL_DEFINE_WIDE_256(W, B, STAGES, SI)                                                                    \
    __attribute__((target("avx2"))) static int64_t tl_transpose_##W##_256(                                      \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)           \
    {                                                                                                           \
        int64_t whole_u = nu - nu % (2 * B);                                                                    \
        for (int64_t u = 0; u < whole_u; u += 2 * B)                                                            \
            for (int64_t v = 0; v < nv; v += B) {                                                               \
                __m256i a[B], b[B];                                                                             \
                for (int j = 0; j < B; j++)                                                                     \
                    a[j] = _mm256_loadu_si256((const __m256i *)(from + u * W + v_at[v + j]));                   \
                TL_LADDER(_mm256, B, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < B; j++) {                                                                   \
                    _mm_storeu_si128((__m128i *)(to + v * W + u_at[u + j]), _mm256_castsi256_si128(a[j]));      \
                    _mm_storeu_si128((__m128i *)(to + v * W + u_at[u + B + j]), _mm256_extracti128_si256(a[j], 1));\
                }                                                                                               \
            }                                                                                                   \
        return whole_u;                                                                                         \
    }

/* Stages of zips between the two halves of a[0] to a[N - 1], within each lane. */
#define TL_LADDER(PREFIX, N, STAGES, SI)                                                                        \
    for (int s = 0; s < STAGES; s++) {                                                                          \
        for (int j = 0; j < N / 2; j++) {                                                                       \
            b[2 * j] = PREFIX##_unpacklo_epi##SI(a[j], a[j + N / 2]);                                           \
            b[2 * j + 1] = PREFIX##_unpackhi_epi##SI(a[j], a[j + N / 2]);                                       \
        }                                                                                                       \
        for (int j = 0; j < N; j++)                                                                             \
            a[j] = b[j];                                                                                        \
    }

#if defined(__clang__)
#define TL_UNROLL _Pragma("unroll")
#else
#define TL_UNROLL _Pragma("GCC unroll 16")
#endif
#define TL_BY_512 __attribute__((target("avx512f,avx512bw")))

/* The numbers of a vector's bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_numbers(void)
{
    __m512i words = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_mullo_epi32(words, _mm512_set1_epi32(0x04040404)), _mm512_set1_epi32(0x03020100));
}

/* Bytes in any order, by machines that tl_permutes_bytes: what is compiled for others as well may hold the instruction, but no intrinsic. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_permuted_bytes(__m512i which, __m512i x)
{
    __m512i y;
    __asm__("vpermb %2, %1, %0" : "=v"(y) : "v"(which), "v"(x));
    return y;
}

/* The 4 x 4 lanes of four vectors, transposed. */
TL_BY_512 static inline __attribute__((always_inline)) void tl_turn_lanes(__m512i *x)
{
    __m512i a = _mm512_shuffle_i32x4(x[0], x[1], 0x44), b = _mm512_shuffle_i32x4(x[2], x[3], 0x44);
    __m512i c = _mm512_shuffle_i32x4(x[0], x[1], 0xee), d = _mm512_shuffle_i32x4(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i32x4(a, b, 0x88), x[1] = _mm512_shuffle_i32x4(a, b, 0xdd);
    x[2] = _mm512_shuffle_i32x4(c, d, 0x88), x[3] = _mm512_shuffle_i32x4(c, d, 0xdd);
}

/* The 8 x 8 halves of lanes of eight vectors, transposed. */
TL_BY_512 static inline __attribute__((always_inline)) void tl_turn_halves(__m512i *x)
{
    __m512i even[4], odd[4];
    for (int g = 0; g < 4; g++)
        even[g] = _mm512_unpacklo_epi64(x[2 * g], x[2 * g + 1]), odd[g] = _mm512_unpackhi_epi64(x[2 * g], x[2 * g + 1]);
    tl_turn_lanes(even), tl_turn_lanes(odd);
    for (int g = 0; g < 4; g++)
        x[2 * g] = even[g], x[2 * g + 1] = odd[g];
}

/* Bytes of a row from which so many of its lines are read whole that the parts at its ends need no notice. */
#define TL_NOTICED 512

/* A line of what fills padding, a pattern of 16 bytes. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_pattern_512(const unsigned char *fill)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)fill));
}

/* The first n bytes of a line, or all of them. */
static TL_ALWAYS_INLINE __mmask64 tl_first(int64_t n) { return ~(__mmask64)0 >> (n < TL_LINE ? TL_LINE - n : 0); }

/* A line of a row of which n bytes are there, and padding behind them. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_ended(const char *from, int64_t n, __m512i padding)
{
    return n >= TL_LINE ? _mm512_loadu_si512((const void *)from) : n <= 0 ? padding : _mm512_mask_loadu_epi8(padding, tl_first(n), from);
}

/* Those bytes from `first` on that the mask holds, in a vector from `place` on; none of the others is touched. Some machines (Zen 5) take
 * no notice of a load that leaves bytes out when they fetch what may come next: in short rows the line is asked for as well. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_get_part(const char *first, int64_t place, __mmask64 there, int64_t row)
{
    if (row < TL_NOTICED)
        __builtin_prefetch(first, 0, 3);
    return _mm512_maskz_loadu_epi8(there, first - place);
}

/* A line. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_line(char *line, __m512i x, enum tl_way way)
{
    if (way == TL_PAST) {
        _mm512_stream_si512((void *)line, x);
        return;
    }
    if (way == TL_ASKED_FOR)
        tl_ask_ahead(line);
    _mm512_store_si512((void *)line, x);
}

/* Lines of the target, each of 4 * B elements of v: transposed within lanes, R rows of the source at a time so that few are read at once,
 * and then units of R elements against units. What is between the two steps is a panel: of the elements of u that one vector holds, in
 * registers or near them; or of narrow elements of as many as there is room for, so that long stretches of a row are read. Past the caches
 * two lines of a row of the target are written together, as lines that each are far from the last take twice the time. Extents are whole
 * multiples of 4 * B.
 *
 * A panel has a part for each R rows of the source, and there R vectors for each 4 * B elements of u: in each lane is the unit of one of
 * B elements of u, or of bytes, whose units are half a lane, those of two. R more lie between the parts, whose lines would all be in the
 * same few places of a cache else. */
#define TL_IS_NARROW(W) ((W) <= 2)
#define TL_PART(N, B, R) ((N) * (R) / (4 * (B)) + (R))
/* The elements of u for which there is room in a panel of so many lines. */
#define TL_MOST_IN(ROOM, LINES, B) (((ROOM).bytes / (TL_LINE * (LINES)) - 4 * (B)) & -(4 * (B)))
/* The element of u, of 4 * B, that the k-th line made of the j-th vectors of parts belongs to. */
#define TL_ELEMENT_OF(J, K, B, R) ((K) / ((B) / (R)) * (B) + (B) / (R) * (J) + (K) % ((B) / (R)))
/* Bytes of rows of the source from which their lines are kept to. */
#define TL_LEAST_KEPT 512
/* Wide elements of u before the first line of long rows of the source that lie alike in their lines: by these they are read then, as rows
 * whose lengths are powers of two share few places of the nearest cache, where a line that is read in part is gone before its rest is. */
static TL_ALWAYS_INLINE int64_t tl_head_of(const int64_t *v_at, const char *from, int64_t nu, int64_t nv, int64_t width)
{
    int64_t apart = 0;
    if (TL_IS_NARROW(width) || nu * width < TL_LEAST_KEPT)
        return 0;
    for (int64_t v = 0; v < nv; v++)
        apart |= v_at[v];
    return apart % TL_LINE ? 0 : (TL_LINE - tl_place(from)) % TL_LINE / width;
}
/* What is moved after n elements of u: where there is a head they are a line, as are the last, some of which may be moved again. */
static TL_ALWAYS_INLINE int64_t tl_after(int64_t u, int64_t n, int64_t nu, int64_t head)
{
    int64_t next = u == 0 && head ? head : u + n;
    return next < nu && nu - next < n && head ? nu - n : next;
}
#define TL_DEFINE_LINES(W, B, R, STAGES, SI)                                                                    \
    /* Parts of n elements of u; the last of these is not read of the rows from `whole` on. Bytes come in an order, if any. */\
    TL_BY_512 static TL_ALWAYS_INLINE void tl_to_panel_##W(                                                     \
        const int64_t *v_at, const char *from, int64_t n, int parts, int64_t whole, __m512i *panel, int64_t ahead, const __m512i *order)\
    {                                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < parts; g++, whole -= R)                                                             \
            for (int64_t u = 0; u < n; u += 4 * B) {                                                            \
                __m512i a[R], b[R], *part = panel + g * TL_PART(n, B, R) + u * R / (4 * B);                     \
                if (whole >= R || u + 4 * B < n)                                                                \
                    for (int j = 0; j < R; j++) {                                                               \
                        const char *f = from + u * W + v_at[g * R + j];                                         \
                        if (ahead)                                                                              \
                            tl_fetch(f + ahead, 1);                                                             \
                        a[j] = _mm512_loadu_si512((const void *)f);                                             \
                    }                                                                                           \
                else                                                                                            \
                    for (int j = 0; j < R; j++)                                                                 \
                        a[j] = _mm512_maskz_loadu_epi8(~(__mmask64)0 >> (j < whole ? 0 : W), from + u * W + v_at[g * R + j]);\
                if (order)                                                                                      \
                    for (int j = 0; j < R; j++)                                                                 \
                        a[j] = _mm512_shuffle_epi8(a[j], *order);                                               \
                TL_LADDER(_mm512, R, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < R; j++)                                                                     \
                    part[j] = a[j];                                                                             \
            }                                                                                                   \
    }                                                                                                           \
    /* The lines that the vectors of a line's parts make, `pitch` from part to part: where these are the j-th of their parts, the k-th line\
     * is that of element TL_ELEMENT_OF(j, k, B, R) of u. */                                                    \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_to_lines_##W(const __m512i *part, int64_t pitch, __m512i *x)      \
    {                                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < 4 * B / R; g++)                                                                     \
            x[g] = part[g * pitch];                                                                             \
        if (B == R)                                                                                             \
            tl_turn_lanes(x);                                                                                   \
        else                                                                                                    \
            tl_turn_halves(x);                                                                                  \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_from_panel_##W(                                                   \
        const int64_t *u_at, char *to, int64_t n, const int together, const __m512i *panel, int past)           \
    {                                                                                                           \
        int64_t pitch = TL_PART(n, B, R);                                                                       \
        for (int64_t u = 0; u < n; u += 4 * B)                                                                  \
            for (int j = 0; j < R; j++) {                                                                       \
                __m512i x[2][4 * B / R];                                                                        \
                for (int line = 0; line < together; line++)                                                     \
                    tl_to_lines_##W(panel + line * 4 * B / R * pitch + u * R / (4 * B) + j, pitch, x[line]);    \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < 4 * B / R; k++)                                                             \
                    for (int line = 0; line < together; line++) {                                               \
                        char *t = to + u_at[u + TL_ELEMENT_OF(j, k, B, R)] + line * TL_LINE;                    \
                        if (past)                                                                               \
                            _mm512_stream_si512((void *)t, x[line][k]);                                         \
                        else                                                                                    \
                            _mm512_storeu_si512((void *)t, x[line][k]);                                         \
                    }                                                                                           \
            }                                                                                                   \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_lines_##W(                                                        \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, const int past,\
        int64_t ahead)                                                                                          \
    {                                                                                                           \
        __m512i near[16 * B];                                                                                   \
        int64_t room_for = TL_IS_NARROW(W) ? TL_MOST_IN(room, 2, B) : 0, in_room = room_for > 4 * B, together = 1;\
        int64_t most = in_room ? room_for : 4 * B;                                                              \
        __m512i *panel = in_room ? (__m512i *)room.at : near;                                                   \
        int64_t head = past ? tl_head_of(v_at, from, nu, nv, W) : 0;                                            \
        for (int64_t v = 0; v < nv; v += together * 4 * B, to += together * TL_LINE, v_at += together * 4 * B) {\
            together = (in_room || (past && !TL_IS_NARROW(W))) && nv - v > 4 * B ? 2 : 1;                       \
            for (int64_t u = 0, n; u < nu; u = tl_after(u, n, nu, head)) {                                      \
                n = !TL_IS_NARROW(W) || nu - u > most ? most : nu - u;                                          \
                if (together == 2) {                                                                            \
                    tl_to_panel_##W(v_at, from + u * W, n, 8 * B / R, 8 * B, panel, ahead, NULL);               \
                    tl_from_panel_##W(u_at + u, to, n, 2, panel, past);                                         \
                } else {                                                                                        \
                    tl_to_panel_##W(v_at, from + u * W, n, 4 * B / R, 4 * B, panel, ahead, NULL);               \
                    tl_from_panel_##W(u_at + u, to, n, 1, panel, past);                                         \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static void tl_streamed_##W(                                                                      \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, int64_t ahead)\
    {                                                                                                           \
        if (ahead)                                                                                              \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, room, 1, ahead);                                         \
        else                                                                                                    \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, room, 1, 0);                                             \
    }
TL_DEFINE_WIDE_256(1, 16, 4, 8)
TL_DEFINE_WIDE_256(2, 8, 3, 16)
TL_DEFINE_WIDE_256(4, 4, 2, 32)
TL_DEFINE_WIDE_256(8, 2, 1, 64)
TL_DEFINE_LINES(1, 16, 8, 3, 8)
TL_DEFINE_LINES(2, 8, 8, 3, 16)
TL_DEFINE_LINES(4, 4, 4, 2, 32)
TL_DEFINE_LINES(8, 2, 2, 1, 64)
TL_DEFINE_LINES(16, 1, 1, 0, 64)

/* The same in a cache, through the nearest scratch, where what reaches across lines is what costs. */
#define TL_IN_CACHE ((tl_scratch){NULL, 0})
/* Bytes of rows of the target up to which their lines are kept to. */
#define TL_MOST_KEPT 1024

/* Whole lines of the target, if rows of it begin with them. Wide elements are read by lines of the source too: the first block along u and the
 * last overlap others. */
#define TL_DEFINE_STORED(W, B, R)                                                                               \
    TL_BY_512 static void tl_nearby_##W(                                                                        \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)           \
    {                                                                                                           \
        int64_t head = nu * W < TL_LEAST_KEPT ? 0 : (TL_LINE - tl_place(from)) % TL_LINE / W;                   \
        if (TL_IS_NARROW(W))                                                                                    \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, TL_IN_CACHE, 0, 0);                                      \
        else                                                                                                    \
            for (int64_t u = 0; u < nu; u = tl_after(u, 4 * B, nu, head))                                       \
                tl_lines_##W(v_at, u_at + u, from + u * W, to, 4 * B, nv, TL_IN_CACHE, 0, 0);                   \
    }                                                                                                           \
    /* The last line of a row is the seam to the next: the last elements of v, and the first of the next u, which are read as rows of the source\
     * that begin one element later. */                                                                         \
    TL_BY_512 static void tl_seams_##W(                                                                         \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *line, int64_t nu, int64_t row, int64_t place) \
    {                                                                                                           \
        __mmask64 before = ((__mmask64)1 << place) - 1;                                                         \
        for (int64_t u = 0; u < nu; u += 4 * B) {                                                               \
            __m512i panel[8 * B];                                                                               \
            tl_to_panel_##W(v_at, from + u * W, 4 * B, 4 * B / R, u + 4 * B < nu ? 4 * B : place / W, panel, 0, NULL);\
            for (int j = 0; j < R; j++) {                                                                       \
                __m512i x[4 * B / R];                                                                           \
                tl_to_lines_##W(panel + j, TL_PART(4 * B, B, R), x);                                            \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < 4 * B / R; k++) {                                                           \
                    int64_t r = u + TL_ELEMENT_OF(j, k, B, R);                                                  \
                    if (r + 1 < nu && u_at[r + 1] == u_at[r] + row) {                                           \
                        _mm512_storeu_si512((void *)(line + u_at[r]), x[k]);                                    \
                        continue;                                                                               \
                    }                                                                                           \
                    _mm512_mask_storeu_epi8(line + u_at[r], before, x[k]);                                      \
                    if (r + 1 < nu)                                                                             \
                        _mm512_mask_storeu_epi8(line - row + u_at[r + 1], ~before, x[k]);                       \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static void tl_stored_##W(                                                                        \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int is_even) \
    {                                                                                                           \
        int64_t place = tl_place(to), row = nv * W, at[TL_MOST_KEPT / W];                                       \
        if (!is_even || !place || place % W || row > TL_MOST_KEPT) {                                            \
            tl_nearby_##W(v_at, u_at, from, to, nu, nv);                                                        \
            return;                                                                                             \
        }                                                                                                       \
        int64_t head = (TL_LINE - place) / W, seam = nv - 4 * B;                                                \
        for (int64_t v = 0; v < head; v++) {                                                                    \
            memcpy(to + u_at[0] + v * W, from + v_at[v], W);                                                    \
            at[nv - head + v] = v_at[v] + W;                                                                    \
        }                                                                                                       \
        memcpy(at, v_at + head, (size_t)(nv - head) * sizeof *at);                                              \
        tl_nearby_##W(at, u_at, from, to + head * W, nu, seam);                                                 \
        tl_seams_##W(at + seam, u_at, from, to + row - place, nu, row, place);                                  \
    }
TL_DEFINE_STORED(1, 16, 8)
TL_DEFINE_STORED(2, 8, 8)
TL_DEFINE_STORED(4, 4, 4)
TL_DEFINE_STORED(8, 2, 2)
TL_DEFINE_STORED(16, 1, 1)

TL_BY_512 static TL_ALWAYS_INLINE __m128i tl_lane(__m512i x, int k)
{
    return k == 0   ? _mm512_castsi512_si128(x)
           : k == 1 ? _mm512_extracti32x4_epi32(x, 1)
           : k == 2 ? _mm512_extracti32x4_epi32(x, 2)
                    : _mm512_extracti32x4_epi32(x, 3);
}

/* The first bytes of a vector of 16, none beyond them touched. */
TL_BY_512 static TL_ALWAYS_INLINE __m128i tl_load_some(const char *from, __mmask64 some)
{
    return _mm512_castsi512_si128(_mm512_maskz_loadu_epi8(some, (const void *)from));
}
TL_BY_512 static TL_ALWAYS_INLINE void tl_store_some(char *to, __m128i x, __mmask64 some)
{
    _mm512_mask_storeu_epi8((void *)to, some, _mm512_castsi128_si512(x));
}

/* Blocks of any size, for what whole lines on both sides leave. Tall ones are of up to B elements of u, each a line of the target, and flat
 * ones of up to a line of the source and B of its rows; what is no whole block is read and written by masks. Of blocks that end a side which
 * is longer than they are, elements move twice. */
#define TL_DEFINE_PARTS(W, B, STAGES, SI)                                                                       \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_tall_block_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to,\
                                                             int64_t nu, int64_t nv, const int whole_u, const int whole_v)\
    {                                                                                                           \
        const __mmask64 some_u = ~(__mmask64)0 >> (64 - nu * W), some_v = ~(__mmask64)0 >> (64 - nv * W);       \
        __m512i a[B], b[B];                                                                                     \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++) {                                                                           \
            __m128i x[4];                                                                                       \
            TL_UNROLL                                                                                           \
            for (int k = 0; k < 4; k++) {                                                                       \
                const int is_there = whole_v || k * B + j < nv;                                                 \
                const char *f = from + v_at[is_there ? k * B + j : 0];                                          \
                x[k] = whole_u ? _mm_loadu_si128((const __m128i *)f) : tl_load_some(f, is_there ? some_u : 0);  \
            }                                                                                                   \
            a[j] = _mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(x[0]), x[1], 1), x[2], 2), x[3], 3);\
        }                                                                                                       \
        TL_LADDER(_mm512, B, STAGES, SI)                                                                        \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++)                                                                             \
            if (whole_u || j < nu) {                                                                            \
                if (whole_v)                                                                                    \
                    _mm512_storeu_si512((void *)(to + u_at[j]), a[j]);                                          \
                else                                                                                            \
                    _mm512_mask_storeu_epi8((void *)(to + u_at[j]), some_v, a[j]);                              \
            }                                                                                                   \
    }                                                                                                           \
    TL_BY_512 static void tl_tall_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        for (int64_t v = 0, more_v; v < nv; v += more_v) {                                                      \
            int64_t there_v = nv < 4 * B ? nv : 4 * B, first_v = tl_least(v, nv - there_v);                     \
            more_v = first_v + there_v - v;                                                                     \
            for (int64_t u = 0, more_u; u < nu; u += more_u) {                                                  \
                int64_t there_u = nu < B ? nu : B, first_u = tl_least(u, nu - there_u);                         \
                const int64_t *at_v = v_at + first_v, *at_u = u_at + first_u;                                   \
                const char *f = from + first_u * W;                                                             \
                char *t = to + first_v * W;                                                                     \
                more_u = first_u + there_u - u;                                                                 \
                if (there_v < 4 * B)                                                                            \
                    tl_tall_block_##W(at_v, at_u, f, t, there_u, there_v, 0, 0);                                \
                else if (there_u < B)                                                                           \
                    tl_tall_block_##W(at_v, at_u, f, t, there_u, 4 * B, 0, 1);                                  \
                else                                                                                            \
                    tl_tall_block_##W(at_v, at_u, f, t, B, 4 * B, 1, 1);                                        \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    /* Where rows follow each other, so many short ones may be written as 16 bytes, and their places need not be looked up: a load that\
     * seems to be of what was just stored (4 KiB away) would hold up the stores that wait for it. */           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_flat_block_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to,\
                                                             int64_t nu, int64_t nv, int64_t spare, const int whole_u, const int whole_v,\
                                                             const int follow, int64_t step)                    \
    {                                                                                                           \
        to += follow ? u_at[0] : 0;                                                                             \
        const __mmask64 some_u = ~(__mmask64)0 >> (64 - nu * W), some_v = ~(__mmask64)0 >> (64 - nv * W);       \
        __m512i a[B], b[B];                                                                                     \
        TL_UNROLL                                                                                               \
        for (int j = 0; j < B; j++) {                                                                           \
            const int is_there = whole_v || j < nv;                                                             \
            const void *f = (const void *)(from + v_at[is_there ? j : 0]);                                      \
            a[j] = !is_there ? _mm512_setzero_si512() : whole_u ? _mm512_loadu_si512(f) : _mm512_maskz_loadu_epi8(some_u, f);\
        }                                                                                                       \
        TL_LADDER(_mm512, B, STAGES, SI)                                                                        \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < 4; k++)                                                                             \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < B; j++)                                                                         \
                if (whole_u || k * B + j < nu) {                                                                \
                    char *t = follow ? to : to + u_at[k * B + j];                                               \
                    if (whole_v || k * B + j < spare)                                                           \
                        _mm_storeu_si128((__m128i *)t, tl_lane(a[j], k));                                       \
                    else                                                                                        \
                        tl_store_some(t, tl_lane(a[j], k), some_v);                                             \
                    to += follow ? step : 0;                                                                    \
                }                                                                                               \
    }                                                                                                           \
    TL_BY_512 static void tl_flat_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv)\
    {                                                                                                           \
        int64_t step = nv * W, follow = tl_follow(u_at, nu, step);                                              \
        int64_t spare = nv < B && follow ? nu - tl_whole_blocks(16, step) + 1 : 0;                              \
        for (int64_t u = 0, more_u; u < nu; u += more_u) {                                                      \
            int64_t there_u = nu < 4 * B ? nu : 4 * B, first_u = tl_least(u, nu - there_u);                     \
            more_u = first_u + there_u - u;                                                                     \
            for (int64_t v = 0, more_v; v < nv; v += more_v) {                                                  \
                int64_t there_v = nv < B ? nv : B, first_v = tl_least(v, nv - there_v);                         \
                const int64_t *at_v = v_at + first_v, *at_u = u_at + first_u;                                   \
                const char *f = from + first_u * W;                                                             \
                char *t = to + first_v * W;                                                                     \
                more_v = first_v + there_v - v;                                                                 \
                if (there_u < 4 * B)                                                                            \
                    tl_flat_block_##W(at_v, at_u, f, t, there_u, there_v, spare, 0, 0, 0, 0);                   \
                else if (there_v < B && follow)                                                                 \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, there_v, spare - first_u, 1, 0, 1, step);        \
                else if (there_v < B)                                                                           \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, there_v, 0, 1, 0, 0, 0);                         \
                else if (follow)                                                                                \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, B, 0, 1, 1, 1, step);                            \
                else                                                                                            \
                    tl_flat_block_##W(at_v, at_u, f, t, 4 * B, B, 0, 1, 1, 0, 0);                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    /* A transpose of any size: whole lines on both sides, and what is left. */                                 \
    static void tl_any_##W(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, int is_even)\
    {                                                                                                           \
        int64_t tall = tl_whole_blocks(nu, B) * tl_whole_blocks(nv, 4 * B), flat = tl_whole_blocks(nu, 4 * B) * tl_whole_blocks(nv, B);\
        int64_t lines_u = nu - nu % (4 * B), lines_v = nv - nv % (4 * B);                                       \
        if (!lines_u || !lines_v) {                                                                             \
            (tall <= flat ? tl_tall_##W : tl_flat_##W)(v_at, u_at, from, to, nu, nv);                           \
            return;                                                                                             \
        }                                                                                                       \
        tl_stored_##W(v_at, u_at, from, to, lines_u, lines_v, is_even);                                         \
        if (lines_v < nv) {                                                                                     \
            int64_t v = nv - tl_whole_blocks(nv - lines_v, B) * B;                                              \
            tl_flat_##W(v_at + v, u_at, from, to + v * W, lines_u, nv - v);                                     \
        }                                                                                                       \
        if (lines_u < nu) {                                                                                     \
            int64_t u = nu - tl_whole_blocks(nu - lines_u, B) * B;                                              \
            tl_tall_##W(v_at, u_at + u, from + u * W, to, nu - u, nv);                                          \
        }                                                                                                       \
    }
static inline int64_t tl_whole_blocks(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Whether rows of so many bytes follow each other. */
static inline int tl_follow(const int64_t *at, int64_t rows, int64_t bytes)
{
    int64_t other = 0;
    for (int64_t r = 1; r < rows; r++)
        other |= at[r] ^ (at[r - 1] + bytes);
    return !other;
}
TL_DEFINE_PARTS(1, 16, 4, 8)
TL_DEFINE_PARTS(2, 8, 3, 16)
TL_DEFINE_PARTS(4, 4, 2, 32)
TL_DEFINE_PARTS(8, 2, 1, 64)
TL_DEFINE_PARTS(16, 1, 0, 64)

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

/* The same by vectors of a lane, elements of any width by their bytes: three rows become one of triples, and back; how far whole lanes go is
 * returned. */
#define TL_DEFINE_TRIPLES_256(W)                                                                                \
    __attribute__((target("avx2"))) static int64_t tl_zip_##W##_3_256(                                          \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu)                       \
    {                                                                                                           \
        static const uint8_t at[3][16] = TL_THREE_LISTS(TL_ZIPPED_AT, 16, W);                                   \
        int64_t whole = nu - nu % (16 / W);                                                                     \
        for (int64_t u = 0; u < whole; u += 16 / W) {                                                           \
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
    __attribute__((target("avx2"))) static int64_t tl_unzip_##W##_3_256(                                        \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nv)                       \
    {                                                                                                           \
        static const uint8_t at[3][16] = TL_THREE_LISTS(TL_APART_AT, 16, W);                                    \
        int64_t whole = nv - nv % (16 / W);                                                                     \
        for (int64_t v = 0; v < whole; v += 16 / W) {                                                           \
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

/* K rows into one of K-tuples and back, a line of each row at a time; how far whole lines go is returned. */
#define TL_DEFINE_NARROW_512(W, K)                                                                              \
    TL_BY_512 static int64_t tl_zip_##W##_##K##_512(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu)\
    {                                                                                                           \
        int64_t whole = nu - nu % (64 / W);                                                                     \
        for (int64_t u = 0; u < whole; u += 64 / W) {                                                           \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_loadu_si512((const void *)(from + u * W + v_at[j]));                              \
            tl_zipped_##W##_##K(a);                                                                             \
            for (int j = 0; j < K; j++)                                                                         \
                _mm512_storeu_si512((void *)(to + u_at[u] + 64 * j), a[j]);                                     \
        }                                                                                                       \
        return whole;                                                                                           \
    }                                                                                                           \
    TL_BY_512 static int64_t tl_unzip_##W##_##K##_512(const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nv)\
    {                                                                                                           \
        int64_t whole = nv - nv % (64 / W);                                                                     \
        for (int64_t v = 0; v < whole; v += 64 / W) {                                                           \
            __m512i a[K];                                                                                       \
            for (int j = 0; j < K; j++)                                                                         \
                a[j] = _mm512_loadu_si512((const void *)(from + TL_TUPLES_AT(v_at, v, j, W, K)));               \
            tl_apart_##W##_##K(a);                                                                              \
            for (int j = 0; j < K; j++)                                                                         \
                _mm512_storeu_si512((void *)(to + v * W + u_at[j]), a[j]);                                      \
        }                                                                                                       \
        return whole;                                                                                           \
    }
TL_DEFINE_NARROW_512(1, 2)
TL_DEFINE_NARROW_512(1, 3)
TL_DEFINE_NARROW_512(1, 4)
TL_DEFINE_NARROW_512(1, 8)
TL_DEFINE_NARROW_512(2, 2)
TL_DEFINE_NARROW_512(2, 3)
TL_DEFINE_NARROW_512(2, 4)
TL_DEFINE_NARROW_512(4, 2)
TL_DEFINE_NARROW_512(4, 3)
TL_DEFINE_NARROW_512(4, 4)
TL_DEFINE_NARROW_512(8, 2)
TL_DEFINE_NARROW_512(8, 3)

/* Rows of whole lines. */
__attribute__((target("avx512f"))) static TL_ALWAYS_INLINE void tl_rows_by(const int64_t *from_at, int64_t to_step, const char *from, char *to,
                                                                          int64_t rows, int64_t bytes, const enum tl_way way)
{
    for (int64_t r = 0; r < rows; r++, to += to_step)
        for (int64_t b = 0; b < bytes; b += TL_LINE) {
            const char *line = from + from_at[r] + b;
            if (way == TL_ASKED_FOR)
                tl_ask_ahead(line), tl_ask_ahead(to + b);
            _mm512_storeu_si512((void *)(to + b), _mm512_loadu_si512((const void *)line));
        }
}
__attribute__((target("avx512f"))) static void tl_rows_512(const int64_t *from_at, int64_t to_step, const char *from, char *to,
                                                           int64_t rows, int64_t bytes, enum tl_way way)
{
    if (way == TL_ASKED_FOR)
        tl_rows_by(from_at, to_step, from, to, rows, bytes, TL_ASKED_FOR);
    else
        tl_rows_by(from_at, to_step, from, to, rows, bytes, TL_STORED);
}

/* Whole lines past the caches, one store each. */
__attribute__((target("avx512f"))) static TL_ALWAYS_INLINE void tl_store_lines_512(char *to, const char *from, int64_t bytes)
{
    for (int64_t b = 0; b < bytes; b += 64)
        _mm512_stream_si512((void *)(to + b), _mm512_loadu_si512((const void *)(from + b)));
}

/* tl_append with a line in one register: what is carried is stored and loaded whole, for a load of what several stores wrote waits until
 * all stores before them are done, those past the caches included. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_append_512(char *to, const char *from, int64_t n, int goes_on, char *carry, enum tl_way way)
{
    int64_t place = tl_place(to), row = n;
    int waits = goes_on || !place || place + n >= TL_LINE;
    if (place) {
        int64_t head = n < TL_LINE - place ? n : TL_LINE - place;
        __mmask64 mine = tl_first(head) << place;
        __m512i line = tl_get_part(from, place, mine, row);
        if (!goes_on)
            _mm512_mask_storeu_epi8(to - place, mine, line);
        else {
            line = _mm512_mask_blend_epi8(mine, _mm512_load_si512((const void *)carry), line);
            if (place + head == TL_LINE)
                tl_put_line(to - place, line, way);
            else
                _mm512_store_si512((void *)carry, line);
        }
        to += head, from += head, n -= head;
    }
    int64_t lines = n & ~(int64_t)(TL_LINE - 1);
    for (int64_t b = 0; b < lines; b += TL_LINE)
        tl_put_line(to + b, _mm512_loadu_si512((const void *)(from + b)), way);
    if (n > lines)
        _mm512_store_si512((void *)carry, tl_get_part(from + lines, 0, tl_first(n - lines), row));
    return waits;
}
TL_BY_512 static TL_ALWAYS_INLINE int tl_append_past_512(char *to, const char *from, int64_t n, int goes_on, char *carry)
{
    return tl_append_512(to, from, n, goes_on, carry, TL_PAST);
}

#endif
#endif
