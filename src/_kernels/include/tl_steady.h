/* Whole leaves one after the other, straight from registers to lines of the target.
 *
 * Where a leaf is one stretch of the target (or a few rows that each go on where the last leaf left them), a vector that is ready is turned
 * until its bytes stand where they do in their lines: its head ends the line at hand, and its tail begins the next.
 */
#ifndef TL_STEADY_H
#define TL_STEADY_H

#include "tl_order.h"

#ifdef TL_WIDE

/* In which steps vectors are turned: of four bytes; of these and then of bits; or of bytes, where a machine puts these in any order. */
enum tl_steps { TL_WORDS, TL_BITS, TL_BYTES };

/* How a vector is turned for a place in the line, the bytes of a line before that place, and how lines are written: which words of it come
 * where, or which bytes. By bits these then go `up`, with what comes `down` from the words before. */
typedef struct {
    __m512i turn, before_turn;
    __m128i up, down;
    __mmask64 before;
    enum tl_way way;
} tl_turn;

TL_BY_512 static TL_ALWAYS_INLINE tl_turn tl_turn_by(int64_t place, enum tl_way way, const enum tl_steps steps)
{
    __m512i words = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    tl_turn t = {.before = ((__mmask64)1 << place) - 1, .way = way};
    if (steps == TL_BYTES) {
        t.turn = _mm512_sub_epi8(tl_numbers(), _mm512_set1_epi8((char)place));
        return t;
    }
    t.turn = _mm512_sub_epi32(words, _mm512_set1_epi32((int)place / 4));
    if (steps == TL_BITS) {
        int up = (int)place % 4 * 8;
        t.before_turn = _mm512_sub_epi32(t.turn, _mm512_set1_epi32(1));
        t.up = _mm_cvtsi32_si128(up), t.down = _mm_cvtsi32_si128(32 - up);
    }
    return t;
}
TL_BY_512 static TL_ALWAYS_INLINE tl_turn tl_turn_to(int64_t place, enum tl_way way) { return tl_turn_by(place, way, TL_WORDS); }

TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_turned(__m512i x, const tl_turn *t, const enum tl_steps steps)
{
    if (steps == TL_BYTES)
        return tl_permuted_bytes(t->turn, x);
    __m512i turned = _mm512_permutexvar_epi32(t->turn, x);
    if (steps == TL_BITS)
        turned = _mm512_or_si512(_mm512_sll_epi32(turned, t->up), _mm512_srl_epi32(_mm512_permutexvar_epi32(t->before_turn, x), t->down));
    return turned;
}

/* Writes a line: what was carried and the head of `x`, whose tail is returned; what is before it in a line that others began stays. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_by(char *line, __m512i x, __m512i carry, int on, const tl_turn *t, const enum tl_steps steps)
{
    __m512i turned = tl_turned(x, t, steps);
    if (on)
        tl_put_line(line, _mm512_mask_blend_epi8(t->before, turned, carry), t->way);
    else
        _mm512_mask_storeu_epi8(line, ~t->before, turned);
    return turned;
}
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit(char *line, __m512i x, __m512i carry, int on, const tl_turn *t)
{
    return tl_emit_by(line, x, carry, on, t, TL_WORDS);
}

/* Writes so many lines of a row that goes on at `to`, from vectors `apart`; its tail is carried on. Rows that do not lie `alike` in their lines
 * have a turn of their own each. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_row(char *to, const __m512i *x, int64_t apart, int lines, void *carried, int on,
                                                   const tl_turn *alike, enum tl_way way, const enum tl_steps steps)
{
    int64_t place = tl_place(to);
    tl_turn own;
    if (!alike)
        own = tl_turn_by(place, way, steps);
    __m512i carry = _mm512_load_si512((const void *)carried);
    for (int l = 0; l < lines; l++)
        carry = tl_emit_by(to - place + l * TL_LINE, x[l * apart], carry, on | l, alike ? alike : &own, steps);
    _mm512_store_si512(carried, carry);
}

/* The same with the first n bytes of `x`, behind what was carried: a line that they do not end is carried on. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_part(char *line, __m512i x, int64_t n, __m512i carry, const tl_turn *t, const enum tl_steps steps)
{
    __m512i turned = tl_turned(x, t, steps), so_far = _mm512_mask_blend_epi8(t->before, turned, carry);
    if (t->before >> (TL_LINE - 1 - n) == 0)
        return so_far;
    tl_put_line(line, so_far, t->way);
    return turned;
}

/* Writes the tails that end a line which others go on with. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_tail(char *line, __m512i carry, const tl_turn *t)
{
    if (t->before)
        _mm512_mask_storeu_epi8(line, t->before, carry);
}

/* The same for what is carried to any place. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_rest(char *end, __m512i carry)
{
    int64_t place = tl_place(end);
    if (place)
        _mm512_mask_storeu_epi8(end - place, ((__mmask64)1 << place) - 1, carry);
}

/* The same for all chains of a leaf, which end where these would begin if the leaf were at `end`. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_rests(const tl_plan *p, char *end, const char *carry)
{
    for (int64_t u = 0, asked = 0; u < p->u.n; u += p->chain, carry += TL_LINE) {
        asked = tl_ask_for_rows(p, end, asked, tl_least(p->u.n, u + TL_ASKED_ROWS * p->chain));
        tl_emit_rest(end + p->u.at[u], _mm512_load_si512((const void *)carry));
    }
}

/* The same for all chains of a run. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_end_rows(const tl_plan *p, char *end, const char *carry)
{
    for (int64_t r = 0; r < p->v.n; r += p->chain, carry += TL_LINE)
        tl_emit_rest(end + r * p->v_to, _mm512_load_si512((const void *)carry));
}

/* Goes on to the next leaf. */
static TL_ALWAYS_INLINE void tl_next(tl_leaves *s, int64_t q)
{
    s->from += s->at ? s->at[q + 1] - s->at[q] : s->from_step;
    s->to += s->to_step;
}

/* The tail that the leaf behind `q` goes on with, where each of them is one stretch of so many bytes that ends at `end`. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_between(tl_leaves *s, int64_t q, int64_t size, char *end, __m512i carry, int *on)
{
    if (q + 1 == s->count)
        return carry;
    if (s->bank_step) {
        _mm512_store_si512((void *)s->carry, carry);
        s->carry += s->bank_step, *on = s->on;
        return _mm512_load_si512((const void *)s->carry);
    }
    if (s->to_step != size)
        tl_emit_rest(end, carry), *on = 0;
    return carry;
}

/* Goes on to the tails of the next leaf where leaves take turns; whether they do. */
static TL_ALWAYS_INLINE int tl_turns(tl_leaves *s, int *on)
{
    s->carry += s->bank_step;
    if (s->bank_step)
        *on = s->on;
    return s->bank_step != 0;
}

/* Fetches a line ahead of `from`, one for each line that is read or written: what comes next waits for many fetches at once. */
static TL_ALWAYS_INLINE void tl_fetch_ahead(const tl_plan *p, const char *from)
{
    if (p->ahead)
        tl_fetch(from + p->ahead, 1);
}

