/* Writing past the caches: whole lines of 64 bytes, and nothing read that is only to be overwritten.
 *
 * A store to memory that is in no cache first reads the line that it changes; streaming stores of whole lines do not. So what a
 * large buffer is given are whole lines, and what is left of a line waits aside for the bytes that go on there.
 */
#ifndef TL_STREAM_H
#define TL_STREAM_H

#include <stdint.h>
#include <string.h>

#include "tl_agreed.h"
#include "tl_level.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* How lines are written: by plain stores; by these, after a line further on was prefetched; or past the caches. */
enum tl_way { TL_STORED, TL_ASKED_FOR, TL_PAST };

/* How many bytes behind the beginning of a line. */
static inline int64_t tl_place(const char *at) { return (int64_t)((uintptr_t)at & (TL_LINE - 1)); }

static inline int64_t tl_least(int64_t x, int64_t y) { return x < y ? x : y; }

/* Whether rows of so many bytes follow each other. */
static inline int tl_follow(const int64_t *at, int64_t rows, int64_t bytes)
{
    int64_t other = 0;
    for (int64_t r = 1; r < rows; r++)
        other |= at[r] ^ (at[r - 1] + bytes);
    return !other;
}

/* Where rows begin: at even distances, `step`, behind the first; or, if that is negative, where a table says. A load from a table waits for the
 * stores ahead of it, if one of them goes to the same place of another page, as one of many does: so the table is read only if it has to be. */
typedef struct {
    const int64_t *at;
    int64_t first, step;
} tl_starts;
static TL_ALWAYS_INLINE tl_starts tl_starts_at(const int64_t *at, int64_t step)
{
    tl_starts s = {.at = at, .first = at[0], .step = step};
    return s;
}
static TL_ALWAYS_INLINE int64_t tl_start(tl_starts s, int64_t r) { return s.step < 0 ? s.at[r] : s.first + r * s.step; }

static inline int64_t tl_ceil_div(int64_t n, int64_t by) { return (n + by - 1) / by; }

static inline int64_t tl_whole_lines(int64_t bytes) { return (bytes + TL_LINE - 1) & ~(int64_t)(TL_LINE - 1); }

/* Memory that a kernel may use, from where a line begins. */
typedef struct {
    char *at;
    int64_t bytes;
} tl_scratch;

/* Stores whole lines, to where lines begin, past the caches. */
typedef void tl_store(char *to, const char *from, int64_t bytes);

/* Writes n bytes to `to`, but for what they begin of a last line: that is left at the front of `carry`, which has room for a line. If they go
 * on where others ended, these have left there the first bytes of the line that `to` is in. Returns whether others can go on behind them
 * likewise: not if they lie within a line that others began and whose bytes are not in `carry`. */
typedef int tl_append(char *to, const char *from, int64_t n, int goes_on, char *carry);

static inline void tl_store_lines(char *to, const char *from, int64_t bytes)
{
#if defined(__SSE2__)
    for (int64_t b = 0; b < bytes; b += TL_LINE) {
        const __m128i *f = (const __m128i *)(from + b);
        __m128i w = _mm_loadu_si128(f), x = _mm_loadu_si128(f + 1), y = _mm_loadu_si128(f + 2), z = _mm_loadu_si128(f + 3);
        __m128i *t = (__m128i *)(to + b);
        _mm_stream_si128(t, w);
        _mm_stream_si128(t + 1, x);
        _mm_stream_si128(t + 2, y);
        _mm_stream_si128(t + 3, z);
    }
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

/* Makes streamed lines visible to other threads. */
static inline void tl_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Fetch lines into the nearest cache, or into the second. Always inline: GCC takes a function that only fetches for one that does nothing. */
#if defined(__GNUC__)
#define TL_FETCH(AT, BYTES, NEARNESS)                                                                           \
    for (int64_t b = 0; b < (BYTES); b += TL_LINE)                                                              \
        __builtin_prefetch((AT) + b, 0, NEARNESS);
#else
#define TL_FETCH(AT, BYTES, NEARNESS) (void)(AT), (void)(BYTES);
#endif
static TL_ALWAYS_INLINE void tl_fetch(const char *at, int64_t bytes) { TL_FETCH(at, bytes, 3) }
static TL_ALWAYS_INLINE void tl_fetch_far(const char *at, int64_t bytes) { TL_FETCH(at, bytes, 2) }

/* Rows of the source that are fetched as they lie, line by line and one after the other: those that a transpose reads next, while it writes. What
 * lies behind the last row comes then. */
typedef struct {
    const char *line, *end; /* what is fetched next, or NULL where nothing is in this way; and where its row ends */
    const char *from;       /* where the block begins, and in it */
    const int64_t *at;      /* the row behind that */
    int64_t rows, bytes;    /* how many rows are left from there on, and bytes of each */
} tl_coming;
static TL_ALWAYS_INLINE void tl_fetch_coming(tl_coming *next)
{
    tl_fetch(next->line, 1);
    next->line += TL_LINE;
    if (next->line >= next->end) {
        if (next->rows-- > 0)
            next->line = next->from + *next->at++;
        next->end = next->line + next->bytes;
    }
}

/* Reads a byte of each line, from end to end. That brings all of them: a machine fetches by itself what comes in such an order, while of so many
 * prefetches at once a Zen 5 drops most. */
static inline void tl_read_over(const char *from, int64_t bytes)
{
    for (int64_t b = 0; b < bytes; b += TL_LINE)
        (void)*(const volatile char *)(from + b);
}

/* Ask for the line of a cache that is to be read or written some lines later. A store that has to wait for its line holds up those behind
 * it; of lines that are asked for many are on their way. */
#define TL_ASKED_AHEAD 512
static TL_ALWAYS_INLINE void tl_ask_ahead(const char *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at + TL_ASKED_AHEAD, 0, 3);
#else
    (void)at;
#endif
}

/* Ask for a line of which only a part is to be written, before it is; else those of rows that lie far apart are waited for one by one.
 * TL_ASKED_CHAINS is how many chains ahead, TL_ASKED_LEAVES how many leaves. */
#define TL_ASKED_CHAINS 16
#define TL_ASKED_LEAVES 4
static TL_ALWAYS_INLINE void tl_ask_for(const char *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at, 1, 3);
#else
    (void)at;
#endif
}

/* Copies the few bytes of a part of a line. */
static TL_ALWAYS_INLINE void tl_piece(char *to, const char *from, int64_t n)
{
    for (; n >= 16; n -= 16, to += 16, from += 16)
        memcpy(to, from, 16);
    for (; n >= 4; n -= 4, to += 4, from += 4)
        memcpy(to, from, 4);
    for (; n; n--)
        *to++ = *from++;
}

static TL_ALWAYS_INLINE int tl_append_with(char *to, const char *from, int64_t n, int goes_on, char *carry, tl_store *store)
{
    int64_t place = tl_place(to);
    int waits = goes_on || !place || place + n >= TL_LINE;
    if (place) {
        int64_t head = n < TL_LINE - place ? n : TL_LINE - place;
        tl_piece(goes_on ? carry + place : to, from, head);
        if (goes_on && place + head == TL_LINE)
            store(to - place, carry, TL_LINE);
        to += head, from += head, n -= head;
    }
    int64_t lines = n & ~(int64_t)(TL_LINE - 1);
    store(to, from, lines);
    if (n - lines)
        tl_piece(carry, from + lines, n - lines);
    return waits;
}
static TL_ALWAYS_INLINE int tl_append_past(char *to, const char *from, int64_t n, int goes_on, char *carry)
{
    return tl_append_with(to, from, n, goes_on, carry, tl_store_lines);
}

#endif
