/* Transposes that write whole lines of the target, by way of a panel. */
#ifndef TL_PANELS_H
#define TL_PANELS_H

#include "tl_spread.h"

#ifdef TL_WIDE

/* Lines of the target, each of 4 * B elements of v: transposed within lanes, R rows of the source at a time so that few are read at once,
 * and then units of R elements against units. What is between the two steps is a panel: of the elements of u that one vector holds, in
 * registers or near them; or of narrow elements of as many as there is room for, so that long stretches of a row are read. Past the caches
 * several lines of a row of the target are written together, as lines that each are far from the last take twice the time. Extents are whole
 * multiples of 4 * B.
 *
 * A panel has a part for each R rows of the source, and there R vectors for each 4 * B elements of u: in each lane is the unit of one of
 * B elements of u, or of bytes, whose units are half a lane, those of two. Between the parts of a large panel lie R or 2 * R more, so that
 * they are an odd number of times R apart: else their lines would all be in the same few places of a cache. */
#define TL_IS_NARROW(W) ((W) <= TL_NARROW)
#define TL_PART(N, B, R) ((((N) / (4 * (B)) + 1) | ((N) > 4 * (B))) * (R))
/* The elements of u for which there is room in a panel of so many lines. */
#define TL_MOST_IN(ROOM, LINES, B) (((ROOM).bytes / (TL_LINE * (LINES)) - 8 * (B)) & -(4 * (B)))
/* Whether elements go by way of a panel with room for long stretches: narrow ones, and by pairs of vectors those of four bytes; and how many lines
 * of a row are made together at the most. Pairs are for machines without AVX-512: a Zen 3 writes half a KiB, or a quarter, of each of many rows
 * in a third of the time that it takes for single lines, and in two thirds of that for two. Rows of one line of wide elements stay in registers. */
#define TL_IN_PANEL(W) ((W) <= (TL_MASKED ? TL_NARROW : TL_NARROW_PAIRED))
#define TL_MOST_TOGETHER(W) (TL_MASKED || !TL_IN_PANEL(W) ? 2 : (W) == 1 ? 4 : 8)
/* The element of u, of 4 * B, that the k-th line made of the j-th vectors of parts belongs to. */
#define TL_ELEMENT_OF(J, K, B, R) ((K) / ((B) / (R)) * (B) + (B) / (R) * (J) + (K) % ((B) / (R)))
/* Bytes of rows of the source from which their lines are kept to. */
#define TL_LEAST_KEPT 512
/* How many of the lines that are left of a row are made together: as many as may be, and of two both or one, so that a compiler knows which. */
static TL_ALWAYS_INLINE int64_t tl_together_of(int64_t left, const int64_t most)
{
    return most > 2 ? tl_least(left, most) : left < most ? 1 : most;
}
/* The place in a line where all rows begin, or 0 where that is not the same. */
static TL_ALWAYS_INLINE int64_t tl_place_of_rows(const int64_t *at, const char *from, int64_t rows)
{
    int64_t apart = 0;
    for (int64_t r = 0; r < rows; r++)
        apart |= at[r];
    return apart % TL_LINE ? 0 : tl_place(from);
}
/* The head: how many elements of u come before the first whole line of each row of the source, if these are long, of wide elements and all
 * begin at the same place in a line; else 0. With a head, rows are read by whole lines, but for the two ends: where their lengths are powers of
 * two, they share few places of the nearest cache, and a line that is read in part is gone before its rest is read. */
static TL_ALWAYS_INLINE int64_t tl_head_of(const int64_t *v_at, const char *from, int64_t nu, int64_t nv, int64_t width)
{
    if (TL_IS_NARROW(width) || nu * width < TL_LEAST_KEPT)
        return 0;
    return (TL_LINE - tl_place_of_rows(v_at, from, nv)) % TL_LINE / width;
}
/* The element of u to go on with after those n from u on. With a head, the first step is as long as that, and the last begins n before the end,
 * so that some elements are moved twice. */
static TL_ALWAYS_INLINE int64_t tl_after(int64_t u, int64_t n, int64_t nu, int64_t head)
{
    int64_t next = u == 0 && head ? head : u + n;
    return next < nu && nu - next < n && head ? nu - n : next;
}
/* Puts one vector where another is. In memory GCC copies pairs by pieces of 16 bytes, and what is read from there whole waits for these. */
#define TL_KEEP(W, TO, FROM)                                                                                    \
    if (TL_IN_PANEL(W))                                                                                         \
        _mm512_store_si512((void *)&(TO), _mm512_load_si512((const void *)&(FROM)));                            \
    else                                                                                                        \
        (TO) = (FROM);
