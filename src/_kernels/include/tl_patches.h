/* How vectors of 256 bits put bytes in order, and bring short rows together: patch by patch, each the bytes of one window or several, of a
 * vector each, that are shuffled and written at once. What is written behind a patch is written over by the next.
 */
#ifndef TL_PATCHES_H
#define TL_PATCHES_H

#include <stdlib.h>

#include "tl_plan.h"
#include "tl_wide.h"

/* Byte b of whole lines or elements comes from this byte. */
static inline int64_t tl_ordered_from(const tl_order *order, int64_t b) { return b - b % order->size + order->at[b % order->size]; }

#ifdef TL_WIDE

/* Windows of a patch at the most, which are then as many as it has bytes; and of a step. */
#define TL_MOST_WINDOWS TL_LANE_BYTES
#define TL_ALL_WINDOWS TL_MOST_ORDERED

/* Bytes that may be written behind a step. */
#define TL_WRITTEN_BEHIND 32

/* Whether windows are lanes of 16 bytes; such as are filled up, of which a patch has one; or vectors of eight words of four, likewise. */
enum tl_grains { TL_LANES, TL_FILLED_LANES, TL_EIGHT_WORDS };

/* Puts n steps in order, which begin `stride` bytes after one another in the source and follow one another in the target; what comes `ahead` is
 * fetched. */
typedef void tl_patcher(const struct tl_patches *s, const char *from, int64_t n, int64_t stride, char *to, int64_t ahead);

/* `step` bytes are made of `read` bytes by so many patches: what each writes begins so many bytes behind the target, and its windows, which follow
 * those of the last, behind the source. Of a window each place of the patch gets the byte, or word, that `mask` says (tl_mask_of). */
struct tl_patches {
    tl_patcher *put;
    enum tl_grains grains;
    int64_t step, read;
    int count, windows;
    uint16_t to[TL_ALL_WINDOWS];
    uint8_t from[TL_ALL_WINDOWS + TL_MOST_WINDOWS];
    uint8_t mask[TL_ALL_WINDOWS + TL_MOST_WINDOWS][TL_LANE_BYTES];
};

/* A patch: which bytes its windows have to hold. */
typedef struct {
    int64_t least[TL_MOST_WINDOWS], most[TL_MOST_WINDOWS];
    int windows;
} tl_patch;

/* The window of so many bytes that has room for the n bytes at `from`, a new one if there is none and no more than `windows`; or -1. */
static inline int tl_window_for(tl_patch *patch, int64_t from, int64_t n, int64_t size, int windows)
{
    for (int w = 0; w < patch->windows; w++) {
        int64_t least = tl_least(patch->least[w], from), most = patch->most[w] > from + n ? patch->most[w] : from + n;
        if (most - least <= size) {
            patch->least[w] = least, patch->most[w] = most;
            return w;
        }
    }
    if (patch->windows == windows)
        return -1;
    patch->least[patch->windows] = from, patch->most[patch->windows] = from + n;
    return patch->windows++;
}

/* Whether registers hold the masks of all patches. */
static inline int tl_are_held(const struct tl_patches *s) { return s->windows == 1 && s->count <= (s->grains == TL_LANES ? 6 : 4); }

/* The mask of a patch for a window. Of lanes two patches are made at a time, unless they are held: theirs lie together. Other masks are a vector
 * each: eight words, or a lane and what it is filled with. */
static inline uint8_t *tl_mask_of(struct tl_patches *s, int k, int w)
{
    return s->mask[s->grains == TL_LANES ? (k & ~1) * s->windows + 2 * w + (k & 1) : 2 * k];
}

/* Patches of so many windows that put a step in order, each as long as may be; whether there are so many, at the most. A window that would end
 * beyond the last byte begins so much earlier. */
