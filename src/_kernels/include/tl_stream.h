/* Writing past the caches: whole lines of 64 bytes, and nothing read that is only to be overwritten.
 *
 * A store to memory that is in no cache first reads the line that it changes; streaming stores of whole lines do not. So a
 * large buffer is written from segments: pieces of scratch memory that lie in their lines as their bytes will lie in the
 * target. The line that a segment ends in waits at its front for the bytes that go on there.
 */
#ifndef TL_STREAM_H
#define TL_STREAM_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TL_LINE 64

static inline int64_t tl_place(const char *at) { return (int64_t)((uintptr_t)at & (TL_LINE - 1)); }

static inline int64_t tl_whole_lines(int64_t bytes) { return (bytes + TL_LINE - 1) & ~(int64_t)(TL_LINE - 1); }

/* Whole lines, from where lines begin to where lines begin. Fresh memory is written the ordinary way: the system has just cleared
 * it, so that its lines are in the caches. */
static inline void tl_store_lines(char *to, const char *from, int64_t bytes, int is_fresh)
{
    if (is_fresh) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
#if defined(__SSE2__)
    for (int64_t b = 0; b < bytes; b += TL_LINE) {
        const __m128i *f = (const __m128i *)(from + b);
        __m128i w = _mm_load_si128(f), x = _mm_load_si128(f + 1), y = _mm_load_si128(f + 2), z = _mm_load_si128(f + 3);
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

#if defined(__GNUC__)
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define TL_ALWAYS_INLINE inline
#endif

/* Fetch lines into the nearest cache. Always inline: GCC takes a function that only fetches for one that does nothing. */
static TL_ALWAYS_INLINE void tl_fetch(const char *at, int64_t bytes)
{
#if defined(__GNUC__)
    for (int64_t b = 0; b < bytes; b += TL_LINE)
        __builtin_prefetch(at + b, 0, 2);
#else
    (void)at, (void)bytes;
#endif
}

/* Write the n bytes that lie in the segment from `place` on, as `to` does in its line. If they go on where others ended, those
 * wait in front of them. Where n is whole lines, what is left in the last one waits at the front for what goes on behind. */
static inline void tl_write(char *to, char *segment, int64_t place, int64_t n, int goes_on, int is_fresh)
{
    int64_t end = place + n, whole = end & ~(int64_t)(TL_LINE - 1), begin = goes_on ? 0 : place;
    char *line = to - place;
    if (begin && whole) {
        memcpy(to, segment + begin, (size_t)(TL_LINE - begin));
        begin = TL_LINE;
    }
    if (begin < whole) {
        tl_store_lines(line + begin, segment + begin, whole - begin, is_fresh);
        begin = whole;
    }
    if (n & (TL_LINE - 1))
        memcpy(line + begin, segment + begin, (size_t)(end - begin));
    else if (place)
        memcpy(segment, segment + whole, TL_LINE);
}

#endif
