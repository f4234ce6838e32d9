/* Lines of the target from vectors that end within one: a vector is turned (rotated) until its bytes stand where they do in their lines; its
 * head then completes the line at hand, and its tail is carried on, to begin the next one.
 */
#ifndef TL_CARRIED_H
#define TL_CARRIED_H

#include "tl_order.h"

#ifdef TL_WIDE

/* How vectors can be turned: by whole words of four bytes; by words and then by bits within them; or byte by byte, if tl_turns_bytes. */
enum tl_steps { TL_WORDS, TL_BITS, TL_BYTES };

/* A turn to a place in the line: `turn` is the word (or byte) of the vector that comes to each place. By TL_BITS each word then goes `up` by
 * bits, and the top of the word before it, which `before_turn` brings there, `down` into it. Pairs of vectors always turn byte by byte. `before`
 * are the bytes of a line before the place, and `way` is how lines are written. */
typedef struct {
#if TL_MASKED
    __m512i turn, before_turn;
    __m128i up, down;
#else
    tl_rotation turn;
#endif
    __mmask64 before;
    enum tl_way way;
} tl_turn;

TL_BY_512 static TL_ALWAYS_INLINE tl_turn tl_turn_by(int64_t place, enum tl_way way, const enum tl_steps steps)
{
    tl_turn t = {.before = ((__mmask64)1 << place) - 1, .way = way};
#if TL_MASKED
    if (steps == TL_BYTES) {
        t.turn = _mm512_sub_epi8(tl_numbers(), _mm512_set1_epi8((char)place));
        return t;
    }
    t.turn = _mm512_sub_epi32(tl_numbers_of_words(), _mm512_set1_epi32((int)place / 4));
    if (steps == TL_BITS) {
        int up = (int)place % 4 * 8;
        t.before_turn = _mm512_sub_epi32(t.turn, _mm512_set1_epi32(1));
        t.up = _mm_cvtsi32_si128(up), t.down = _mm_cvtsi32_si128(32 - up);
    }
#else
    (void)steps;
    t.turn = tl_rotation_by(place);
#endif
    return t;
}
TL_BY_512 static TL_ALWAYS_INLINE tl_turn tl_turn_to(int64_t place, enum tl_way way) { return tl_turn_by(place, way, TL_WORDS); }

TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_turned(__m512i x, const tl_turn *t, const enum tl_steps steps)
{
#if TL_MASKED
    if (steps == TL_BYTES)
        return tl_permuted_bytes(t->turn, x);
    __m512i turned = _mm512_permutexvar_epi32(t->turn, x);
    if (steps == TL_BITS)
        turned = _mm512_or_si512(_mm512_sll_epi32(turned, t->up), _mm512_srl_epi32(_mm512_permutexvar_epi32(t->before_turn, x), t->down));
    return turned;
#else
    (void)steps;
    return tl_rotated_by(x, &t->turn);
#endif
}

/* Writes a line: what was carried, if it goes `on` with that, and the head of x. Else what is before the head in the line stays. Returns x
 * turned, which begins with its tail. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_by(char *line, __m512i x, __m512i carry, int on, const tl_turn *t, const enum tl_steps steps)
{
    if (!TL_MASKED && !t->before) {
        tl_put_line(line, x, t->way);
        return x;
    }
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
                                                   const tl_turn *alike, const enum tl_steps steps)
{
    int64_t place = tl_place(to);
    tl_turn own;
    if (!TL_MASKED && alike && !place) { /* nothing is carried */
        for (int l = 0; l < lines; l++)
            tl_put_line(to + l * TL_LINE, x[l * apart], TL_PAST);
        return;
    }
    if (!alike)
        own = tl_turn_by(place, TL_PAST, steps);
    __m512i carry = _mm512_load_si512((const void *)carried);
    for (int l = 0; l < lines; l++)
        carry = tl_emit_by(to - place + l * TL_LINE, x[l * apart], carry, on | l, alike ? alike : &own, steps);
    _mm512_store_si512(carried, carry);
}

/* The same with the first n bytes of `x`, behind what was carried: a line that they do not end is carried on. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_emit_part(char *line, __m512i x, int64_t n, __m512i carry, const tl_turn *t,
                                                        const enum tl_steps steps)
{
    __m512i turned = tl_turned(x, t, steps), so_far = _mm512_mask_blend_epi8(t->before, turned, carry);
    if (t->before >> (TL_LINE - 1 - n) == 0)
        return so_far;
    tl_put_line(line, so_far, t->way);
    return turned;
}

/* Writes a tail to the front of the line that it begins; the rest of that line belongs to others. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_tail(char *line, __m512i carry, const tl_turn *t)
{
    if (t->before)
        _mm512_mask_storeu_epi8(line, t->before, carry);
}

/* The same, where the tail ends at `end`. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_rest(char *end, __m512i carry)
{
    int64_t place = tl_place(end);
    if (place)
        _mm512_mask_storeu_epi8(end - place, ((__mmask64)1 << place) - 1, carry);
}

/* The same for all chains of a leaf of so many rows: each ends where it would begin if the leaf were at `end`. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_emit_rests(const tl_plan *p, int64_t rows, char *end, const char *carry)
{
    int64_t chains = tl_chains_of(p, rows);
    for (int64_t c = 0, asked = 0; c < chains; c++, carry += TL_LINE) {
        asked = tl_ask_for_chains(p, end, asked, tl_least(chains, c + TL_ASKED_CHAINS));
        tl_emit_rest(end + p->u.at[tl_first_of(p, c)], _mm512_load_si512((const void *)carry));
    }
}

/* The same for all chains of a run. */
TL_BY_512 static TL_ALWAYS_INLINE void tl_end_rows(const tl_plan *p, char *end, const char *carry)
{
    for (int64_t r = 0; r < p->v.n; r += p->chain, carry += TL_LINE)
        tl_emit_rest(end + r * p->v_to, _mm512_load_si512((const void *)carry));
}

