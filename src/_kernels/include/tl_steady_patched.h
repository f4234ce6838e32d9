/* Rows that patches put in order, or bring together, aside, and that are whole lines of the target from there: where a line is a pair of vectors,
 * which pick no single bytes of several lines. */
#ifndef TL_STEADY_PATCHED_H
#define TL_STEADY_PATCHED_H

#include "tl_carried.h"
#include "tl_sharing.h"

/* Whether a run has rows of less than a line that lie at even distances in the source, and are brought together, or filled up, to one stretch of
 * the target of a line at least. */
static inline int tl_are_close_rows(const tl_plan *p)
{
    int64_t row = p->u.n * p->width;
    return p->v_from >= 0 && p->chain == p->v.n && row < TL_LINE && row * p->v.n >= TL_LINE && !p->order && !tl_is_shared(p);
}

#if defined(TL_WIDE) && !TL_MASKED

/* Bytes that are put together aside before whole lines of them are written, and room for these, which begin at the same place of a page as the
 * line of the target that they become: else each load of theirs would wait for a store that is on its way to such a place. */
#define TL_MADE 1024
#define TL_PLACES 4096
#define TL_ROOM_MADE (TL_PLACES + 2 * (TL_MADE + TL_MOST_ORDERED))
typedef struct {
    char *room, *line, *first, *end; /* what lies from `first`, the beginning of a line, to `end` comes to `line` */
    __mmask64 before;                /* bytes of the first line that stay, unless it goes `on` with what was carried */
    int on;
} tl_made;

/* Begin with what comes to a line, so many bytes. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_begin_made(tl_made *m, char *line, int64_t n, __m512i carry)
{
    m->line = line, m->first = m->room + ((uintptr_t)line - (uintptr_t)m->room) % TL_PLACES;
    _mm512_storeu_si512((void *)m->first, carry);
    m->end = m->first + n;
}

/* Write the lines that are whole, and begin with what is left, which is returned. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_made(tl_made *m, enum tl_way way)
{
    char *line = m->line;
    const char *f = m->first;
    for (; m->end - f >= TL_LINE; f += TL_LINE, line += TL_LINE) {
        __m512i x = _mm512_loadu_si512((const void *)f);
        if (m->on)
            tl_put_line(line, x, way);
        else
            _mm512_mask_storeu_epi8(line, ~m->before, x);
        m->on = 1;
    }
    __m512i rest = _mm512_loadu_si512((const void *)f);
    tl_begin_made(m, line, m->end - f, rest);
    return rest;
}

/* Count bytes that were added, and write lines once they are many. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_add_made(tl_made *m, int64_t bytes, enum tl_way way)
{
    m->end += bytes;
    if (m->end - m->first >= TL_MADE)
        tl_emit_made(m, way);
}

/* Begins with a leaf, if that does not go on with what is there. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_begin_leaf(tl_made *m, char *to, __m512i carry)
{
    int64_t place = tl_place(to);
    if (m->end)
        return;
    m->before = ((__mmask64)1 << place) - 1;
    tl_begin_made(m, to - place, place, carry);
}

/* Ends with leaf q of so many bytes, unless the next goes on with it. Returns what is carried. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_end_leaf(tl_made *m, tl_leaves *s, int64_t q, int64_t size, __m512i carry)
{
    if (q + 1 < s->count && !s->bank_step && s->to_step == size)
        return carry;
    carry = tl_emit_made(m, s->way);
    carry = tl_between(s, q, size, m->line + (m->end - m->first), carry, &m->on);
    m->end = NULL;
    return carry;
}

/* So many steps of patches, for which so many `bytes` each are fetched of what is `next`, or else what lies ahead. Returns what comes then. */
TL_BY_512 static TL_ALWAYS_INLINE const char *tl_add_steps(tl_made *m, const struct tl_patches *patches, const char *from, int64_t steps,
                                                           int64_t stride, int64_t bytes, const char *next, int64_t ahead, enum tl_way way)
{
    int64_t most = TL_MADE / patches->step;
    for (int64_t n; steps; steps -= n, from += n * stride) {
        n = tl_least(steps, most);
        next = next ? tl_fetch_row(0, next, NULL, n * bytes) : NULL;
        patches->put(patches, from, n, stride, m->end, next ? 0 : ahead);
        tl_add_made(m, n * patches->step, way);
    }
    return next;
}

