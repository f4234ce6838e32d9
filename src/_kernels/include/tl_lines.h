/* Rows to lines of the target, a line a register. */
#ifndef TL_LINES_H
#define TL_LINES_H

#include "tl_wide.h"

#ifdef TL_WIDE

/* A line to any place. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_copy_line(char *to, const char *from, const enum tl_way way)
{
    if (way == TL_ASKED_FOR)
        tl_ask_ahead(from), tl_ask_ahead(to);
    _mm512_storeu_si512((void *)to, _mm512_loadu_si512((const void *)from));
}

/* Rows of a line or more: the last vector of each ends where the row does, so it may write again what the one before it wrote. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_long_rows_by(tl_starts starts, int64_t to_step, const char *from, char *to, int64_t rows, int64_t bytes,
                                                       const enum tl_way way)
{
    for (int64_t r = 0; r < rows; r++, to += to_step) {
        const char *row = from + tl_start(starts, r);
        for (int64_t b = 0; b <= bytes - TL_LINE; b += TL_LINE)
            tl_copy_line(to + b, row + b, way);
        if (bytes % TL_LINE)
            tl_copy_line(to + bytes - TL_LINE, row + bytes - TL_LINE, way);
    }
}
TL_BY_512 static void tl_long_rows_512(const int64_t *from_at, int64_t step, int64_t to_step, const char *from, char *to, int64_t rows,
                                       int64_t bytes, enum tl_way way)
{
    tl_starts starts = tl_starts_at(from_at, step);
    if (way == TL_ASKED_FOR)
        tl_long_rows_by(starts, to_step, from, to, rows, bytes, TL_ASKED_FOR);
    else
        tl_long_rows_by(starts, to_step, from, to, rows, bytes, TL_STORED);
}

/* Whole lines past the caches, one store each. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_store_lines_512(char *to, const char *from, int64_t bytes)
{
    for (int64_t b = 0; b < bytes; b += 64)
        _mm512_stream_si512((void *)(to + b), _mm512_loadu_si512((const void *)(from + b)));
}

/* tl_append with a line in one register: what is carried is stored and loaded whole, for a load of what several stores wrote waits until all
 * stores before them are done, those past the caches included. Rows of less than a line are moved piece by piece where there are no masks. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_append_by(char *to, const char *from, int64_t n, int goes_on, char *carry, enum tl_way way,
                                                   const int turn)
{
    const char *row = from;
    int64_t place = tl_place(to), bytes = n;
    int waits = goes_on || !place || place + n >= TL_LINE;
    if (!TL_MASKED && n < TL_LINE)
        return tl_append_with(to, from, n, goes_on, carry, tl_store_lines_512);
    if (place) {
        int64_t head = n < TL_LINE - place ? n : TL_LINE - place;
        __mmask64 mine = tl_first(head) << place;
        __m512i line = tl_get_head(row, place, bytes, turn);
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
        _mm512_store_si512((void *)carry, tl_get_tail(row, n - lines, bytes, turn));
    return waits;
}
TL_BY_512 static TL_ALWAYS_INLINE int tl_append_512(char *to, const char *from, int64_t n, int goes_on, char *carry, enum tl_way way)
{
    return tl_append_by(to, from, n, goes_on, carry, way, !TL_MASKED);
}
TL_BY_512 static TL_ALWAYS_INLINE int tl_append_past_512(char *to, const char *from, int64_t n, int goes_on, char *carry)
{
    return tl_append_512(to, from, n, goes_on, carry, TL_PAST);
}
#endif

#endif
