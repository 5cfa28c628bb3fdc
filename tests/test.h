/* cmocka with what it needs, and a check that names the seed. */
#ifndef ZB_TEST_H
#define ZB_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CHECK(ok, ...)                                                                 \
    do {                                                                               \
        if (!(ok)) {                                                                   \
            print_error(__VA_ARGS__);                                                  \
            print_error("\n");                                                         \
            fail_msg("%s", #ok);                                                       \
        }                                                                              \
    } while (0)

#endif
