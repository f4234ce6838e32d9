/* What is asked of the system about pages. */
#ifndef TL_PAGES_H
#define TL_PAGES_H

#include <stdint.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#endif

/* Let the system have whole pages if it is short of memory: they are zeros then, or what they were. Returns whether it takes them. */
static inline int tl_lend(char *at, int64_t bytes)
{
#ifdef MADV_FREE
    return madvise(at, (size_t)bytes, MADV_FREE) == 0;
#else
    (void)at, (void)bytes;
    return 0;
#endif
}

#endif
