/* Models whose Z is known by hand, and zbound-verify's word on certificates for them.
 */
#ifndef VERIFY_ASK_H
#define VERIFY_ASK_H

#include "../verify/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#define CHECK(ok, ...)                                                                 \
    do {                                                                               \
        if (!(ok)) {                                                                   \
            print_error(__VA_ARGS__);                                                  \
            fail();                                                                    \
        }                                                                              \
    } while (0)

/* One variable, f = (1, 2), g = (3, 4): Z = 11 */
#define PAIR "MARKOV 1 2 2 1 0 1 0 2 1 2 2 3 4"
#define OF_PAIR "zbound-certificate 1\nmodel 1 2\n"
/* v and s: f = (1 1 / 2 1), g = (3 1 / 4 5): Z = 11 + 6 */
#define SHARED "MARKOV 2 2 2 2 2 0 1 2 0 1 4 1 1 2 1 4 3 1 4 5"
#define OF_SHARED "zbound-certificate 1\nmodel 2 2\n"
/* y = (1, 0, 1)[x], x = 2 nearly forbidden; h(y) = (3, 5), k(x) = (2, 7, 11); a
   constant, a variable of one value, one of four in no factor: Z = 10 4 (5 2 + 2 3 7 +
   0) */
#define TIED "MARKOV 4 2 3 1 4 4 2 0 1 2 2 0 1 1 0 6 0 2 0 1 0 0 2 3 5 3 2 7 11 1 10"
#define OF_TIED "zbound-certificate 1\nmodel 4 4\n"
/* The worked example of the gauge paper's supplement. */
#define WORKED                                                                         \
    "MARKOV 6 2 2 2 2 2 2 4 3 0 1 2 3 0 3 4 3 1 3 5 3 2 4 5 "                          \
    "8 2432 832 4672 640 4864 384 5120 4160 8 1088 128 4928 4608 448 1664 3264 1344 "  \
    "8 1216 5440 768 1856 1920 960 3264 4416 8 5632 5632 6080 6208 5568 896 640 512"
#define OF_WORKED "zbound-certificate 1\nmodel 6 4\n"
#define MIX " : 0.75 .25 2.5e-1 0x1.8p-1\n"
#define GAUGES                                                                         \
    "gauge 0 0 1" MIX "gauge 1 4 2" MIX "gauge 2 6 3" MIX "gauge 3 5 7" MIX            \
    "gauge 4 10 9" MIX "gauge 5 11 13" MIX
/* x - y - z, zeros where x and y are equal or y is 1 and z is 1: Z = 2 (1 3) + 5 (4 +
 * 6) */
#define CHAIN "MARKOV 3 2 2 2 2 2 0 1 2 1 2 4 0 2 5 0 4 4 6 3 0"
#define OF_CHAIN "zbound-certificate 1\nmodel 3 2\n"

static inline verdict ask(const char *model, const char *evidence,
                          const char *certificate, model_format format)
{
    question q = { .model = { "model", model, strlen(model) },
                   .evidence = { "evidence", evidence,
                                 evidence ? strlen(evidence) : 0 },
                   .certificate = { "certificate", certificate, strlen(certificate) },
                   .format = format,
                   .memory = 64 << 20,
                   .work = 1000000 };
    return verify(&q);
}

#endif