static inline int tl_cut_in_patches(struct tl_patches *s, const tl_order *order, enum tl_grains grains, int windows)
{
    int64_t n = grains == TL_LANES ? 1 : 4, size = grains == TL_LANES ? TL_LANE_BYTES : 8 * n, b = 0;
    s->grains = grains, s->windows = windows, s->count = 0;
    memset(s->mask, 0x80, sizeof s->mask);
    for (; b < s->step && s->count < TL_ALL_WINDOWS / windows; s->count++) {
        tl_patch patch = {.windows = 0};
        int64_t begin = b;
        int which[TL_LANE_BYTES + 1];
        for (; b < tl_least(begin + size, s->step); b += n)
            if ((which[(b - begin) / n] = tl_window_for(&patch, tl_ordered_from(order, b), n, size, windows)) < 0)
                break;
        uint8_t *from = s->from + s->count * windows;
        s->to[s->count] = (uint16_t)begin;
        for (int w = 0; w < windows; w++)
            from[w] = (uint8_t)(w < patch.windows ? tl_least(patch.least[w], s->step - size) : 0);
        for (int64_t k = begin; k < b; k += n) {
            int64_t at = (k - begin) / n, w = which[at], which_of = (tl_ordered_from(order, k) - from[w]) / n;
            uint8_t *mask = tl_mask_of(s, s->count, (int)w) + at * n;
            if (grains == TL_LANES)
                *mask = (uint8_t)which_of;
            else
                memcpy(mask, &(uint32_t){(uint32_t)which_of}, 4);
        }
    }
    if (s->count % 2) /* and zeros behind them */
        s->to[s->count] = (uint16_t)(s->to[s->count - 1] + TL_LANE_BYTES), memset(s->from + s->count * windows, 0, (size_t)windows);
    return b >= s->step;
}

#define TL_PUT_WORDS(TO, FROM, MASK)                                                                            \
    _mm256_storeu_si256((void *)(to + (TO)), _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)(from + (FROM))), MASK))
#define TL_SHUFFLED_LANE(FROM, MASK) _mm_shuffle_epi8(_mm_loadu_si128((const void *)(from + (FROM))), MASK)
#define TL_PUT_LANE(TO, FROM, MASK) _mm_storeu_si128((void *)(to + (TO)), TL_SHUFFLED_LANE(FROM, _mm256_castsi256_si128(MASK)))
/* By any number of patches of so many windows, two at a time, or of words; and by so few of one window that registers hold their masks. */
#define TL_DEFINE_ANY_PATCHER(NAME, TOGETHER, DO)                                                               \
    TL_BY_256 static void tl_put_##NAME(                                                                        \
        const struct tl_patches *s, const char *from, int64_t n, int64_t stride, char *to, int64_t ahead)       \
    {                                                                                                           \
        for (int64_t q = 0; q < n; q++, from += stride, to += s->step) {                                        \
            if (ahead)                                                                                          \
                tl_fetch(from + ahead, s->read);                                                                \
            for (int k = 0; k < s->count; k += TOGETHER) {                                                      \
                DO                                                                                              \
            }                                                                                                   \
        }                                                                                                       \
    }
#define TL_LANE_AT(FROM) _mm_loadu_si128((const void *)(from + (FROM)))
#define TL_DEFINE_LANES_PATCHER(WINDOWS)                                                                        \
    TL_DEFINE_ANY_PATCHER(                                                                                      \
        lanes_of_##WINDOWS, 2, __m256i x = _mm256_setzero_si256(); const uint8_t *f = s->from + k * WINDOWS;    \
        TL_UNROLL for (int w = 0; w < WINDOWS; w++) {                                                           \
            __m256i two = _mm256_inserti128_si256(_mm256_castsi128_si256(TL_LANE_AT(f[w])), TL_LANE_AT(f[WINDOWS + w]), 1);\
            __m256i mask = _mm256_loadu_si256((const void *)s->mask[k * WINDOWS + 2 * w]);                      \
            x = _mm256_or_si256(x, _mm256_shuffle_epi8(two, mask));                                             \
        } _mm_storeu_si128((void *)(to + s->to[k]), _mm256_castsi256_si128(x));                                 \
        _mm_storeu_si128((void *)(to + s->to[k + 1]), _mm256_extracti128_si256(x, 1));)
TL_DEFINE_ANY_PATCHER(any_words, 1, TL_PUT_WORDS(s->to[k], s->from[k], _mm256_loadu_si256((const void *)s->mask[2 * k]));)
TL_DEFINE_LANES_PATCHER(1)
TL_DEFINE_LANES_PATCHER(2)
TL_DEFINE_LANES_PATCHER(3)
TL_DEFINE_LANES_PATCHER(4)
TL_DEFINE_LANES_PATCHER(8)
TL_DEFINE_LANES_PATCHER(16)
#define TL_PUT_FILLED(TO, FROM, MASK)                                                                           \
    _mm_storeu_si128((void *)(to + (TO)), _mm_or_si128(TL_SHUFFLED_LANE(FROM, _mm256_castsi256_si128(MASK)), _mm256_extracti128_si256(MASK, 1)))
