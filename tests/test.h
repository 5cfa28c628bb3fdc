/* cmocka with what it needs, a check that names the seed, and skips that are seen. */
#ifndef ZB_TEST_H
#define ZB_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define CHECK(ok, ...)                                                                 \
    do {                                                                               \
        if (!(ok)) {                                                                   \
            print_error(__VA_ARGS__);                                                  \
            print_error("\n");                                                         \
            fail_msg("%s", #ok);                                                       \
        }                                                                              \
    } while (0)

/* So many random models, or ZB_TEST_MODELS times as many, but one at least: `make deep`
   asks for more of them, and for fewer under slow checkers. */
static inline uint64_t test_models(uint64_t usual)
{
    const char *times = getenv("ZB_TEST_MODELS");
    return times != NULL ? (uint64_t)ceil((double)usual * strtod(times, NULL)) : usual;
}

/* How often something must have happened among them: none is a test that tests nothing.
 */
static inline int test_share(int usual) { return (int)test_models((uint64_t)usual); }

/* cmocka lets a program pass whose tests were skipped. Here it ends with 77, which
   CTest shows as skipped, unless something failed. A test that may be skipped therefore
   lives in a program of its own kind: tests/test_shared_*.c. */
static int test_skips;

#undef skip
#define skip() (test_skips++, _skip(__FILE__, __LINE__))

static inline int test_exit_code(int failures)
{
    return failures == 0 && test_skips > 0 ? 77 : failures;
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                 \
    test_exit_code(_cmocka_run_group_tests(                                            \
        #tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown))

#endif