#define TL_DEFINE_LINES(W, B, R, STAGES, SI)                                                                    \
    /* Parts of n elements of u; the last `rest` of these are not read of the rows from `whole` on. Bytes come in an order, if any. */\
    TL_BY_512 static TL_ALWAYS_INLINE void tl_to_panel_##W(                                                     \
        const int64_t *v_at, const char *from, int64_t n, int parts, int64_t whole, __m512i *panel, int64_t ahead, const __m512i *order,\
        int64_t rest)                                                                                           \
    {                                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < parts; g++, whole -= R)                                                             \
            for (int64_t u = 0; u < n; u += 4 * B) {                                                            \
                __m512i a[R], b[R], *part = panel + g * TL_PART(n, B, R) + u * R / (4 * B);                     \
                int64_t left_out = u + 4 * B + rest - n;                                                        \
                if (whole >= R || left_out <= 0)                                                                \
                    for (int j = 0; j < R; j++) {                                                               \
                        const char *f = from + u * W + v_at[g * R + j];                                         \
                        if (ahead)                                                                              \
                            tl_fetch_far(f + ahead, 1);                                                         \
                        a[j] = _mm512_loadu_si512((const void *)f);                                             \
                    }                                                                                           \
                else {                                                                                          \
                    __mmask64 read = left_out < 4 * B ? ~(__mmask64)0 >> left_out * W : 0;                      \
                    for (int j = 0; j < R; j++)                                                                 \
                        a[j] = _mm512_maskz_loadu_epi8(j < whole ? ~(__mmask64)0 : read, from + u * W + v_at[g * R + j]);\
                }                                                                                               \
                if (order)                                                                                      \
                    for (int j = 0; j < R; j++)                                                                 \
                        a[j] = _mm512_shuffle_epi8(a[j], *order);                                               \
                TL_LADDER(_mm512, R, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < R; j++)                                                                     \
                    TL_KEEP(W, part[j], a[j])                                                                   \
            }                                                                                                   \
    }                                                                                                           \
    /* The same of bytes that elements of 8 / bits rows each share, which are joined; what they are goes to `seen`. */\
    TL_BY_512 static TL_ALWAYS_INLINE void tl_join_to_panel_##W(                                                \
        const int64_t *v_at, const char *from, int64_t n, int parts, __m512i *panel, int64_t ahead, const int bits, __m512i half, __m512i *seen)\
    {                                                                                                           \
        for (int g = 0; g < parts; g++)                                                                         \
            for (int64_t u = 0; u < n; u += 4 * B) {                                                            \
                __m512i a[R], b[R], *part = panel + g * TL_PART(n, B, R) + u * R / (4 * B);                     \
                for (int j = 0; j < R; j++) {                                                                   \
                    const int64_t *at = v_at + (g * R + j) * 8 / bits;                                          \
                    for (int k = 0; k < 8 / bits && ahead; k++)                                                 \
                        tl_fetch_far(from + u * W + at[k] + ahead, 1);                                          \
                    a[j] = tl_joined_rows(from + u * W, at, bits, half, seen);                                  \
                }                                                                                               \
                TL_LADDER(_mm512, R, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < R; j++)                                                                     \
                    TL_KEEP(W, part[j], a[j])                                                                   \
            }                                                                                                   \
    }                                                                                                           \
    /* The lines that the vectors of a line's parts make, `pitch` from part to part: where these are the j-th of their parts, the k-th line\
     * is that of element TL_ELEMENT_OF(j, k, B, R) of u. */                                                    \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_to_lines_##W(const __m512i *part, int64_t pitch, __m512i *x)      \
    {                                                                                                           \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < 4 * B / R; g++)                                                                     \
            TL_KEEP(W, x[g], part[g * pitch])                                                                   \
        if (B == R)                                                                                             \
            tl_turn_lanes(x);                                                                                   \
        else                                                                                                    \
            tl_turn_halves(x);                                                                                  \
    }                                                                                                           \
    /* The lines of so many lines' parts, from the j-th vectors of each; many are put into memory. */           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_all_lines_##W(const __m512i *part, int64_t pitch, int64_t together, __m512i (*x)[4 * B / R])\
    {                                                                                                           \
        for (int64_t line = 0; line < together; line++) {                                                       \
            __m512i made[4 * B / R];                                                                            \
            if (TL_MOST_TOGETHER(W) == 2) {                                                                     \
                tl_to_lines_##W(part + line * 4 * B / R * pitch, pitch, x[line]);                               \
                continue;                                                                                       \
            }                                                                                                   \
            tl_to_lines_##W(part + line * 4 * B / R * pitch, pitch, made);                                      \
            TL_UNROLL                                                                                           \
            for (int k = 0; k < 4 * B / R; k++)                                                                 \
                x[line][k] = made[k];                                                                           \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_from_panel_##W(                                                   \
        const int64_t *u_at, char *to, int64_t n, const int64_t together, const __m512i *panel, int past, tl_coming *next)\
    {                                                                                                           \
        int64_t pitch = TL_PART(n, B, R);                                                                       \
        for (int64_t u = 0; u < n; u += 4 * B)                                                                  \
            for (int j = 0; j < R; j++) {                                                                       \
                __m512i x[TL_MOST_TOGETHER(W)][4 * B / R];                                                      \
                tl_all_lines_##W(panel + u * R / (4 * B) + j, pitch, together, x);                              \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < 4 * B / R; k++)                                                             \
                    for (int64_t line = 0; line < together; line++) {                                           \
                        char *t = to + u_at[u + TL_ELEMENT_OF(j, k, B, R)] + line * TL_LINE;                    \
                        __m512i made = x[line][k];                                                              \
                        if (next)                                                                               \
                            tl_fetch_coming(next);                                                              \
                        if (past)                                                                               \
                            _mm512_stream_si512((void *)t, made);                                               \
                        else                                                                                    \
                            _mm512_storeu_si512((void *)t, made);                                               \
                    }                                                                                           \
            }                                                                                                   \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_by_panel_##W(                                                     \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t n, const int64_t together, __m512i *panel, int past,\
        int64_t ahead, tl_coming *next)                                                                         \
    {                                                                                                           \
        tl_to_panel_##W(v_at, from, n, (int)together * 4 * B / R, together * 4 * B, panel, ahead, NULL, 0);     \
        tl_from_panel_##W(u_at, to, n, together, panel, past, next);                                            \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_lines_##W(                                                        \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, const int past,\
        int64_t ahead, tl_coming *next)                                                                         \
    {                                                                                                           \
        __m512i near[16 * B];                                                                                   \
        int64_t in_room = TL_IN_PANEL(W) && (TL_IS_NARROW(W) || nv > 4 * B) && TL_MOST_IN(room, 2, B) > 4 * B;  \
        int64_t head = past && !in_room ? tl_head_of(v_at, from, nu, nv, W) : 0;                                \
        __m512i *panel = in_room ? (__m512i *)room.at : near;                                                   \
        for (int64_t v = 0, together; v < nv; v += together * 4 * B, to += together * TL_LINE, v_at += together * 4 * B) {\
            together = tl_together_of((nv - v) / (4 * B), in_room ? TL_MOST_TOGETHER(W) : past && !TL_IS_NARROW(W) ? 2 : 1);\
            int64_t most = in_room && TL_MOST_IN(room, together, B) > 4 * B ? TL_MOST_IN(room, together, B) : 4 * B;\
            for (int64_t u = 0, n; u < nu; u = tl_after(u, n, nu, head)) {                                      \
                n = in_room && nu - u < most ? nu - u : most;                                                   \
                if (together == 1)                                                                              \
                    tl_by_panel_##W(v_at, u_at + u, from + u * W, to, n, 1, panel, past, ahead, next);          \
                else if (together == 2 || TL_MOST_TOGETHER(W) == 2)                                             \
                    tl_by_panel_##W(v_at, u_at + u, from + u * W, to, n, 2, panel, past, ahead, next);          \
                else                                                                                            \
                    tl_by_panel_##W(v_at, u_at + u, from + u * W, to, n, together, panel, past, ahead, next);   \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static void tl_streamed_##W(                                                                      \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *to, int64_t nu, int64_t nv, tl_scratch room, int64_t ahead,\
        tl_coming *next)                                                                                        \
    {                                                                                                           \
        if (next->line)                                                                                         \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, room, 1, 0, next);                                       \
        else if (ahead)                                                                                         \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, room, 1, ahead, NULL);                                   \
        else                                                                                                    \
            tl_lines_##W(v_at, u_at, from, to, nu, nv, room, 1, 0, NULL);                                       \
    }
TL_DEFINE_LINES(1, 16, 8, 3, 8)
TL_DEFINE_LINES(2, 8, 8, 3, 16)
TL_DEFINE_LINES(4, 4, 4, 2, 32)
TL_DEFINE_LINES(8, 2, 2, 1, 64)
TL_DEFINE_LINES(16, 1, 1, 0, 64)

#if TL_MASKED
/* The same in a cache, with a panel on the stack; what costs there is to store across lines. */
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
            tl_lines_##W(v_at, u_at, from, to, nu, nv, TL_IN_CACHE, 0, 0, NULL);                                \
        else                                                                                                    \
            for (int64_t u = 0; u < nu; u = tl_after(u, 4 * B, nu, head))                                       \
                tl_lines_##W(v_at, u_at + u, from + u * W, to, 4 * B, nv, TL_IN_CACHE, 0, 0, NULL);             \
    }                                                                                                           \
    /* The last line of a row is the seam to the next: the last elements of v, and the first of the next u, which are read as rows of the\
     * source that begin one element later. */                                                                  \
    TL_BY_512 static void tl_seams_##W(                                                                         \
        const int64_t *v_at, const int64_t *u_at, const char *from, char *line, int64_t nu, int64_t row, int64_t place) \
    {                                                                                                           \
        __mmask64 before = ((__mmask64)1 << place) - 1;                                                         \
        for (int64_t u = 0; u < nu; u += 4 * B) {                                                               \
            __m512i panel[8 * B];                                                                               \
            tl_to_panel_##W(v_at, from + u * W, 4 * B, 4 * B / R, place / W, panel, 0, NULL, u + 4 * B + 1 - nu);\
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
#endif
#endif

#endif