#define TL_DEFINE_PATCHER(NAME, APART, HELD, PUT)                                                               \
    TL_BY_256 static void tl_put_##NAME##_##HELD(                                                               \
        const struct tl_patches *s, const char *from, int64_t n, int64_t stride, char *to, int64_t ahead)       \
    {                                                                                                           \
        __m256i mask[HELD];                                                                                     \
        int64_t at[HELD], of[HELD], step = s->step, read = s->read;                                             \
        TL_UNROLL                                                                                               \
        for (int k = 0; k < HELD; k++)                                                                          \
            mask[k] = _mm256_loadu_si256((const void *)s->mask[APART * k]), at[k] = s->to[k], of[k] = s->from[k];\
        for (int64_t q = 0; q < n; q++, from += stride, to += step) {                                           \
            if (ahead)                                                                                          \
                tl_fetch(from + ahead, read);                                                                   \
            TL_UNROLL                                                                                           \
            for (int k = 0; k < HELD; k++)                                                                      \
                PUT(at[k], of[k], mask[k]);                                                                     \
        }                                                                                                       \
    }
TL_DEFINE_PATCHER(words, 2, 1, TL_PUT_WORDS)
TL_DEFINE_PATCHER(words, 2, 2, TL_PUT_WORDS)
TL_DEFINE_PATCHER(words, 2, 3, TL_PUT_WORDS)
TL_DEFINE_PATCHER(words, 2, 4, TL_PUT_WORDS)
TL_DEFINE_PATCHER(lanes, 1, 1, TL_PUT_LANE)
TL_DEFINE_PATCHER(lanes, 1, 2, TL_PUT_LANE)
TL_DEFINE_PATCHER(lanes, 1, 3, TL_PUT_LANE)
TL_DEFINE_PATCHER(lanes, 1, 4, TL_PUT_LANE)
TL_DEFINE_PATCHER(lanes, 1, 5, TL_PUT_LANE)
TL_DEFINE_PATCHER(lanes, 1, 6, TL_PUT_LANE)
TL_DEFINE_PATCHER(filled, 2, 1, TL_PUT_FILLED)
TL_DEFINE_PATCHER(filled, 2, 2, TL_PUT_FILLED)
TL_DEFINE_PATCHER(filled, 2, 3, TL_PUT_FILLED)
TL_DEFINE_PATCHER(filled, 2, 4, TL_PUT_FILLED)

static inline tl_patcher *tl_choose_patcher(const struct tl_patches *s)
{
    static tl_patcher *const words[] = {tl_put_any_words, tl_put_words_1, tl_put_words_2, tl_put_words_3, tl_put_words_4};
    static tl_patcher *const lanes[] = {tl_put_lanes_1, tl_put_lanes_2, tl_put_lanes_3, tl_put_lanes_4, tl_put_lanes_5, tl_put_lanes_6};
    static tl_patcher *const filled[] = {tl_put_filled_1, tl_put_filled_2, tl_put_filled_3, tl_put_filled_4};
    static tl_patcher *const any[TL_MOST_WINDOWS + 1] = {
        [1] = tl_put_lanes_of_1, [2] = tl_put_lanes_of_2, [3] = tl_put_lanes_of_3,
        [4] = tl_put_lanes_of_4, [8] = tl_put_lanes_of_8, [16] = tl_put_lanes_of_16,
    };
    if (s->grains == TL_EIGHT_WORDS)
        return words[tl_are_held(s) ? s->count : 0];
    if (s->grains == TL_FILLED_LANES)
        return filled[s->count - 1];
    return tl_are_held(s) ? lanes[s->count - 1] : any[s->windows];
}

/* What a patch takes, about: instructions, and more where masks are not held. */
static inline int64_t tl_cost_of_patch(int windows, enum tl_grains grains, int are_held)
{
    return are_held ? 4 : grains == TL_EIGHT_WORDS ? 10 : 3 * windows + 4;
}

/* Those of an order, of which as many elements are put in order at a time as one or two lines hold, whatever takes the least; or NULL, also where
 * a step has no room for a window. */