/* Rows of whole lines that follow one another. */
TL_BY_512 static int tl_steady_run(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    int on = s.on;
    int64_t rows = p->v.n, bytes = p->u.n * p->width, size = rows * bytes, place = tl_place(s.to);
    __mmask64 before = ((__mmask64)1 << place) - 1;
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *line = s.to - place;
        for (int64_t r = 0; r < rows; r++) {
            const char *row = s.from + p->v.at[r];
            if (p->ahead)
                tl_fetch(row + p->ahead, bytes);
            __m512i first = tl_get_part(row, place, ~before, bytes);
            if (on)
                tl_put_line(line, _mm512_mask_blend_epi8(before, first, carry), s.way);
            else
                _mm512_mask_storeu_epi8(line, ~before, first);
            on = 1;
            for (int64_t b = TL_LINE; b < bytes; b += TL_LINE)
                tl_put_line(line + b, _mm512_loadu_si512((const void *)(row - place + b)), s.way);
            carry = tl_get_part(row + bytes - place, 0, before, bytes);
            line += bytes;
        }
        carry = tl_between(&s, q, size, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}

/* Leaves that are one stretch of the target each, a line at least: side by side to the scratch, and from there to lines. They are of any kind, or,
 * where there is a spacing, of short rows with padding behind each. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_side_by_side(const tl_plan *p, tl_leaves s, const tl_spacing *spacing, __m512i padding)
{
    int on = s.on;
    int64_t size = p->u.n * p->v.n * p->width, together = s.room.bytes < TL_TOGETHER ? s.room.bytes : TL_TOGETHER;
    int64_t most = s.to_step == size && size < together ? together / size : 1;
    for (int64_t q = 0, n; q < s.count; q += n) {
        char *to = s.to;
        n = tl_least(s.count - q, most);
        for (int64_t k = 0; k < n; k++, tl_next(&s, q + k - 1)) {
            char *aside = s.room.at + k * size;
            if (p->ahead && spacing)
                tl_fetch_spaced(spacing, p->v.at, s.from + p->ahead, p->v.n);
            else if (p->ahead)
                tl_fetch(s.from + p->ahead, size);
            if (spacing)
                tl_space(spacing, p->v.at, s.from, aside, p->v.n, padding);
            else
                p->move(p, s.from, aside, p->u.n, p->v.n);
        }
        tl_append_512(to, s.room.at, n * size, on, s.carry, s.way);
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + n < s.count)
            tl_emit_rest(to + n * size, _mm512_load_si512((const void *)s.carry));
    }
    return 1;
}
TL_BY_512 static int tl_steady_stretches(const tl_plan *p, const tl_leaves *given)
{
    return tl_side_by_side(p, *given, NULL, _mm512_setzero_si512());
}
/* Short rows that are all there, and those of which so many bytes are. */
TL_BY_512 static int tl_steady_spaced(const tl_plan *p, const tl_leaves *given)
{
    const tl_spacing spacing = tl_spacing_of(p, tl_row_bytes(p), tl_row_bytes(p));
    return tl_side_by_side(p, *given, &spacing, _mm512_setzero_si512());
}
TL_BY_512 static int tl_ended_spaced(const tl_plan *p, const tl_leaves *given)
{
    const tl_spacing spacing = tl_spacing_of(p, given->there, tl_row_bytes(p));
    return tl_side_by_side(p, *given, &spacing, tl_pattern_512(given->fill));
}

/* Bytes of an unzip whose rows follow each other, so that they are one stretch of the target: what the registers hold. */
#define TL_HELD 512

#define TL_DEFINE_STEADY(W, K)                                                                                  \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_zip_leaves_##W##_##K(const tl_plan *p, tl_leaves s, const int ends)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        __m512i padding = ends ? tl_pattern_512(s.fill) : _mm512_setzero_si512();                               \
        const int64_t *at = p->v.at;                                                                            \
        int64_t side = p->u.n * W, whole = side & -TL_LINE, place = tl_place(s.to);                             \
        __mmask64 some = ((__mmask64)1 << (side - whole)) - 1;                                                  \
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t u = 0; u < whole; u += TL_LINE, line += K * TL_LINE) {                                 \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + u + at[j];                                                         \
                    tl_fetch_ahead(p, f);                                                                       \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - u : 0, padding) : _mm512_loadu_si512((const void *)f);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++, on = 1)                                                             \
                    carry = tl_emit(line + j * TL_LINE, a[j], carry, on, &t);                                   \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + whole + at[j];                                                     \
                    tl_fetch_ahead(p, f);                                                                       \
                    a[j] = ends ? tl_get_ended(f, j < s.nv ? s.there - whole : 0, padding) : tl_get_part(f, 0, some, side);\
                }                                                                                               \
                tl_zipped_##W##_##K(a);                                                                         \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    if (j * TL_LINE < (side - whole) * K)                                                       \
                        carry = tl_emit(line, a[j], carry, on, &t), on = 1, line += TL_LINE;                    \
            }                                                                                                   \
            carry = tl_between(&s, q, K * side, line + place, carry, &on);                                      \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_zip_##W##_##K(const tl_plan *p, const tl_leaves *given)                      \
    {                                                                                                           \
        return tl_zip_leaves_##W##_##K(p, *given, 0);                                                           \
    }                                                                                                           \
    TL_BY_512 static int tl_ended_zip_##W##_##K(const tl_plan *p, const tl_leaves *given)                       \
    {                                                                                                           \
        return tl_zip_leaves_##W##_##K(p, *given, 1);                                                           \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_unzip_leaves_##W##_##K(                                                \
        const tl_plan *p, tl_leaves s, const enum tl_steps steps, const int one_line)                           \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t side = one_line ? TL_LINE : s.nv * W, whole = side & -TL_LINE;                                  \
        const int any = steps != TL_WORDS;                                                                      \
        tl_turn t[K];                                                                                           \
        if (!any)                                                                                               \
            t[0] = tl_turn_to(tl_place(s.to), s.way);                                                          \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line[K];                                                                                      \
            __m512i carry[K];                                                                                   \
            for (int j = 0; j < K; j++) {                                                                       \
                char *to = s.to + p->u.at[j];                                                                   \
                int64_t place = tl_place(any ? to : s.to);                                                      \
                if (any)                                                                                        \
                    t[j] = tl_turn_by(place, s.way, steps);                                                     \
                line[j] = to - place;                                                                           \
                carry[j] = _mm512_load_si512((const void *)(s.carry + j * TL_LINE));                            \
            }                                                                                                   \
            for (int64_t v = 0; v < whole; v += TL_LINE) {                                                      \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + (one_line ? TL_TUPLES_AT(p->v.at, 0, j, W, K) : p->v.at[v / W] + j * TL_LINE);\
                    tl_fetch_ahead(p, f);                                                                       \
                    a[j] = _mm512_loadu_si512((const void *)f);                                                 \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++)                                                                     \
                    carry[j] = tl_emit_by(line[j] + v, a[j], carry[j], on, t + any * j, steps);                 \
                on = 1;                                                                                         \
            }                                                                                                   \
            if (whole < side) {                                                                                 \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    const char *f = s.from + p->v.at[whole / W] + j * TL_LINE;                                  \
                    int64_t there = (side - whole) * K - j * TL_LINE;                                           \
                    a[j] = there > 0 ? tl_get_part(f, 0, tl_first(there), side * K) : _mm512_setzero_si512();   \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                for (int j = 0; j < K; j++)                                                                     \
                    carry[j] = tl_emit_part(line[j] + whole, a[j], side - whole, carry[j], t + any * j, steps); \
            }                                                                                                   \
            for (int j = 0; j < K; j++)                                                                         \
                _mm512_store_si512((void *)(s.carry + j * TL_LINE), carry[j]);                                  \
            if (!tl_turns(&s, &on) && s.to_step != side && q + 1 < s.count) {                                   \
                for (int j = 0; j < K; j++)                                                                     \
                    tl_emit_tail(line[j] + side, carry[j], t + any * j);                                        \
                on = 0;                                                                                         \
            }                                                                                                   \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_unzip_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        return p->v.n * W == TL_LINE ? tl_unzip_leaves_##W##_##K(p, *given, TL_WORDS, 1) : tl_unzip_leaves_##W##_##K(p, *given, TL_WORDS, 0);\
    }                                                                                                           \
    TL_BY_512 static int tl_steady_unzip_any_##W##_##K(const tl_plan *p, const tl_leaves *given)                \
    {                                                                                                           \
        if (tl_permutes_bytes(p->level))                                                                        \
            return p->v.n * W == TL_LINE ? tl_unzip_leaves_##W##_##K(p, *given, TL_BYTES, 1) : tl_unzip_leaves_##W##_##K(p, *given, TL_BYTES, 0);\
        return p->v.n * W == TL_LINE ? tl_unzip_leaves_##W##_##K(p, *given, TL_BITS, 1) : tl_unzip_leaves_##W##_##K(p, *given, TL_BITS, 0);\
    }

#define TL_DEFINE_STEADY_APART(W, K)                                                                            \
    TL_BY_512 static int tl_steady_apart_##W##_##K(const tl_plan *p, const tl_leaves *given)                    \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        int on = s.on;                                                                                          \
        enum { LINES = TL_HELD / TL_LINE };                                                                     \
        int64_t place = tl_place(s.to);                                                                         \
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        __m512i carry = _mm512_load_si512((const void *)s.carry), rows[LINES];                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            TL_UNROLL                                                                                           \
            for (int l = 0; l < LINES / K; l++) {                                                               \
                const char *f = s.from + p->v.at[l * TL_LINE / W];                                              \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    tl_fetch_ahead(p, f + j * TL_LINE);                                                         \
                    a[j] = _mm512_loadu_si512((const void *)(f + j * TL_LINE));                                 \
                }                                                                                               \
                tl_apart_##W##_##K(a);                                                                          \
                for (int j = 0; j < K; j++)                                                                     \
                    rows[j * (LINES / K) + l] = a[j];                                                           \
            }                                                                                                   \
            TL_UNROLL                                                                                           \
            for (int j = 0; j < LINES; j++, on = 1)                                                             \
                carry = tl_emit(line + j * TL_LINE, rows[j], carry, on, &t);                                    \
            carry = tl_between(&s, q, TL_HELD, line + TL_HELD + place, carry, &on);                             \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }

