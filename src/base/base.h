/* What every module uses: memory, status, sizes, and the only #ifdefs. */
#ifndef ZB_BASE_H
#define ZB_BASE_H

#include "zbound.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* AVX2 where the processor has it, in a portable build. Function multiversioning
   resolves before the sanitizers' run time is up, so there it is left out. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                 \
    defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(ZB_NO_CLONES)
#define ZB_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ZB_CLONES
#endif

/* One version of a function for AVX2; to be called where ZB_HAS_AVX2 is true. Tests
   compare it with the plain one. */
#if defined(__GNUC__) && defined(__x86_64__)
#define ZB_AVX2 __attribute__((target("arch=x86-64-v3")))
#define ZB_HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define ZB_AVX2
#define ZB_HAS_AVX2 true
#endif

/* Memory. Arrays are aligned to 64 bytes, counts checked for overflow; NULL on failure.
   A count of 0 gives a valid pointer. Tests link another mem.c that can fail. */
void *zb_alloc(size_t count, size_t size);
void *zb_calloc(size_t count, size_t size);
void *zb_resize(void *old, size_t old_count, size_t count, size_t size); /* may move */
void zb_free(void *p);
uint64_t zb_mem_physical(void); /* bytes of RAM of this machine; 0: not known */

/* a * b into *out; false when it does not fit. */
bool zb_size_mul(size_t a, size_t b, size_t *out);

/* Write a sentence into err (which may be NULL) and return the status. */
zb_status zb_fail(zb_error *err, zb_status status, const char *fmt, ...)
    ZB_PRINTF(3, 4);

double zb_now(void); /* seconds on a monotonic clock */

static inline int zb_min_int(int a, int b) { return a < b ? a : b; }
static inline int zb_max_int(int a, int b) { return a > b ? a : b; }
static inline size_t zb_min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t zb_max_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
