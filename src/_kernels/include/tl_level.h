/* How wide the vectors are that a compiler and a machine have. */
#ifndef TL_LEVEL_H
#define TL_LEVEL_H

#if defined(__GNUC__)
#define TL_VECTORS 1
#if defined(__x86_64__)
#define TL_WIDE 1
#endif
#endif

/* Behind the names of a target: Clang would take none of them with one that it does not know. */
#if defined(__clang__)
#define TL_WHOLE_512
#else
#define TL_WHOLE_512 ",prefer-vector-width=512"
#endif

#if defined(__GNUC__)
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))
#define TL_APART_FROM_CALLERS __attribute__((noinline))
#else
#define TL_ALWAYS_INLINE inline
#define TL_APART_FROM_CALLERS
#endif

/* Not at all, or so many bits; with the bytes of 512 put in any order at once, where a machine does that; and last, where copies are to ask for
 * lines in a cache before they read and write them as well. */
enum tl_level { TL_SCALARS, TL_128, TL_256, TL_512, TL_512_BYTES, TL_512_ASKING, TL_LEVELS };

/* Whether this machine reads a long stream a quarter faster if what comes next is asked for, as Intel's do; AMD's are a fifth slower then. */
static inline int tl_asks_late(void)
{
#ifdef TL_WIDE
    return __builtin_cpu_is("intel") != 0;
#else
    return 0;
#endif
}

/* Whether the bytes of a vector are put in any order at once. */
static inline int tl_permutes_bytes(int level)
{
#ifdef TL_WIDE
    return level >= TL_512_BYTES && __builtin_cpu_supports("avx512vbmi");
#else
    (void)level;
    return 0;
#endif
}

/* Whether this machine has vectors of 512 bits and what came with them in all that have bytes in those: GCC takes VL where it is given BW. */
static inline int tl_has_512(void)
{
#ifdef TL_WIDE
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

/* The widest level that this machine has. */
static inline int tl_best_level(void)
{
#ifdef TL_WIDE
    __builtin_cpu_init();
    if (tl_has_512())
        return tl_asks_late() ? TL_512_ASKING : tl_permutes_bytes(TL_512_BYTES) ? TL_512_BYTES : TL_512;
    if (__builtin_cpu_supports("avx2"))
        return TL_256;
#endif
#ifdef TL_VECTORS
    return TL_128;
#else
    return TL_SCALARS;
#endif
}

#endif