static inline struct tl_patches *tl_patches_of(const tl_order *order)
{
    static const int windows_of[] = {0, 1, 2, 3, 4, 8, TL_MOST_WINDOWS};
    struct tl_patches s, *best = malloc(sizeof s);
    int64_t least = 0, cost;
    for (int lines = 1; best && lines <= 2; lines++)
        for (size_t k = 0; k < sizeof windows_of / sizeof *windows_of; k++) {
            int windows = windows_of[k] ? windows_of[k] : 1;
            enum tl_grains grains = windows_of[k] ? TL_LANES : TL_EIGHT_WORDS;
            int64_t step = tl_least(order->step, lines * TL_LINE) / order->size * order->size;
            s.step = s.read = step ? step : order->size;
            if (grains == TL_EIGHT_WORDS ? order->unit < 4 || s.step < 32 : s.step < TL_LANE_BYTES)
                continue;
            cost = tl_ceil_div(s.step, TL_LANE_BYTES) * tl_cost_of_patch(windows, grains, 0);
            if (least && windows > 1 && cost * best->step >= least * s.step)
                break; /* as it takes so many patches at least */
            if (!tl_cut_in_patches(&s, order, grains, windows))
                continue;
            cost = s.count * tl_cost_of_patch(windows, grains, tl_are_held(&s));
            if (!least || cost * best->step < least * s.step)
                *best = s, least = cost;
        }
    if (!least) {
        free(best);
        return NULL;
    }
    best->put = tl_choose_patcher(best);
    return best;
}

/* Sets patches that bring rows of so many bytes together that lie so far apart, each to `row` bytes, of which the rest is filled. Returns how many
 * of all rows are a step: as many as four windows hold, if a step then reads what begins within 256 bytes, or one does; or one row. */
static inline int64_t tl_space_patches(struct tl_patches *s, int64_t bytes, int64_t row, int64_t distance, int64_t rows, const unsigned char *fill)
{
    int are_words = !fill && (bytes | distance) % 4 == 0 && row <= 32;
    int64_t window = are_words ? 32 : TL_LANE_BYTES, held = 1;
    if (row <= window && distance)
        held = tl_least(window / row, (window - bytes) / distance + 1);
    s->grains = fill ? TL_FILLED_LANES : are_words ? TL_EIGHT_WORDS : TL_LANES, s->windows = 1;
    s->count = row > window ? (int)tl_ceil_div(row, window) : rows < 4 * held || 3 * held * distance > UINT8_MAX ? 1 : 4;
    memset(s->mask, 0x80, 2 * (size_t)s->count * sizeof s->mask[0]);
    int64_t last = 0;
    for (int k = 0; k < s->count; k++) {
        int64_t within = row > window ? k * window : 0, first = row > window ? 0 : k * held;
        int64_t from = row > window && bytes > window ? tl_least(within, bytes - window) : 0;
        uint8_t *mask = tl_mask_of(s, k, 0);
        last = first * distance + from;
        s->to[k] = (uint16_t)(first * row + within), s->from[k] = (uint8_t)last;
        for (int64_t b = 0; b < window && within + b < held * row; b++) {
            int64_t at = (within + b) / row * distance + (within + b) % row - from, is_there = (within + b) % row < bytes;
            if (!are_words)
                mask[b] = (uint8_t)(is_there ? at : 0x80);
            else if (b % 4 == 0)
                memcpy(mask + b, &(uint32_t){(uint32_t)at / 4}, 4);
            if (fill)
                mask[TL_LANE_BYTES + b] = is_there ? 0 : fill[(within + b) % TL_LANE_BYTES];
        }
    }
    held *= row > window ? 1 : s->count;
    s->step = held * row, s->read = last + window;
    s->put = tl_choose_patcher(s);
    return held;
}

/* How many of so many steps read nothing beyond so many bytes. */
static inline int64_t tl_steps_within(const struct tl_patches *s, int64_t steps, int64_t stride, int64_t bytes)
{
    if (bytes < s->read)
        return 0;
    return stride ? tl_least(steps, (bytes - s->read) / stride + 1) : steps;
}

/* How far rows of a step each are apart that are put in order as one, as they lie at even distances; or 0. */
static inline int64_t tl_stride_of(const struct tl_patches *s, const int64_t *at, int64_t rows, int64_t row)
{
    int64_t stride = row == s->step && rows > 1 ? at[1] - at[0] : 0;
    for (int64_t r = 2; r < rows; r++)
        if (at[r] - at[r - 1] != stride)
            return 0;
    return stride;
}

/* Puts a step in order of which n bytes are there, and nothing is read behind these. */
static inline void tl_put_some(const struct tl_patches *s, const char *from, int64_t n, char *to)
{
    char part[TL_MOST_ORDERED + TL_LINE];
    s->put(s, memcpy(part, from, (size_t)n), 1, 0, to, 0);
}

#endif
#endif