TL_DEFINE_STEADY(1, 2)
TL_DEFINE_STEADY(1, 3)
TL_DEFINE_STEADY(1, 4)
TL_DEFINE_STEADY(1, 8)
TL_DEFINE_STEADY(2, 2)
TL_DEFINE_STEADY(2, 3)
TL_DEFINE_STEADY(2, 4)
TL_DEFINE_STEADY(4, 2)
TL_DEFINE_STEADY(4, 3)
TL_DEFINE_STEADY(4, 4)
TL_DEFINE_STEADY(8, 2)
TL_DEFINE_STEADY(8, 3)
TL_DEFINE_STEADY_APART(1, 2)
TL_DEFINE_STEADY_APART(1, 4)
TL_DEFINE_STEADY_APART(1, 8)
TL_DEFINE_STEADY_APART(2, 2)
TL_DEFINE_STEADY_APART(2, 4)
TL_DEFINE_STEADY_APART(4, 2)

/* What the bytes of a vector are between them. */
TL_BY_512 static TL_ALWAYS_INLINE uint8_t tl_bytes_between(__m512i x)
{
    uint64_t found = (uint64_t)_mm512_reduce_or_epi64(x);
    for (int by = 32; by >= 8; by /= 2)
        found |= found >> by;
    return (uint8_t)found;
}

/* Interleaved elements that share bytes across rows: joined as they are read, and spread as they are written. Each is compiled for
 * every number of bits. */
#define TL_FOR_BITS(LEAVES)                                                                                     \
    return p->sharing.bits == 4 ? LEAVES(p, *given, 4) : p->sharing.bits == 2 ? LEAVES(p, *given, 2) : LEAVES(p, *given, 1);