/* Rows in another order that follow one another in the target, wherever they begin. Those that have a stride are taken as one. */
TL_BY_512 static int tl_steady_patched(const tl_plan *p, const tl_leaves *given)
{
    char room[TL_ROOM_MADE] __attribute__((aligned(TL_LINE)));
    tl_leaves s = *given;
    const struct tl_patches *patches = p->order->patches;
    int64_t step = patches->step, row = p->u.n * p->width, size = row * p->v.n;
    int64_t stride = tl_stride_of(patches, p->v.at, p->v.n, row), is_one = stride != 0;
    int64_t rows = is_one ? 1 : p->v.n, steps = is_one ? p->v.n : row / step, rest = is_one ? 0 : row % step;
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    tl_made m = {.room = room, .on = s.on};
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        tl_begin_leaf(&m, s.to, carry);
        for (int64_t r = 0; r < rows; r++) {
            const char *f = s.from + p->v.at[r];
            s.next = tl_add_steps(&m, patches, f, steps, is_one ? stride : step, step, s.next, p->ahead, s.way);
            if (rest) {
                tl_put_some(patches, f + steps * step, rest, m.end);
                tl_add_made(&m, rest, s.way);
            }
        }
        carry = tl_end_leaf(&m, &s, q, size, carry);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}

/* Close rows, of which so many bytes are there, and the rest is filled. Leaves that go on with each other on both sides are taken as one. A step
 * that reads beyond what is known to be there goes by itself. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_close_rows_by(const tl_plan *p, tl_leaves s, int64_t bytes, const unsigned char *fill)
{
    char room[TL_ROOM_MADE] __attribute__((aligned(TL_LINE)));
    struct tl_patches patches;
    int64_t row = p->u.n * p->width, rows = p->v.n, size = row * rows, distance = p->v_from;
    if (!s.at && !s.bank_step && s.to_step == size && s.from_step == rows * distance && !s.from_lap && !s.to_lap)
        rows *= s.count, s.count = 1;
    int64_t together = tl_space_patches(&patches, bytes, row, distance, rows, fill), stride = together * distance, steps = rows / together;
    int64_t there = (rows - 1) * distance + bytes, more = !s.at && s.from_step > there - bytes ? s.from_step + bytes : there;
    int64_t last = tl_steps_within(&patches, steps, stride, there), inner = tl_steps_within(&patches, steps, stride, more);
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    tl_made m = {.room = room, .on = s.on};
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        const char *f = s.from + p->v.at[0];
        int64_t n = s.left > 1 && q + 1 < s.count ? inner : last;
        tl_begin_leaf(&m, s.to, carry);
        s.next = tl_add_steps(&m, &patches, f, n, stride, together * bytes, s.next, p->ahead, s.way);
        for (int64_t r = n * together, k; r < rows; r += k) {
            k = tl_least(together, rows - r);
            tl_put_some(&patches, f + r * distance, (k - 1) * distance + bytes, m.end);
            tl_add_made(&m, k * row, s.way);
        }
        carry = tl_end_leaf(&m, &s, q, size, carry);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}
TL_BY_512 static int tl_steady_close(const tl_plan *p, const tl_leaves *given) { return tl_close_rows_by(p, *given, p->u.n * p->width, NULL); }
TL_BY_512 static int tl_ended_close(const tl_plan *p, const tl_leaves *given) { return tl_close_rows_by(p, *given, given->there, given->fill); }

#endif
#endif