/* How many bytes behind leaf q, which is at hand, the next one begins in `from`; and where that is, or what comes after all leaves. */
static TL_ALWAYS_INLINE int64_t tl_from_step(const tl_leaves *s, int64_t q)
{
    return s->at ? s->at[q + 1] - s->at[q] : s->left == 1 ? s->from_step + s->from_lap : s->from_step;
}
static TL_ALWAYS_INLINE const char *tl_behind(const tl_leaves *s, int64_t q)
{
    return q + 1 == s->count ? s->after : s->from + tl_from_step(s, q);
}

/* Goes on from leaf q to the next. */
static TL_ALWAYS_INLINE void tl_next(tl_leaves *s, int64_t q)
{
    s->from += tl_from_step(s, q);
    s->to += s->to_step;
    if (!--s->left)
        s->to += s->to_lap, s->left = s->lap;
}

/* Asks for the lines that a leaf further on shares with others, where none goes on where another ended: those at the ends of one of its `chains`
 * chains, which has `size` bytes, and in the leaf at hand begins at `to`. */
static TL_ALWAYS_INLINE void tl_ask_for_ends(const tl_leaves *s, const char *to, int64_t size, int64_t chains)
{
    int64_t leaves = chains < TL_ASKED_LEAVES ? TL_ASKED_LEAVES : 1;
    if (s->to_step == size || s->bank_step || s->left <= leaves)
        return;
    to += leaves * s->to_step;
    if (tl_place(to))
        tl_ask_for(to);
    if (tl_place(to + size))
        tl_ask_for(to + size);
}

/* Goes on to the tails of the next leaf where leaves take turns, and sets `on` for it; whether they do. With the first lap all have left some. */
static TL_ALWAYS_INLINE int tl_turns(tl_leaves *s, int *on)
{
    if (!s->bank_step)
        return 0;
    s->carry += s->bank_step;
    if (s->left == 1)
        s->carry -= s->lap * s->bank_step, s->on = 1;
    *on = s->on;
    return 1;
}

/* The tail that the leaf behind q goes on with, where each is one stretch of `size` bytes, and q ends at `end`: its own, where leaves take
 * turns; else that of q, which is written if the next leaf begins elsewhere. Sets `on` for that leaf. */
TL_BY_512 static TL_ALWAYS_INLINE __m512i tl_between(tl_leaves *s, int64_t q, int64_t size, char *end, __m512i carry, int *on)
{
    if (q + 1 == s->count)
        return carry;
    if (s->bank_step) {
        _mm512_store_si512((void *)s->carry, carry);
        tl_turns(s, on);
        return _mm512_load_si512((const void *)s->carry);
    }
    tl_ask_for_ends(s, s->to, size, 1);
    if (s->to_step != size)
        tl_emit_rest(end, carry), *on = 0;
    return carry;
}

/* Fetches a line so many bytes `ahead` of `from`, if not 0, one for each line that is read or written: what comes next waits for many fetches at
 * once. Where many rows are read in turn, which often share places of the nearest cache, into the second one. */
static TL_ALWAYS_INLINE void tl_fetch_ahead(int64_t ahead, const char *from)
{
    if (ahead)
        tl_fetch(from + ahead, 1);
}
static TL_ALWAYS_INLINE void tl_fetch_in_rows(int64_t ahead, const char *from)
{
    if (ahead)
        tl_fetch_far(from + ahead, 1);
}

/* The same, or what is `next` of a round, if that is fetched line by line. Returns what comes then. */
static TL_ALWAYS_INLINE const char *tl_fetch_next(int64_t ahead, const char *next, const char *from)
{
    if (next) {
        tl_fetch(next, 1);
        return next + TL_LINE;
    }
    tl_fetch_in_rows(ahead, from);
    return NULL;
}

/* The same for a row of so many bytes, each line of which is read once. */
static TL_ALWAYS_INLINE const char *tl_fetch_row(int64_t ahead, const char *next, const char *row, int64_t bytes)
{
    if (next) {
        tl_fetch(next, bytes);
        return next + bytes;
    }
    if (ahead)
        tl_fetch(row + ahead, bytes);
    return NULL;
}

/* Whether all chains of so many rows of a leaf begin at the same place in a piece of `bytes` bytes, such as a line. */
static inline int tl_are_alike(const tl_plan *p, int64_t rows, int64_t bytes)
{
    for (int64_t c = 0; c < tl_chains_of(p, rows); c++)
        if (p->u.at[tl_first_of(p, c)] % bytes)
            return 0;
    return 1;
}
#endif

#endif
