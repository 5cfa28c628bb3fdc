/* A fuzz target without libFuzzer: every file of a corpus, then a fixed number of
 * inputs made from them by chance. The same inputs in every run, on every machine.
 *
 *   replay_TARGET FOLDER RUNS
 *
 * An input that breaks something is left in replay_TARGET.input of the current folder.
 */
#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096, SEEDS = 256 };

typedef struct input {
    uint8_t data[MOST];
    size_t size;
} input;

static input seed[SEEDS], now;
static char broken[256];

/* ---- running --------------------------------------------------------------------- */

static void keep_input(int signal_number)
{
    int out = open(broken, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out >= 0 && write(out, now.data, now.size) == (ssize_t)now.size)
        (void)!write(STDERR_FILENO, broken, strlen(broken));
    (void)!write(STDERR_FILENO, " is the input that broke it\n", 28);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch(const char *program)
{
    static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    const char *slash = strrchr(program, '/');
    snprintf(broken, sizeof broken, "%s.input", slash != NULL ? slash + 1 : program);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], keep_input);
}

/* The target gets a block of just that size, so that a checker sees reads behind it. */
static void run(void)
{
    uint8_t *copy = malloc(now.size + (now.size == 0));
    if (copy == NULL)
        abort();
    memcpy(copy, now.data, now.size);
    LLVMFuzzerTestOneInput(copy, now.size);
    free(copy);
}

/* ---- the corpus ------------------------------------------------------------------ */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* in any locale */
}

static int read_corpus(const char *folder)
{
    struct dirent **entry;
    int count = 0, entries = scandir(folder, &entry, NULL, by_name);
    for (int i = 0; i < entries; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        FILE *in = entry[i]->d_name[0] != '.' ? fopen(path, "rb") : NULL;
        if (in != NULL && count < SEEDS) {
            seed[count].size = fread(seed[count].data, 1, MOST, in);
            count++;
        }
        if (in != NULL)
            fclose(in);
        free(entry[i]);
    }
    if (entries >= 0)
        free(entry);
    return count;
}

/* ---- chance ---------------------------------------------------------------------- */

/* Put size bytes in place of `old` bytes at `at`, as far as there is room. */
static void replace(size_t at, size_t old, const uint8_t *data, size_t size)
{
    size_t tail = now.size - at - old;
    if (at + size + tail > MOST)
        return;
    memmove(now.data + at + size, now.data + at + old, tail);
    memcpy(now.data + at, data, size);
    now.size = at + size + tail;
}

/* A number below `most`, or 0 when that is 0. */
static size_t below(zb_rng *rng, size_t most)
{
    return most > 0 ? (size_t)zb_rng_below(rng, (int)most) : 0;
}

static bool in_word(size_t at) { return at < now.size && now.data[at] > ' '; }

/* Another word in place of the one at `at`: the sizes and values that readers trip on.
 */
static void change_word(zb_rng *rng, size_t at)
{
    static const char *const words[] = {
        "0",
        "1",
        "2",
        "-1",
        "3",
        "7",
        "64",
        "65536",
        "15555555",
        "1e300",
        "1e-320",
        "-0",
        "1e",
        "2147483647",
        "2147483648",
        "nan",
        "inf",
        "-inf",
        "0x10",
        "1.5",
        "%",
        "c",
        "99999999999999999999",
        "",
        " ",
        "\n",
        "p",
        "MARKOV",
    };
    const char *word = words[zb_rng_below(rng, sizeof words / sizeof *words)];
    size_t end = at;
    while (at > 0 && in_word(at - 1))
        at--;
    while (in_word(end))
        end++;
    replace(at, end - at, (const uint8_t *)word, strlen(word));
}

static void change(zb_rng *rng, int seeds)
{
    uint8_t byte = (uint8_t)zb_rng_below(rng, 256), chunk[64];
    size_t at = below(rng, now.size), left = now.size - at;
    const input *other = &seed[zb_rng_below(rng, seeds)];
    size_t from = below(rng, other->size), size = below(rng, sizeof chunk);
    switch (zb_rng_below(rng, 6)) {
    case 0: replace(at, left > 0, &byte, 1); break;
    case 1: /* drop a piece */ replace(at, size < left ? size : left, chunk, 0); break;
    case 2: /* put a piece of another in */
        size = size < other->size - from ? size : other->size - from;
        memcpy(chunk, other->data + from, size);
        replace(at, 0, chunk, size);
        break;
    case 3: /* cut off */ now.size = zb_rng_below(rng, 4) == 0 ? at : now.size; break;
    default: change_word(rng, at);
    }
}

int main(int argc, char **argv)
{
    int seeds = argc == 3 ? read_corpus(argv[1]) : 0;
    long runs = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    zb_rng rng = zb_rng_seed(1);
    if (seeds == 0) {
        fprintf(stderr, "usage: %s FOLDER RUNS, with inputs in FOLDER\n", argv[0]);
        return 1;
    }
    watch(argv[0]);
    for (int i = 0; i < seeds; i++) {
        now = seed[i];
        run();
    }
    for (long i = 0; i < runs; i++) {
        now = seed[zb_rng_below(&rng, seeds)];
        for (int changes = 1 + zb_rng_below(&rng, 5); changes > 0; changes--)
            change(&rng, seeds);
        run();
    }
    printf("%d inputs, and %ld made from them\n", seeds, runs);
    return 0;
}
