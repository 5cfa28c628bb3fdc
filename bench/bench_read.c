/* How fast models are read and written: bytes of text per second of processor time, so
 * that other work on the machine does not count; the best of three. Tables of 2^22
 * weights with few and with 17 digits, logarithms, and the same gzipped. */
#include "zbound.h"

#include "base/base.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { VARIABLES = 22, TRIES = 3 };

static void must(zb_status status, const zb_error *err)
{
    if (status == ZB_OK)
        return;
    fprintf(stderr, "bench_read: %s\n", err->text);
    exit(1);
}

/* A table of 2^22 weights: digits 0 for all a double has, else so many decimals. */
static zb_model *make_model(int digits)
{
    int card[VARIABLES], scope[VARIABLES];
    size_t size = (size_t)1 << VARIABLES;
    double *value = malloc(size * sizeof *value), scale = pow(10, digits);
    zb_rng rng = zb_rng_seed(1);
    zb_model *model;
    zb_error err = { "out of memory" };

    must(value != NULL ? ZB_OK : ZB_ENOMEM, &err);
    for (int v = 0; v < VARIABLES; v++) {
        card[v] = 2;
        scope[v] = v;
    }
    for (size_t i = 0; i < size; i++) {
        double x = zb_rng_uniform(&rng);
        value[i] = digits > 0 ? floor(x * scale) : x;
    }
    must(zb_model_new(&model, VARIABLES, card), &err);
    must(zb_model_add(model, VARIABLES, scope, value), &err);
    free(value);
    return model;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_to_read(const char *path)
{
    double best = INFINITY;
    zb_error err;
    for (int i = 0; i < TRIES; i++) {
        zb_model *model;
        double from = cpu_now();
        must(zb_model_read(&model, path, &err), &err);
        best = fmin(best, cpu_now() - from);
        zb_model_free(model);
    }
    return best;
}

static double megabytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size / 1e6 : NAN;
}

static void measure(const char *what, int digits, const char *ending)
{
    const char *folder = getenv("TMPDIR");
    char plain[1000], packed[1010];
    zb_model *model = make_model(digits);
    zb_error err;

    folder = folder != NULL ? folder : "/tmp";
    snprintf(plain, sizeof plain, "%s/zbound-bench-%d%s", folder, (int)getpid(),
             ending);
    snprintf(packed, sizeof packed, "%s.gz", plain);
    double from = cpu_now();
    must(zb_model_write(model, plain, &err), &err);
    double writing = cpu_now() - from;
    must(zb_model_write(model, packed, &err), &err);
    double size = megabytes(plain);
    printf("%-22s %6.1f MB   read %4.0f MB/s   gzip %3.0f %%, read %4.0f MB/s   write "
           "%4.0f MB/s\n",
           what, size, size / seconds_to_read(plain), 100 * megabytes(packed) / size,
           size / seconds_to_read(packed), size / writing);
    fflush(stdout);
    unlink(plain);
    unlink(packed);
    zb_model_free(model);
}

int main(void)
{
    measure("weights, 3 digits", 3, ".uai");
    measure("weights, 8 digits", 8, ".uai");
    measure("weights, 17 digits", 0, ".uai");
    measure("logarithms, 17 digits", 0, ".LG");
    return 0;
}
