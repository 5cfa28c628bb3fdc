/* What every module uses: memory, status, sizes, and the only #ifdefs. */
#ifndef ZB_BASE_H
#define ZB_BASE_H

#include "zbound.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every operation on doubles must be rounded to a double, and infinities must count. */
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "compile without -ffast-math, and on 32-bit x86 with -msse2 -mfpmath=sse"
#endif

/* In a function with `zb_status status` and a label `done`: leave on the first failure.
 */
#define TRY(call)                                                                      \
    do {                                                                               \
        if ((status = (call)) != ZB_OK)                                                \
            goto done;                                                                 \
    } while (0)

#if defined(__GNUC__)
#define ZB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ZB_INLINE static inline __attribute__((always_inline))
#else
#define ZB_PRINTF(fmt, args)
#define ZB_INLINE static inline
#endif

/* Code for AVX2 and for AVX-512, where the compiler makes it and while it runs on a
   processor that has it. */
#if defined(__GNUC__) && defined(__x86_64__)
#define ZB_AVX2 __attribute__((target("arch=x86-64-v3")))
#define ZB_AVX512 __attribute__((target("arch=x86-64-v4")))
#define ZB_HAS_AVX2                                                                    \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&                \
     __builtin_cpu_supports("bmi2"))
#define ZB_HAS_AVX512                                                                  \
    (ZB_HAS_AVX2 && __builtin_cpu_supports("avx512f") &&                               \
     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&       \
     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#else
#define ZB_AVX2
#define ZB_AVX512
#define ZB_HAS_AVX2 0
#define ZB_HAS_AVX512 0
#endif

/* The widest vectors that the processor has, in a portable build (ZB_NO_AVX512: AVX2 at
   most). Function multiversioning resolves before the sanitizers' run time is up, so
   there it is left out. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                 \
    defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(ZB_NO_CLONES)
#define ZB_USES_AVX2 ZB_HAS_AVX2
#ifdef ZB_NO_AVX512
#define ZB_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define ZB_USES_AVX512 0
#else
#define ZB_CLONES                                                                      \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define ZB_USES_AVX512 ZB_HAS_AVX512
#endif
#else
#define ZB_CLONES
#define ZB_USES_AVX2 0
#define ZB_USES_AVX512 0
#endif

/* What the compiler may use anywhere. */
#if defined(__AVX512F__)
#define ZB_BASELINE "avx512"
#elif defined(__AVX2__)
#define ZB_BASELINE "avx2"
#elif defined(__SSE2__)
#define ZB_BASELINE "sse2"
#else
#define ZB_BASELINE "portable"
#endif

/* The widest unsigned integer: 128 bits, or 64 on targets that have no more. */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 zb_wide;
#else
typedef uint64_t zb_wide;
#endif

#ifdef __APPLE__ /* newlocale and strtod_l, which others have in locale.h, stdlib.h */
#include <xlocale.h>
#endif

/* Bytes of a block of memory, as the allocator knows them. Where it does not tell,
   blocks are not counted and limits of memory are kept by forecast alone. */
#if defined(__GLIBC__)
#include <malloc.h>
#define ZB_BLOCK_SIZE(p) malloc_usable_size(p)
#define ZB_GIVE_BACK() malloc_trim(0) /* what is free goes back to the system, now */
#define ZB_GIVE_SOON() /* blocks from a megabyte on, as soon as they are freed */      \
    (mallopt(M_MMAP_THRESHOLD, 1 << 20), mallopt(M_TRIM_THRESHOLD, 8 << 20))
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#define ZB_BLOCK_SIZE(p) malloc_size(p)
#define ZB_GIVE_BACK() ((void)0)
#define ZB_GIVE_SOON() ((void)0)
#else
#define ZB_BLOCK_SIZE(p) 0
#define ZB_GIVE_BACK() ((void)0)
#define ZB_GIVE_SOON() ((void)0)
#endif

/* Memory. Arrays from 512 bytes on are aligned to 64, counts checked for overflow; NULL
   on failure. A count of 0 gives a valid pointer. Tests link another mem.c that can
   fail. */
void *zb_alloc(size_t count, size_t size);
void *zb_calloc(size_t count, size_t size);
void *zb_resize(void *old, size_t old_count, size_t count, size_t size); /* may move */
void zb_free(void *p);
/* Room for `need` elements of an array that may be NULL: false, and nothing changes,
   when memory is out. *room is how many fit and at least doubles; the first `used` are
   kept. zb_reserve takes the address of the pointer, of whatever type, and keeps *room
   at `most`, the number of elements that there can ever be, while that is enough. */
#define ZB_RESERVE(array, room, used, need)                                            \
    zb_reserve(&(array), room, used, need, SIZE_MAX, sizeof *(array))
bool zb_reserve(void *array, size_t *room, size_t used, size_t need, size_t most,
                size_t size);
size_t zb_room(size_t room, size_t need, size_t most); /* how much that is */
/* With TRY: room for one more element behind the first `used`. */
#define ZB_GROW(array, room, used, most)                                               \
    TRY(zb_reserve(&(array), &(room), used, (used) + 1, most, sizeof *(array))         \
            ? ZB_OK                                                                    \
            : ZB_ENOMEM)
uint64_t zb_mem_physical(void); /* bytes of RAM of this machine; 0: not known */

/* a * b into *out; false when it does not fit. */
bool zb_size_mul(size_t a, size_t b, size_t *out);

/* Write a sentence into err (which may be NULL) and return the status. */
zb_status zb_fail(zb_error *err, zb_status status, const char *fmt, ...)
    ZB_PRINTF(3, 4);

double zb_now(void); /* seconds on a monotonic clock */

/* What must hold whatever a caller does: a failure is a fault of the library's own. The
   library never aborts, so there zb_broken does nothing; the tests link one that names
   the place and ends the program. Only for checks that cost next to nothing, and with
   no effect of their own. */
#define ZB_ASSERT(what) ((what) ? (void)0 : zb_broken(__FILE__, __LINE__, #what))
void zb_broken(const char *file, int line, const char *what);

/* Have na bytes at a and nb bytes at b none in common? */
static inline bool zb_disjoint(const void *a, size_t na, const void *b, size_t nb)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x + na <= y || y + nb <= x;
}

static inline int zb_min_int(int a, int b) { return a < b ? a : b; }
static inline int zb_max_int(int a, int b) { return a > b ? a : b; }
static inline size_t zb_min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t zb_max_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
