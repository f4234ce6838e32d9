/* How wide the vectors are that a compiler and a machine have, and what else of the machine matters to copies. */
#ifndef TL_LEVEL_H
#define TL_LEVEL_H

#include <stdint.h>

#if defined(__unix__)
#include <unistd.h>
#endif

#if defined(__GNUC__)
#define TL_VECTORS 1
#if defined(__x86_64__)
#define TL_WIDE 1
#endif
#endif

/* Where TL_PAIRS is defined, vectors of 512 bits are pairs of those of 256 (tl_pairs.h). Elsewhere they are the machine's own, with masks and
 * permutations of all kinds. */
#if defined(TL_WIDE) && !defined(TL_PAIRS)
#define TL_MASKED 1
#else
#define TL_MASKED 0
#endif

/* Clang ignores all of the names in a target attribute if it does not know one. */
#if defined(__clang__)
#define TL_WHOLE_512
#else
#define TL_WHOLE_512 ",prefer-vector-width=512"
#endif

/* What functions are compiled for: vectors of 256 bits; those of 512, as they say; and all that the compiler may make of their loops. */
#ifdef TL_WIDE
#define TL_BY_256 __attribute__((target("avx2")))
#ifdef TL_PAIRS
#define TL_BY_512 TL_BY_256
#define TL_BY_ALL_512 TL_BY_256
#else
#define TL_BY_512 __attribute__((target("avx512f,avx512bw")))
#define TL_BY_ALL_512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl" TL_WHOLE_512)))
#endif
#endif

#if defined(__GNUC__)
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))
#define TL_APART_FROM_CALLERS __attribute__((noinline))
#else
#define TL_ALWAYS_INLINE inline
#define TL_APART_FROM_CALLERS
#endif

/* Before a loop that is to become its iterations, one after the other; before one that is to stay a loop, as it would be much code; and before one
 * of the former, if that is worth it, or else of the latter. */
#if defined(__clang__)
#define TL_UNROLL _Pragma("unroll")
#define TL_ROLLED _Pragma("nounroll")
#define TL_UNROLL_IF(WORTH_IT) TL_UNROLL
#else
#define TL_UNROLL _Pragma("GCC unroll 16")
#define TL_ROLLED _Pragma("GCC unroll 1")
#define TL_UNROLL_IF(WORTH_IT) TL_PRAGMA(GCC unroll ((WORTH_IT) ? 16 : 1))
#define TL_PRAGMA(...) TL_PRAGMA_OF(__VA_ARGS__)
#define TL_PRAGMA_OF(...) _Pragma(#__VA_ARGS__)
#endif

/* No vectors, or those of so many bits. TL_512_BYTES may also use the instruction that puts the bytes of 512 bits in any order, if the machine
 * has it; and TL_512_ASKING also asks for lines in a cache before copies read and write them. */
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

/* Whether this machine fetches by itself what comes next in several rows that it reads in turn, or that have gaps between them. A Zen 4
 * does, a Zen 5 does not, the first of AMD's that intersects vectors; others, which were not asked, are taken to do as the former. */
static inline int tl_fetches_rows(void)
{
#ifdef TL_WIDE
    return !(__builtin_cpu_is("amd") && __builtin_cpu_supports("avx512vp2intersect"));
#else
    return 1;
#endif
}

/* Bytes of this machine's second-level cache, or INT64_MAX where the system does not say. */
static inline int64_t tl_second_cache(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : INT64_MAX;
#else
    return INT64_MAX;
#endif
}

/* Whether a kernel of this level may use vpermb, which puts the bytes of a vector in any order. */
static inline int tl_permutes_bytes(int level)
{
#ifdef TL_WIDE
    return TL_MASKED && level >= TL_512_BYTES && __builtin_cpu_supports("avx512vbmi");
#else
    (void)level;
    return 0;
#endif
}

/* Whether a kernel of this level turns vectors byte by byte. */
static inline int tl_turns_bytes(int level) { return !TL_MASKED || tl_permutes_bytes(level); }

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

/* Whether this machine writes lines that follow one another sooner by plain stores, if they are asked for, than past the caches: Intel's first with
 * vectors of 512 bits, which permute no bytes. A Skylake was measured; another of Intel's took half as long again by plain stores. */
static inline int tl_stores_sooner(void) { return tl_best_level() == TL_512_ASKING && !tl_permutes_bytes(TL_512_ASKING); }

/* Whether a line is a pair of this machine's widest vectors (tl_pairs.h). */
static inline int tl_makes_pairs(void) { return tl_best_level() == TL_256; }

#endif