#define TL_DEFINE_STEADY_SHARED(K)                                                                              \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_join_leaves_##K(const tl_plan *p, tl_leaves s, const int bits)     \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const int per = 8 / bits;                                                                               \
        int64_t side = p->u.n, place = tl_place(s.to);                                                          \
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        __m512i own = _mm512_set1_epi8((char)((1 << bits) - 1)), seen = _mm512_setzero_si512();                 \
        __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));                                  \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t u = 0; u < side; u += TL_LINE, line += K * TL_LINE) {                                  \
                __m512i a[K];                                                                                   \
                const int64_t *at = p->v.at;                                                                    \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++) {                                                                   \
                    __m512i joined = _mm512_setzero_si512();                                                    \
                    TL_UNROLL                                                                                   \
                    for (int k = 0; k < per; k++) {                                                             \
                        const char *f = s.from + u + *at++;                                                     \
                        tl_fetch_ahead(p, f);                                                                   \
                        __m512i x = _mm512_loadu_si512((const void *)f);                                        \
                        seen = _mm512_or_si512(seen, _mm512_add_epi8(x, half));                                 \
                        x = _mm512_sll_epi16(_mm512_and_si512(x, own), _mm_cvtsi32_si128(k * bits));            \
                        joined = _mm512_or_si512(joined, x);                                                    \
                    }                                                                                           \
                    a[j] = joined;                                                                              \
                }                                                                                               \
                tl_zipped_1_##K(a);                                                                             \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < K; j++, on = 1)                                                             \
                    carry = tl_emit(line + j * TL_LINE, a[j], carry, on, &t);                                   \
            }                                                                                                   \
            carry = tl_between(&s, q, K * side, line + place, carry, &on);                                      \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        *s.sums |= tl_bytes_between(seen);                                                                      \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_spread_leaves_##K(const tl_plan *p, tl_leaves s, const int bits)   \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        const int per = 8 / bits;                                                                               \
        int64_t side = p->v.n, place = tl_place(s.to);                                                          \
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        __m512i own = _mm512_set1_epi8((char)((1 << bits) - 1));                                                \
        __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            for (int64_t v = 0; v < side; v += TL_LINE, line += TL_LINE, on = 1) {                              \
                const char *f = s.from + p->v.at[v];                                                            \
                __m512i a[K];                                                                                   \
                for (int j = 0; j < K; j++) {                                                                   \
                    tl_fetch_ahead(p, f + j * TL_LINE);                                                         \
                    a[j] = _mm512_loadu_si512((const void *)(f + j * TL_LINE));                                 \
                }                                                                                               \
                tl_apart_1_##K(a);                                                                              \
                TL_UNROLL                                                                                       \
                for (int row = 0; row < K * per; row++) {                                                       \
                    __m512i *carry = (__m512i *)s.carry + row;                                                  \
                    __m512i x = _mm512_srl_epi16(a[row / per], _mm_cvtsi32_si128(row % per * bits));            \
                    x = _mm512_sub_epi8(_mm512_xor_si512(_mm512_and_si512(x, own), half), half);                \
                    *carry = tl_emit(line + p->u.at[row], x, *carry, on, &t);                                   \
                }                                                                                               \
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == side) && q + 1 < s.count)                             \
                tl_emit_rests(p, s.to + side, s.carry);                                                         \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_join_##K(const tl_plan *p, const tl_leaves *given)                           \
    {                                                                                                           \
        TL_FOR_BITS(tl_join_leaves_##K)                                                                         \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_spread_##K(const tl_plan *p, const tl_leaves *given)                         \
    {                                                                                                           \
        TL_FOR_BITS(tl_spread_leaves_##K)                                                                       \
    }
TL_DEFINE_STEADY_SHARED(2)
TL_DEFINE_STEADY_SHARED(4)

/* A line of bytes of the elements that lie along a row, which go to `seen`, moved up by half a range: pairs are joined, and pairs of these. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_joined_line(const tl_plan *p, const char *from, const int bits, __m512i half, __m512i *seen)
{
    const __m512i own = _mm512_set1_epi8((char)((1 << bits) - 1)), pair = _mm512_set1_epi16((short)(1 | 0x100 << bits));
    __m512i x[8];
    TL_UNROLL
    for (int k = 0; k < 8 / bits; k++) {
        tl_fetch_ahead(p, from + k * TL_LINE);
        x[k] = _mm512_loadu_si512((const void *)(from + k * TL_LINE));
        *seen = _mm512_or_si512(*seen, _mm512_add_epi8(x[k], half));
    }
    if (bits == 1) {
        uint64_t words[8];
        for (int k = 0; k < 8; k++)
            words[k] = (uint64_t)_mm512_test_epi8_mask(x[k], own);
        return _mm512_loadu_si512((const void *)words);
    }
    TL_UNROLL
    for (int k = 0; k < 8 / bits; k++) {
        x[k] = _mm512_maddubs_epi16(_mm512_and_si512(x[k], own), pair);
        if (bits == 2)
            x[k] = _mm512_madd_epi16(x[k], _mm512_set1_epi32(1 | 16 << 16));
    }
    if (bits == 4)
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_packus_epi16(x[0], x[1]));
    x[0] = _mm512_packus_epi16(_mm512_packus_epi32(x[0], x[1]), _mm512_packus_epi32(x[2], x[3]));
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x[0]);
}

/* The elements of a line, spread from as many bits. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_spread_line(const char *from, const int bits, __m512i half)
{
    __m512i x;
    if (bits == 4) {
        x = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)from));
        x = _mm512_or_si512(x, _mm512_slli_epi16(x, 4));
    } else if (bits == 2) {
        x = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
        x = _mm512_or_si512(x, _mm512_slli_epi32(x, 12));
        x = _mm512_or_si512(x, _mm512_slli_epi32(x, 6));
    } else {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        x = _mm512_maskz_set1_epi8((__mmask64)word, 1);
    }
    x = _mm512_and_si512(x, _mm512_set1_epi8((char)((1 << bits) - 1)));
    return _mm512_sub_epi8(_mm512_xor_si512(x, half), half);
}

/* Rows whose elements share bytes with their neighbours, whole lines of them: joined to rows that follow one another, and spread to rows of
 * any place. */
TL_BY_512 static TL_ALWAYS_INLINE int tl_join_rows(const tl_plan *p, tl_leaves s, const int bits)
{
    int on = s.on;
    int64_t n = p->u.n * p->width, place = tl_place(s.to);
    tl_turn t = tl_turn_to(place, s.way);
    __m512i seen = _mm512_setzero_si512(), half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *line = s.to - place;
        for (int64_t r = 0; r < p->v.n; r++)
            for (int64_t e = 0; e < n; e += TL_LINE * 8 / bits, line += TL_LINE, on = 1)
                carry = tl_emit(line, tl_joined_line(p, s.from + p->v.at[r] + e, bits, half, &seen), carry, on, &t);
        carry = tl_between(&s, q, p->v.n * n * bits / 8, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    *s.sums |= tl_bytes_between(seen);
    return 1;
}
TL_BY_512 static TL_ALWAYS_INLINE int tl_spread_rows_by(const tl_plan *p, tl_leaves s, const int bits, const enum tl_steps steps)
{
    int on = s.on;
    int64_t n = p->u.n * p->width, size = p->chain * n;
    __m512i half = _mm512_set1_epi8((char)tl_half(bits, p->sharing.sign));
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        for (int64_t r = 0; r < p->v.n; r++) {
            const char *row = s.from + p->v.at[r];
            char *to = s.to + r * p->v_to;
            int64_t place = tl_place(to);
            int goes_on = r % p->chain ? 1 : on;
            tl_turn t = tl_turn_by(place, s.way, steps);
            __m512i *carried = (__m512i *)(s.carry + r / p->chain * TL_LINE), carry = *carried;
            for (int64_t e = 0; e < n; e += TL_LINE, goes_on = 1) {
                tl_fetch_ahead(p, row + e * bits / 8);
                carry = tl_emit_by(to - place + e, tl_spread_line(row + e * bits / 8, bits, half), carry, goes_on, &t, steps);
            }
            *carried = carry;
        }
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + 1 < s.count)
            tl_end_rows(p, s.to + size, s.carry);
    }
    return 1;
}
TL_BY_512 static int tl_steady_join_rows(const tl_plan *p, const tl_leaves *given) { TL_FOR_BITS(tl_join_rows) }
#define TL_SPREAD_BYTES(P, S, BITS) tl_spread_rows_by(P, S, BITS, TL_BYTES)
#define TL_SPREAD_BITS(P, S, BITS) tl_spread_rows_by(P, S, BITS, TL_BITS)
TL_BY_512 static int tl_steady_spread_rows(const tl_plan *p, const tl_leaves *given)
{
    if (tl_permutes_bytes(p->level)) {
        TL_FOR_BITS(TL_SPREAD_BYTES)
    }
    TL_FOR_BITS(TL_SPREAD_BITS)
}

/* Rows of any length and place, of a line at least. */
TL_BY_512 static int tl_steady_rows(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    int on = s.on;
    int64_t bytes = p->u.n * p->width, size = p->chain * bytes;
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        char *carry = s.carry;
        for (int64_t c = 0; c < p->v.n; c += p->chain, carry += TL_LINE)
            for (int64_t r = c, goes_on = on; r < c + p->chain; r++, goes_on = 1) {
                const char *row = s.from + p->v.at[r];
                if (p->ahead)
                    tl_fetch(row + p->ahead, bytes);
                tl_append_512(s.to + r * p->v_to, row, bytes, (int)goes_on, carry, s.way);
            }
        if (!tl_turns(&s, &on) && !(on = s.to_step == size) && q + 1 < s.count)
            tl_end_rows(p, s.to + size, s.carry);
    }
    return 1;
}

/* Rows of more than half a line, and less than one, that follow one another: each is read from where it comes to stand in its line. */
TL_BY_512 static int tl_steady_short_rows(const tl_plan *p, const tl_leaves *given)
{
    tl_leaves s = *given;
    int on = s.on;
    int64_t rows = p->v.n, bytes = p->u.n * p->width;
    __mmask64 row = tl_first(bytes);
    __m512i carry = _mm512_load_si512((const void *)s.carry);
    for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {
        int64_t place = tl_place(s.to);
        char *line = s.to - place;
        __mmask64 before = ((__mmask64)1 << place) - 1;
        carry = _mm512_maskz_mov_epi8(before, carry);
        for (int64_t r = 0; r < rows; r++) {
            const char *f = s.from + p->v.at[r];
            tl_fetch_ahead(p, f);
            carry = _mm512_or_si512(carry, tl_get_part(f, place, row << place, bytes));
            place += bytes;
            if (place < TL_LINE)
                continue;
            if (on)
                tl_put_line(line, carry, s.way);
            else
                _mm512_mask_storeu_epi8(line, ~before, carry);
            on = 1, place -= TL_LINE, line += TL_LINE;
            carry = tl_get_part(f + bytes - place, 0, ((__mmask64)1 << place) - 1, bytes);
        }
        carry = tl_between(&s, q, rows * bytes, line + place, carry, &on);
    }
    _mm512_store_si512((void *)s.carry, carry);
    return 1;
}

/* Rows of a transpose that are each carried on; of more, the tails would leave the nearest cache. */
#define TL_MOST_CARRIES 256

/* Whether all rows of a transpose begin a whole number of four bytes behind a line, in each of the leaves. */
static inline int tl_are_words(const tl_plan *p, const tl_leaves *s)
{
    int64_t places = (int64_t)(uintptr_t)s->to | s->to_step;
    for (int64_t u = 0; u < p->u.n; u++)
        places |= p->u.at[u];
    return places % 4 == 0;
}

/* Transposes to rows of whole lines, each apart: within lanes, and then lanes against lanes, as in TL_DEFINE_LINES. Two lines of a row are
 * written together, for lines that each are far from the last take longer. Where rows do not lie alike in their lines, each has a turn of its
 * own. */
#define TL_DEFINE_STEADY_TURN(W, B, STAGES, SI)                                                                 \
    /* So many lines of 4 * B rows, from the elements at u and v on. */                                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_turn_block_##W(                                                   \
        const tl_plan *p, const tl_leaves s, int64_t u, int64_t v, int on, const int lines, const tl_turn *alike,\
        const enum tl_steps steps)                                                                              \
    {                                                                                                           \
        __m512i panel[2][4 * B];                                                                                \
        const int64_t *v_at = p->v.at + v;                                                                      \
        for (int l = 0; l < lines; l++, v_at += 4 * B)                                                          \
            TL_UNROLL                                                                                           \
            for (int g = 0; g < 4; g++) {                                                                       \
                __m512i a[B], b[B];                                                                             \
                for (int j = 0; j < B; j++) {                                                                   \
                    const char *f = s.from + u * W + v_at[g * B + j];                                           \
                    a[j] = _mm512_loadu_si512((const void *)f);                                                 \
                }                                                                                               \
                TL_LADDER(_mm512, B, STAGES, SI)                                                                \
                TL_UNROLL                                                                                       \
                for (int j = 0; j < B; j++)                                                                     \
                    panel[l][4 * j + g] = a[j];                                                                 \
            }                                                                                                   \
        v_at = p->v.at + v;                                                                                     \
        for (int j = 0; j < B; j++) {                                                                           \
            for (int l = 0; l < lines; l++)                                                                     \
                tl_turn_lanes(panel[l] + 4 * j);                                                                \
            for (int lane = 0; lane < 4; lane++) {                                                              \
                int64_t row = u + lane * B + j;                                                                 \
                for (int l = 0; l < lines; l++)                                                                 \
                    tl_fetch_ahead(p, s.from + u * W + v_at[4 * (l * B + j) + lane]);                           \
                tl_emit_row(s.to + p->u.at[row] + v * W, panel[0] + 4 * j + lane, 4 * B, lines, s.carry + row * TL_LINE, on, alike, s.way,\
                            steps);                                                                             \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_turn_leaves_##W(const tl_plan *p, tl_leaves s, const int alike, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t nu = p->u.n, nv = p->v.n;                                                                       \
        tl_turn t = tl_turn_to(tl_place(s.to), s.way), *turn = alike ? &t : NULL;                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            for (int64_t v = 0, n; v < nv; v += n, on = 1) {                                                    \
                n = !TL_IS_NARROW(W) && nv - v > 4 * B ? 8 * B : 4 * B;                                         \
                for (int64_t u = 0; u < nu; u += 4 * B) {                                                       \
                    if (!on)                                                                                    \
                        tl_ask_for_rows(p, s.to + v * W, u + 4 * B, tl_least(nu, u + 8 * B));                   \
                    if (n > 4 * B)                                                                              \
                        tl_turn_block_##W(p, s, u, v, on, 2, turn, steps);                                      \
                    else                                                                                        \
                        tl_turn_block_##W(p, s, u, v, on, 1, turn, steps);                                      \
                }                                                                                               \
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == nv * W) && q + 1 < s.count)                           \
                tl_emit_rests(p, s.to + nv * W, s.carry);                                                       \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_turn_##W(const tl_plan *p, const tl_leaves *given)                           \
    {                                                                                                           \
        return tl_turn_leaves_##W(p, *given, 1, TL_WORDS);                                                      \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_turn_any_##W(const tl_plan *p, const tl_leaves *given)                       \
    {                                                                                                           \
        if (W >= 4 && tl_are_words(p, given))                                                                   \
            return tl_turn_leaves_##W(p, *given, 0, TL_WORDS);                                                  \
        return tl_permutes_bytes(p->level) ? tl_turn_leaves_##W(p, *given, 0, TL_BYTES) : tl_turn_leaves_##W(p, *given, 0, TL_BITS);\
    }
TL_DEFINE_STEADY_TURN(1, 16, 4, 8)
TL_DEFINE_STEADY_TURN(2, 8, 3, 16)
TL_DEFINE_STEADY_TURN(4, 4, 2, 32)
TL_DEFINE_STEADY_TURN(8, 2, 1, 64)
TL_DEFINE_STEADY_TURN(16, 1, 0, 64)

/* Elements of u that a panel holds in turn: as many as there is room for, and at last a line, some of which may have been moved before. */
#define TL_PANEL_OF(LINE, MOST, LEFT) ((LEFT) < (LINE) ? (LINE) : (LEFT) < (MOST) ? (LEFT) - (LEFT) % (LINE) : (MOST))

/* Transposes of narrow elements by way of a panel, to rows that begin anywhere in a line, each carried on. */
#define TL_DEFINE_STEADY_PANEL(W, B, R)                                                                         \
    /* So many lines from v on of the n rows from u on, but for those before `done`. */                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_panel_##W(                                                   \
        const tl_plan *p, const tl_leaves *s, int64_t u, int64_t n, int64_t done, int64_t v, int on, const __m512i *panel,\
        const int together, const enum tl_steps steps)                                                          \
    {                                                                                                           \
        int64_t pitch = TL_PART(n, B, R);                                                                       \
        for (int64_t b = 0; b < n; b += 4 * B) {                                                                \
            if (!on)                                                                                            \
                tl_ask_for_rows(p, s->to + v * W, u + b + 4 * B, tl_least(u + n, u + b + 8 * B));                \
            for (int j = 0; j < R; j++) {                                                                       \
                __m512i x[2][4 * B / R];                                                                        \
                for (int l = 0; l < together; l++)                                                              \
                    tl_to_lines_##W(panel + l * 4 * B / R * pitch + b * R / (4 * B) + j, pitch, x[l]);          \
                TL_UNROLL                                                                                       \
                for (int k = 0; k < 4 * B / R; k++) {                                                           \
                    int64_t row = u + b + TL_ELEMENT_OF(j, k, B, R);                                            \
                    if (row < done)                                                                             \
                        continue;                                                                               \
                    tl_emit_row(s->to + p->u.at[row] + v * W, x[0] + k, 4 * B / R, together, s->carry + row * TL_LINE, on, NULL, TL_PAST,\
                                steps);                                                                         \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_panel_leaves_##W(const tl_plan *p, tl_leaves s, const enum tl_steps steps)\
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t nu = p->u.n, nv = p->v.n;                                                                       \
        __m512i *panel = (__m512i *)s.room.at;                                                                  \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            for (int64_t v = 0, lines; v < nv; v += lines * 4 * B, on = 1) {                                    \
                lines = nv - v > 4 * B ? 2 : 1;                                                                 \
                int64_t most = TL_MOST_IN(s.room, lines, B);                                                    \
                for (int64_t done = 0, n, u; done < nu; done = u + n) {                                         \
                    n = TL_PANEL_OF(4 * B, most, nu - done), u = tl_least(done, nu - n);                        \
                    if (lines == 2) {                                                                           \
                        tl_to_panel_##W(p->v.at + v, s.from + u * W, n, 8 * B / R, 8 * B, panel, p->ahead, NULL);\
                        tl_emit_panel_##W(p, &s, u, n, done, v, on, panel, 2, steps);                           \
                    } else {                                                                                    \
                        tl_to_panel_##W(p->v.at + v, s.from + u * W, n, 4 * B / R, 4 * B, panel, p->ahead, NULL);\
                        tl_emit_panel_##W(p, &s, u, n, done, v, on, panel, 1, steps);                           \
                    }                                                                                           \
                }                                                                                               \
            }                                                                                                   \
            if (!(on = s.to_step == nv * W) && q + 1 < s.count)                                                 \
                tl_emit_rests(p, s.to + nv * W, s.carry);                                                       \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_panel_##W(const tl_plan *p, const tl_leaves *given)                          \
    {                                                                                                           \
        return tl_permutes_bytes(p->level) ? tl_panel_leaves_##W(p, *given, TL_BYTES) : tl_panel_leaves_##W(p, *given, TL_BITS);\
    }
TL_DEFINE_STEADY_PANEL(1, 16, 8)
TL_DEFINE_STEADY_PANEL(2, 8, 8)

/* The first line of a chain, but for the bytes `before` it: those are carried, or others'. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_put_first(char *line, __m512i x, const __m512i *carried, __mmask64 before)
{
    if (carried)
        _mm512_stream_si512((void *)line, _mm512_mask_blend_epi8(before, x, *carried));
    else
        _mm512_mask_storeu_epi8(line, ~before, x);
}

/* Bytes of a row at the most, where rows mostly follow one another; and from which on two of its lines are made together. */
#define TL_LONGEST_CHAINED 512
#define TL_PAIRED 512

/* Transposes to rows that mostly follow one another. Lines are made where they are in the target, from the first element of v with which one
 * begins: so a row's last line is the seam to the next, of the last elements of v and the first of the next u, read as rows of the source
 * that begin one element later. Tails are carried where chains end. What is between the steps is as for TL_DEFINE_LINES. There are kernels
 * that fetch and others that do not: asked line by line, lines of wide elements would not stay in registers. */
#define TL_DEFINE_STEADY_CHAINS(W, B, R)                                                                        \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_chains_##W(                                                        \
        const tl_plan *p, tl_leaves s, const int fetches, const int together, const __m512i *order)             \
    {                                                                                                           \
        const int64_t *u_at = p->u.at;                                                                          \
        int64_t nu = s.rows, nv = p->v.n, row = nv * W, place = tl_place(s.to), head = place ? TL_LINE - place : 0, on = s.on;\
        int64_t whole = nv - head / W, v_at[TL_LONGEST_CHAINED / W];                                            \
        __m512i near[16 * B], *panel = TL_IS_NARROW(W) ? (__m512i *)s.room.at : near, *carried = (__m512i *)s.carry, tails[4 * B];\
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        for (int64_t v = 0; v < nv; v++)                                                                        \
            v_at[v] = v < whole ? p->v.at[v + head / W] : p->v.at[v - whole] + W;                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char line[TL_LINE];                                                                                 \
            for (int64_t v = 0; v < head / W; v++)                                                              \
                memcpy(line + place + v * W, s.from + p->v.at[v], W);                                           \
            if (place) {                                                                                        \
                __m512i x = _mm512_loadu_si512((const void *)line);                                             \
                tl_put_first(s.to + u_at[0] - place, order ? _mm512_shuffle_epi8(x, *order) : x, on ? carried : NULL, t.before);\
            }                                                                                                   \
            int64_t first = tl_head_of(p->v.at, s.from, nu, nv, W);                                             \
            for (int64_t b = 0, lines; b < row; b += lines * TL_LINE) {                                         \
                lines = together == 2 && b + TL_LINE < row ? 2 : 1;                                             \
                int64_t most = TL_IS_NARROW(W) ? TL_MOST_IN(s.room, lines, B) : 4 * B;                          \
                for (int64_t u0 = 0, n, done = 0; u0 < nu; done = u0 + n, u0 = tl_after(u0, n, nu, first)) {    \
                    n = !TL_IS_NARROW(W) || nu - u0 > most ? most : nu - u0;                                    \
                    int64_t there = u0 + n < nu ? nv : whole - b / W;                                           \
                    tl_to_panel_##W(v_at + b / W, s.from + u0 * W, n, (int)lines * 4 * B / R, there, panel, 0, order);\
                    for (int64_t u = 0; u < n; u += 4 * B) {                                                    \
                        int64_t ended = 0, chain[4 * B];                                                        \
                        for (int j = 0; j < R; j++)                                                             \
                            for (int64_t l = 0; l < lines; l++) {                                               \
                                int64_t at = b + l * TL_LINE, pitch = TL_PART(n, B, R);                         \
                                __m512i x[4 * B / R];                                                           \
                                tl_to_lines_##W(panel + l * 4 * B / R * pitch + u * R / (4 * B) + j, pitch, x); \
                                TL_UNROLL                                                                       \
                                for (int k = 0; k < 4 * B / R; k++) {                                           \
                                    int64_t r = u0 + u + TL_ELEMENT_OF(j, k, B, R), made = (j * lines + l) * (4 * B / R) + k;\
                                    if (r < done)                                                               \
                                        continue;                                                               \
                                    if (fetches)                                                                \
                                        tl_fetch(s.from + (u0 + u) * W + p->v.at[b / W + made] + p->ahead, 1);  \
                                    if (!place || at + TL_LINE < row || (r + 1 < nu && u_at[r + 1] == u_at[r] + row)) {\
                                        _mm512_stream_si512((void *)(s.to + head + u_at[r] + at), x[k]);        \
                                        continue;                                                               \
                                    }                                                                           \
                                    chain[ended] = r / p->chain, tails[ended] = x[k];                           \
                                    if (r + 1 < nu)                                                             \
                                        tl_put_first(s.to - place + u_at[r + 1], x[k], on ? carried + chain[ended] + 1 : NULL, t.before);\
                                    ended++;                                                                    \
                                }                                                                               \
                            }                                                                                   \
                        for (int64_t k = 0; k < ended; k++)                                                     \
                            carried[chain[k]] = tails[k];                                                       \
                    }                                                                                           \
                }                                                                                               \
            }                                                                                                   \
            on = s.to_step == p->chain * row;                                                                   \
            if (!on && q + 1 < s.count)                                                                         \
                tl_emit_rests(p, s.to + p->chain * row, s.carry);                                               \
        }                                                                                                       \
        return place != 0;                                                                                      \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_chains_##W(const tl_plan *p, const tl_leaves *given)                         \
    {                                                                                                           \
        __m512i order;                                                                                          \
        if (p->order && !TL_IS_NARROW(W)) {                                                                     \
            order = tl_order_512(p->order);                                                                     \
            if (p->v.n * W >= TL_PAIRED)                                                                        \
                return p->ahead ? tl_chains_##W(p, *given, 1, 2, &order) : tl_chains_##W(p, *given, 0, 2, &order);\
            return p->ahead ? tl_chains_##W(p, *given, 1, 1, &order) : tl_chains_##W(p, *given, 0, 1, &order);  \
        }                                                                                                       \
        if (TL_IS_NARROW(W) || p->v.n * W >= TL_PAIRED)                                                         \
            return p->ahead ? tl_chains_##W(p, *given, 1, 2, NULL) : tl_chains_##W(p, *given, 0, 2, NULL);      \
        return p->ahead ? tl_chains_##W(p, *given, 1, 1, NULL) : tl_chains_##W(p, *given, 0, 1, NULL);          \
    }
TL_DEFINE_STEADY_CHAINS(1, 16, 8)
TL_DEFINE_STEADY_CHAINS(2, 8, 8)
TL_DEFINE_STEADY_CHAINS(4, 4, 4)
TL_DEFINE_STEADY_CHAINS(8, 2, 2)
TL_DEFINE_STEADY_CHAINS(16, 1, 1)

/* Whether all rows of a leaf lie alike in their lines, or in so many bytes. */
static inline int tl_are_alike(const tl_plan *p, int64_t rows, int64_t bytes)
{
    for (int64_t u = 0; u < rows; u += p->chain)
        if (p->u.at[u] % bytes)
            return 0;
    return 1;
}

/* How far behind the beginning of a line all rows of a leaf begin, if they lie alike in their lines, else 0. */
static TL_ALWAYS_INLINE int64_t tl_place_of_rows(const tl_plan *p, const char *from, int64_t rows)
{
    int64_t apart = 0;
    for (int64_t v = 0; v < rows; v++)
        apart |= p->v.at[v];
    return apart % TL_LINE ? 0 : tl_place(from);
}

/* Transposes between rows of whole lines and short ones, of one lane or two: to a stretch of short ones, and back. Long rows often share
 * the few places of a cache, so they are read by their own lines, each once: the first and the last of a leaf are parts. */
#define TL_DEFINE_STEADY_SHORT(W, B, STAGES, SI, LANES)                                                         \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_short_lines_##W##_##LANES(                                        \
        const int64_t *at, const char *from, const int is_whole, __mmask64 own, __m512i *lines)                 \
    {                                                                                                           \
        __m512i made[LANES][B];                                                                                 \
        TL_UNROLL                                                                                               \
        for (int g = 0; g < LANES; g++) {                                                                       \
            __m512i a[B], b[B];                                                                                 \
            for (int j = 0; j < B; j++) {                                                                       \
                const char *f = from + at[g * B + j];                                                           \
                a[j] = is_whole ? _mm512_loadu_si512((const void *)f) : _mm512_maskz_loadu_epi8(own, f);        \
            }                                                                                                   \
            TL_LADDER(_mm512, B, STAGES, SI)                                                                    \
            for (int j = 0; j < B; j++)                                                                         \
                made[g][j] = a[j];                                                                              \
        }                                                                                                       \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < LANES * B / 4; m++) {                                                               \
            __m512i x[4];                                                                                       \
            for (int k = 0; k < 4; k++)                                                                         \
                x[k] = made[k % LANES][m * 4 / LANES + k / LANES];                                              \
            tl_turn_lanes(x);                                                                                   \
            for (int k = 0; k < 4; k++)                                                                         \
                lines[k * LANES * B / 4 + m] = x[k];                                                            \
        }                                                                                                       \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_short_##W##_##LANES(const tl_plan *p, const tl_leaves *given)                \
    {                                                                                                           \
        tl_leaves s = *given;                                                                                   \
        enum { ROWS = LANES * 16 / W };                                                                         \
        int on = s.on;                                                                                          \
        const int64_t *at = p->v.at;                                                                            \
        int64_t side = p->u.n * W, place = tl_place(s.to);                                                      \
        tl_turn t = tl_turn_to(place, s.way);                                                                  \
        __m512i carry = _mm512_load_si512((const void *)s.carry);                                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            char *line = s.to - place;                                                                          \
            int64_t before = side < TL_LEAST_KEPT ? 0 : tl_place_of_rows(p, s.from, ROWS);                      \
            for (int64_t u = before * ROWS % TL_LINE ? 0 : -before; u < side; u += TL_LINE) {                   \
                const char *f = s.from + u;                                                                     \
                __m512i lines[LANES * B];                                                                       \
                if (u >= 0 && u + TL_LINE <= side) { /* apart, for known counts are a fifth faster */           \
                    tl_short_lines_##W##_##LANES(at, f, 1, 0, lines);                                           \
                    for (int k = 0; k < LANES * B; k++, line += TL_LINE, on = 1) {                              \
                        tl_fetch_ahead(p, f + at[k]);                                                           \
                        carry = tl_emit(line, lines[k], carry, on, &t);                                         \
                    }                                                                                           \
                    continue;                                                                                   \
                }                                                                                               \
                int64_t skipped = u < 0 ? -u : 0, there = side - u < TL_LINE ? side - u : TL_LINE;              \
                tl_short_lines_##W##_##LANES(at, f, 0, ~(__mmask64)0 << skipped & tl_first(there), lines);      \
                for (int64_t k = skipped * ROWS / TL_LINE; k < there * ROWS / TL_LINE; k++, line += TL_LINE, on = 1) {\
                    tl_fetch_ahead(p, f + at[k]);                                                               \
                    carry = tl_emit(line, lines[k], carry, on, &t);                                             \
                }                                                                                               \
            }                                                                                                   \
            carry = tl_between(&s, q, ROWS * side, line + place, carry, &on);                                   \
        }                                                                                                       \
        _mm512_store_si512((void *)s.carry, carry);                                                             \
        return 1;                                                                                               \
    }                                                                                                           \
    /* A line of each long row: from the short ones at `from`. */                                               \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_long_lines_##W##_##LANES(const tl_plan *p, const int64_t *at, const char *from, __m512i *lines)\
    {                                                                                                           \
        __m512i made[LANES][B];                                                                                 \
        TL_UNROLL                                                                                               \
        for (int m = 0; m < LANES * B / 4; m++) {                                                               \
            __m512i x[4];                                                                                       \
            for (int k = 0; k < 4; k++) {                                                                       \
                const char *f = from + at[(k * LANES * B / 4 + m) * (4 / LANES)];                               \
                tl_fetch_ahead(p, f);                                                                           \
                x[k] = _mm512_loadu_si512((const void *)f);                                                     \
            }                                                                                                   \
            tl_turn_lanes(x);                                                                                   \
            for (int k = 0; k < 4; k++)                                                                         \
                made[k % LANES][m * 4 / LANES + k / LANES] = x[k];                                              \
        }                                                                                                       \
        for (int g = 0; g < LANES; g++) {                                                                       \
            __m512i a[B], b[B];                                                                                 \
            for (int j = 0; j < B; j++)                                                                         \
                a[j] = made[g][j];                                                                              \
            TL_LADDER(_mm512, B, STAGES, SI)                                                                    \
            for (int j = 0; j < B; j++)                                                                         \
                lines[g * B + j] = a[j];                                                                        \
        }                                                                                                       \
    }                                                                                                           \
    /* So many lines of each long row, whose tails are carried on. */                                           \
    TL_BY_512 static TL_ALWAYS_INLINE void tl_put_long_##W##_##LANES(                                           \
        const tl_plan *p, const int64_t *at, const char *from, char *to, char *carried, int on, const int together, const tl_turn *alike,\
        enum tl_way way, const enum tl_steps steps)                                                             \
    {                                                                                                           \
        __m512i lines[2][LANES * B];                                                                            \
        for (int l = 0; l < together; l++)                                                                      \
            tl_long_lines_##W##_##LANES(p, at + l * TL_LINE / W, from, lines[l]);                               \
        TL_UNROLL                                                                                               \
        for (int row = 0; row < LANES * B; row++)                                                               \
            tl_emit_row(to + p->u.at[row], lines[0] + row, LANES * B, together, carried + row * TL_LINE, on, alike, way, steps);\
    }                                                                                                           \
    TL_BY_512 static TL_ALWAYS_INLINE int tl_long_leaves_##W##_##LANES(                                         \
        const tl_plan *p, tl_leaves s, int in_pairs, const int alike, const enum tl_steps steps)                \
    {                                                                                                           \
        int on = s.on;                                                                                          \
        int64_t side = p->v.n * W;                                                                              \
        tl_turn t = tl_turn_to(tl_place(s.to), s.way), *turn = alike ? &t : NULL;                               \
        for (int64_t q = 0; q < s.count; tl_next(&s, q++)) {                                                    \
            for (int64_t v = 0, n; v < side; v += n, on = 1) {                                                  \
                n = in_pairs && side - v > TL_LINE ? 2 * TL_LINE : TL_LINE;                                     \
                if (n > TL_LINE)                                                                                \
                    tl_put_long_##W##_##LANES(p, p->v.at + v / W, s.from, s.to + v, s.carry, on, 2, turn, s.way, steps);\
                else                                                                                            \
                    tl_put_long_##W##_##LANES(p, p->v.at + v / W, s.from, s.to + v, s.carry, on, 1, turn, s.way, steps);\
            }                                                                                                   \
            if (!tl_turns(&s, &on) && !(on = s.to_step == side) && q + 1 < s.count)                             \
                tl_emit_rests(p, s.to + side, s.carry);                                                         \
        }                                                                                                       \
        return 1;                                                                                               \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_long_##W##_##LANES(const tl_plan *p, const tl_leaves *given)                 \
    {                                                                                                           \
        return tl_long_leaves_##W##_##LANES(p, *given, tl_are_alike(p, p->u.n, 2 * TL_LINE), 1, TL_WORDS);      \
    }                                                                                                           \
    TL_BY_512 static int tl_steady_long_any_##W##_##LANES(const tl_plan *p, const tl_leaves *given)             \
    {                                                                                                           \
        return tl_permutes_bytes(p->level) ? tl_long_leaves_##W##_##LANES(p, *given, 1, 0, TL_BYTES)            \
                                           : tl_long_leaves_##W##_##LANES(p, *given, 1, 0, TL_BITS);            \
    }
TL_DEFINE_STEADY_SHORT(1, 16, 4, 8, 1)
TL_DEFINE_STEADY_SHORT(1, 16, 4, 8, 2)
TL_DEFINE_STEADY_SHORT(2, 8, 3, 16, 1)
TL_DEFINE_STEADY_SHORT(2, 8, 3, 16, 2)
TL_DEFINE_STEADY_SHORT(4, 4, 2, 32, 1)
TL_DEFINE_STEADY_SHORT(4, 4, 2, 32, 2)
TL_DEFINE_STEADY_SHORT(8, 2, 1, 64, 2)

/* Whether these are rows of chains that lie alike in their lines, each of which ends where no other begins. */
static inline int tl_are_chains(const tl_plan *p)
{
    for (int64_t u = p->chain; u < p->u.n; u += p->chain)
        if (p->u.at[u] == p->u.at[u - 1] + p->v.n * p->width)
            return 0;
    return tl_are_alike(p, p->u.n, TL_LINE);
}
/* Whether all elements of u lie together in the source for each of v, and those of so many of v; what is joined is read from rows aside,
 * where none do. */
static inline int tl_are_tuples(const tl_plan *p, int64_t together)
{
    if (p->sharing.bits < 8 && p->sharing.joins)
        return 0;
    if (p->order)
        return tl_pitch_ordered(p) == p->u.n * p->width;
    for (int64_t v = 0; v < p->v.n; v += together)
        if (!tl_follow(p->v.at + v, together, p->u.n * p->width))
            return 0;
    return 1;
}
#endif

/* Bytes of a run from which on it is better in a cache to make lines of it, where it begins anywhere in one, than to store across lines. */
#define TL_LONG_RUN 256

/* A plan's kernel for leaves at `to`, each `step` behind the last, or NULL: `steady` where they are all alike in their lines, a whole number of
 * elements and of four bytes behind where one begins, and else `loose`. In a cache, runs are written as they are where lines begin with them,
 * or those of whole lines or short ones wherever they begin; and the rows of an unzip where lines begin with them. */
static inline tl_steady tl_taking(const tl_plan *p, const char *to, int64_t step)
{
#ifdef TL_WIDE
    int grain = p->width > 4 ? p->width : 4, is_unzip = p->chain == 1 && p->move != tl_run;
    int are_alike = step % TL_LINE == 0 && (uintptr_t)to % grain == 0 && p->steady, is_asked = tl_way_of(p) == TL_ASKED_FOR;
    int64_t row = p->u.n * p->width;
    if (p->fused && are_alike)
        return p->steady;
    if (!p->past && (p->move == tl_run || is_unzip) && !tl_place(to))
        return NULL;
    if (!p->past && p->move == tl_run && (is_asked || !are_alike) && (tl_are_lines(p, row) || (row < TL_LONG_RUN && !is_asked)))
        return NULL;
    return are_alike ? p->steady : p->loose;
#else
    (void)p, (void)to, (void)step;
    return NULL;
#endif
}

/* The kernel for whole leaves that joins elements to bytes, or spreads them, in rows of these or along them, or NULL. `bytes` is the leaf that is
 * left. */
static inline tl_steady tl_choose_fused(const tl_plan *p, const tl_plan *bytes, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = bytes->u.n, v = bytes->v.n, row = p->u.n * p->width;
    if (p->level < TL_512 || p->sharing.bits == 8)
        return NULL;
    if (kernel == TL_RUN && p->sharing.joins)
        return p->chain == v && row * p->sharing.bits % (8 * TL_LINE) == 0 ? tl_steady_join_rows : NULL;
    if (kernel == TL_RUN)
        return row % TL_LINE == 0 ? tl_steady_spread_rows : NULL;
    if (!p->sharing.across)
        return NULL;
    if (kernel == TL_ZIP && p->chain == u && u % TL_LINE == 0)
        return v == 2 ? tl_steady_join_2 : v == 4 ? tl_steady_join_4 : NULL;
    if (kernel == TL_UNZIP && p->chain == 1 && v % TL_LINE == 0 && tl_are_alike(bytes, u * 8 / p->sharing.bits, TL_LINE) && tl_are_tuples(bytes, TL_LINE))
        return u == 2 ? tl_steady_spread_2 : u == 4 ? tl_steady_spread_4 : NULL;
#else
    (void)p, (void)bytes, (void)kernel;
#endif
    return NULL;
}

/* Whether a kernel puts elements in order itself. */
static inline int tl_orders(tl_steady steady)
{
#ifdef TL_WIDE
    return steady == tl_steady_chains_4 || steady == tl_steady_chains_8 || steady == tl_steady_chains_16;
#else
    (void)steady;
    return 0;
#endif
}

/* The kernel for whole leaves of bytes, or NULL. */
static inline tl_steady tl_choose_steady(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = p->u.n, v = p->v.n, w = p->width, line = TL_LINE / w, chain = p->chain;
    int64_t whole_u = u % line == 0, whole_v = v % line == 0;
    if (p->level < TL_512)
        return NULL;
    if (p->sharing.bits < 8 && !p->sharing.joins)
        return NULL;
    if (!p->past && kernel == TL_TRANSPOSE)
        return NULL; /* in a cache, what is carried costs more than lines gain */
    if (kernel == TL_RUN)
        return chain == v && whole_u ? tl_steady_run : NULL;
#define TL_STEADY_IF(W, WHEN, STEADY)                                                                           \
    if (w == W && (WHEN))                                                                                       \
        return STEADY;
/* Whether the tuples of a line lie together in the source, or, where there is but one, those of each line that is read. */
#define TL_ARE_TUPLES(W, K) tl_are_tuples(p, p->v.n * W == TL_LINE ? TL_TUPLES(W, K) : TL_LINE / W)
#define TL_STEADY_ZIP(W, K)                                                                                     \
    TL_STEADY_IF(W, kernel == TL_ZIP && v == K && chain == u && u * W * K % TL_LINE == 0, tl_steady_zip_##W##_##K)\
    TL_STEADY_IF(W, kernel == TL_UNZIP && u == K && chain == 1 && whole_v && tl_are_alike(p, u, TL_LINE) && TL_ARE_TUPLES(W, K),\
                 tl_steady_unzip_##W##_##K)
#define TL_STEADY_APART(W, K)                                                                                   \
    TL_STEADY_IF(W, kernel == TL_UNZIP && u == K && chain == u && u * v * W == TL_HELD && tl_are_tuples(p, line), tl_steady_apart_##W##_##K)
#define TL_STEADY_SHORT(W, LANES)                                                                               \
    TL_STEADY_IF(W, v == LANES * 16 / W && chain == u && whole_u, tl_steady_short_##W##_##LANES)                \
    TL_STEADY_IF(W, u == LANES * 16 / W && chain == 1 && whole_v && tl_are_alike(p, u, TL_LINE) && tl_are_tuples(p, 4 / LANES),\
                 tl_steady_long_##W##_##LANES)
#define TL_STEADY_TURN(W)                                                                                       \
    TL_STEADY_IF(W, whole_u && whole_v && chain > 1 && v * W <= TL_LONGEST_CHAINED && tl_are_chains(p), tl_steady_chains_##W)\
    TL_STEADY_IF(W, whole_u && whole_v && chain == 1 && u <= TL_MOST_CARRIES && tl_are_alike(p, u, TL_LINE), tl_steady_turn_##W)
    TL_STEADY_ZIP(1, 2)
    TL_STEADY_ZIP(1, 3)
    TL_STEADY_ZIP(1, 4)
    TL_STEADY_ZIP(1, 8)
    TL_STEADY_ZIP(2, 2)
    TL_STEADY_ZIP(2, 3)
    TL_STEADY_ZIP(2, 4)
    TL_STEADY_ZIP(4, 2)
    TL_STEADY_ZIP(4, 3)
    TL_STEADY_ZIP(4, 4)
    TL_STEADY_ZIP(8, 2)
    TL_STEADY_ZIP(8, 3)
    TL_STEADY_APART(1, 2)
    TL_STEADY_APART(1, 4)
    TL_STEADY_APART(1, 8)
    TL_STEADY_APART(2, 2)
    TL_STEADY_APART(2, 4)
    TL_STEADY_APART(4, 2)
    if (kernel != TL_TRANSPOSE)
        return NULL;
    TL_STEADY_SHORT(1, 1)
    TL_STEADY_SHORT(1, 2)
    TL_STEADY_SHORT(2, 1)
    TL_STEADY_SHORT(2, 2)
    TL_STEADY_SHORT(4, 1)
    TL_STEADY_SHORT(4, 2)
    TL_STEADY_SHORT(8, 2)
    TL_STEADY_TURN(1)
    TL_STEADY_TURN(2)
    TL_STEADY_TURN(4)
    TL_STEADY_TURN(8)
    TL_STEADY_TURN(16)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* The kernel for leaves of which a part is there, filled up to what `steady` makes of whole ones, or NULL. */
static inline tl_steady tl_choose_ended(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
#define TL_ENDED_ZIP(W, K)                                                                                      \
    if (p->steady == tl_steady_zip_##W##_##K)                                                                   \
        return tl_ended_zip_##W##_##K;
    if (kernel == TL_RUN)
        return p->level >= TL_512 && !tl_is_shared(p) && p->chain == p->v.n && tl_are_short_rows(p) ? tl_ended_spaced : NULL;
    TL_ENDED_ZIP(1, 2)
    TL_ENDED_ZIP(1, 3)
    TL_ENDED_ZIP(1, 4)
    TL_ENDED_ZIP(1, 8)
    TL_ENDED_ZIP(2, 2)
    TL_ENDED_ZIP(2, 3)
    TL_ENDED_ZIP(2, 4)
    TL_ENDED_ZIP(4, 2)
    TL_ENDED_ZIP(4, 3)
    TL_ENDED_ZIP(4, 4)
    TL_ENDED_ZIP(8, 2)
    TL_ENDED_ZIP(8, 3)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

/* Bytes of rows of an unzip in a cache from which on it is better to make lines of them, where they are turned, than to store across lines. */
#define TL_LONG_ENOUGH 384

/* The kernel for whole leaves of bytes wherever their rows are in their lines, or NULL. That of an unzip moves a leaf of which a part of v
 * is there as well, if it is a line at least. */
static inline tl_steady tl_choose_loose(const tl_plan *p, enum tl_kernel kernel)
{
#ifdef TL_WIDE
    int64_t u = p->u.n, v = p->v.n, w = p->width, chain = p->chain;
    if (p->level < TL_512 || (p->sharing.bits < 8 && !p->sharing.joins))
        return NULL;
    if (kernel == TL_RUN && u * w >= TL_LINE)
        return tl_steady_rows;
    if (kernel == TL_RUN && (!tl_are_short_rows(p) || chain != v || u * v * w < TL_LINE))
        return NULL;
    if (kernel == TL_RUN)
        return u * w > TL_LINE / 2 ? tl_steady_short_rows : tl_steady_spaced;
    if (kernel == TL_UNZIP && p->past && chain == u && u * v * w >= TL_LINE)
        return tl_steady_stretches;
    if (chain > 1 || v * w % TL_LINE || (!p->past && (kernel != TL_UNZIP || u > 4 || v * w < TL_LONG_ENOUGH)))
        return NULL;
#define TL_LOOSE_UNZIP(W, K) TL_STEADY_IF(W, kernel == TL_UNZIP && u == K && TL_ARE_TUPLES(W, K), tl_steady_unzip_any_##W##_##K)
#define TL_LOOSE_TURN(W) TL_STEADY_IF(W, kernel == TL_TRANSPOSE && u * w % TL_LINE == 0 && u <= TL_MOST_CARRIES, tl_steady_turn_any_##W)
    TL_LOOSE_UNZIP(1, 2)
    TL_LOOSE_UNZIP(1, 3)
    TL_LOOSE_UNZIP(1, 4)
    TL_LOOSE_UNZIP(1, 8)
    TL_LOOSE_UNZIP(2, 2)
    TL_LOOSE_UNZIP(2, 3)
    TL_LOOSE_UNZIP(2, 4)
    TL_LOOSE_UNZIP(4, 2)
    TL_LOOSE_UNZIP(4, 3)
    TL_LOOSE_UNZIP(4, 4)
    TL_LOOSE_UNZIP(8, 2)
    TL_LOOSE_UNZIP(8, 3)
    TL_LOOSE_TURN(1)
    TL_LOOSE_TURN(2)
    TL_LOOSE_TURN(4)
    TL_LOOSE_TURN(8)
    TL_LOOSE_TURN(16)
#define TL_LOOSE_LONG(W, LANES)                                                                                 \
    TL_STEADY_IF(W, kernel == TL_TRANSPOSE && u == LANES * 16 / W && tl_are_tuples(p, 4 / LANES), tl_steady_long_any_##W##_##LANES)
    TL_LOOSE_LONG(1, 1)
    TL_LOOSE_LONG(1, 2)
    TL_LOOSE_LONG(2, 1)
    TL_LOOSE_LONG(2, 2)
    TL_LOOSE_LONG(4, 1)
    TL_LOOSE_LONG(4, 2)
    TL_LOOSE_LONG(8, 2)
#define TL_LOOSE_PANEL(W) TL_STEADY_IF(W, kernel == TL_TRANSPOSE && !p->even && u * w >= TL_LINE, tl_steady_panel_##W)
    TL_LOOSE_PANEL(1)
    TL_LOOSE_PANEL(2)
#else
    (void)p, (void)kernel;
#endif
    return NULL;
}

#endif
