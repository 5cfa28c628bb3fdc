#include "base/account.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t NONE = UINT64_MAX;
/* The program itself takes some 8 MiB, so that it may have this much in any case: below
   it, a limit is one of tables, kept by forecast. */
static const uint64_t LEAST = (uint64_t)24 << 20;

static _Atomic int64_t used, peak;
static _Atomic uint64_t most = UINT64_MAX; /* what zb_alloc may hold in all */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int runs, unlimited;                              /* at work */
static uint64_t granted;                                 /* to those with a limit */
static uint64_t overhead;           /* of the process beside zb_alloc's blocks */
static uint64_t whole = UINT64_MAX; /* zb_limit_memory's */

bool zb_account_take(size_t bytes)
{
    uint64_t limit = atomic_load_explicit(&most, memory_order_relaxed);
    int64_t now =
        atomic_fetch_add_explicit(&used, (int64_t)bytes, memory_order_relaxed);
    if (limit != NONE && (uint64_t)(now + (int64_t)bytes) > limit) {
        zb_account_adjust(-(int64_t)bytes);
        return false;
    }
    int64_t old = atomic_load_explicit(&peak, memory_order_relaxed);
    now += (int64_t)bytes;
    while (old < now && !atomic_compare_exchange_weak(&peak, &old, now))
        ;
    return true;
}

void zb_account_adjust(int64_t bytes)
{
    atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed);
}

uint64_t zb_account_used(void)
{
    int64_t now = used;
    return now > 0 ? (uint64_t)now : 0;
}

uint64_t zb_account_peak(void) { return (uint64_t)peak; }

uint64_t zb_account_left(void)
{
    uint64_t limit = most, now = zb_account_used();
    return limit == NONE ? NONE : limit > now ? limit - now : 0;
}

/* ---- limits ---------------------------------------------------------------------- */

/* Bytes of the process that are in memory; 0: not known. */
static uint64_t resident(void)
{
    unsigned long long total = 0, in = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    long page = sysconf(_SC_PAGESIZE);
    if (file == NULL || page <= 0)
        return 0;
    int got = fscanf(file, "%llu %llu", &total, &in);
    fclose(file);
    return got == 2 ? in * (uint64_t)page : 0;
}

/* What the process takes beside the blocks that are counted: code, libraries, stacks,
   other parts of the program; and a margin for blocks that the allocator cannot give
   back. In coarse steps, since plans follow from it, and the same request shall have
   the same plan. */
static uint64_t measure_overhead(uint64_t limit)
{
    const uint64_t own = (uint64_t)10 << 20, step = (uint64_t)16 << 20;
    uint64_t in = resident(), now = zb_account_used();
    if (in > now + 4 * step) { /* is it in use at all? */
        ZB_GIVE_BACK();
        in = resident();
    }
    uint64_t other = in > now ? in - now : 0;
    other = other <= own ? own : (other + step - 1) / step * step;
    return other + limit / 64;
}

/* At least half of a limit is for the work, whatever else the process holds. */
static uint64_t grant(uint64_t limit)
{
    limit = limit < LEAST ? LEAST : limit;
    return limit / 2 > overhead ? limit - overhead : limit - limit / 2;
}

/* With the lock. */
static void settle(void)
{
    uint64_t limit = runs > 0 && unlimited == 0 ? granted : NONE;
    most = limit < whole ? limit : whole;
}

uint64_t zb_account_enter(uint64_t limit)
{
    pthread_mutex_lock(&lock);
    if (runs++ == 0 && limit != NONE) {
        overhead = measure_overhead(limit);
        peak = used;
    }
    if (limit == NONE)
        unlimited++;
    else
        granted += grant(limit);
    settle();
    pthread_mutex_unlock(&lock);
    uint64_t left = zb_account_left(), own = limit < LEAST ? limit : grant(limit);
    return limit != NONE && own < left ? own : left;
}

void zb_account_leave(uint64_t limit)
{
    pthread_mutex_lock(&lock);
    runs--;
    if (limit == NONE)
        unlimited--;
    else
        granted -= grant(limit);
    if (runs == 0)
        granted = 0;
    settle();
    pthread_mutex_unlock(&lock);
}

void zb_limit_memory(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    ZB_GIVE_SOON();
    if (bytes > 0 && runs == 0)
        overhead = measure_overhead(bytes);
    whole = bytes > 0 ? grant(bytes) : NONE;
    settle();
    pthread_mutex_unlock(&lock);
}

/* ---- what there is --------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The number in a file that holds one; NONE: no file, or "max". */
static uint64_t number_in(const char *folder, const char *name)
{
    char path[600];
    unsigned long long x = 0;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NONE;
    FILE *file = fopen(path, "re");
    int got = file != NULL ? fscanf(file, "%llu", &x) : 0;
    if (file != NULL)
        fclose(file);
    return got == 1 ? x : NONE;
}

/* A group may be limited by any of its ancestors. */
static uint64_t group_left(const char *mount, const char *group, const char *limit,
                           const char *held)
{
    char folder[512];
    uint64_t left = NONE;
    int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    size_t root = strlen(mount);
    while (length > 0 && (size_t)length < sizeof folder && strlen(folder) >= root) {
        uint64_t may = number_in(folder, limit), has = number_in(folder, held);
        if (may != NONE && may < NONE / 4)
            left = least(left, has == NONE ? may : may > has ? may - has : 0);
        char *slash = strrchr(folder, '/');
        if (slash == NULL || strlen(folder) == root)
            break;
        *slash = '\0';
    }
    return left;
}

static uint64_t groups_left(void)
{
    char line[512];
    uint64_t left = NONE;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *kind = strchr(line, ':');
        char *group = kind != NULL ? strchr(kind + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        if (strcmp(group, "/") == 0)
            group++;
        if (kind[1] == '\0')
            left = least(left, group_left("/sys/fs/cgroup", group, "memory.max",
                                          "memory.current"));
        else if (strstr(kind, "memory") != NULL)
            left = least(left,
                         group_left("/sys/fs/cgroup/memory", group,
                                    "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
    if (file != NULL)
        fclose(file);
    return left;
}

static uint64_t machine_left(void)
{
    char line[128];
    unsigned long long kib;
    uint64_t left = NONE;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            left = kib * 1024;
    if (file != NULL)
        fclose(file);
    uint64_t all = zb_mem_physical();
    return least(left, all > 0 ? all : NONE);
}

static uint64_t addresses_left(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
        return NONE;
    return (uint64_t)r.rlim_cur;
}

uint64_t zb_memory_available(void)
{
    return least(machine_left(), least(groups_left(), addresses_left()));
}

/* Rounded down to 1 or 1.5 times a power of two: what is available changes all the
   time, and plans should not. */
uint64_t zb_memory_default(void)
{
    uint64_t all = zb_memory_available(), step = 1;
    if (all == NONE)
        return NONE;
    all = all / 5 * 4;
    while (step <= all / 2)
        step *= 2;
    return step + step / 2 <= all ? step + step / 2 : step;
}
