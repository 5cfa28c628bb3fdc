#include "signals.h"
#include "app.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static time_t first; /* second of the first signal; touched by the handler only */

/* One request often arrives twice (the terminal and a parent both send it), so only a
   repetition more than a second later means "at once". */
static void on_signal(int number)
{
    struct timespec now;
    (void)number;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (interrupted == 0)
        first = now.tv_sec;
    else if (now.tv_sec > first + 1)
        _exit(APP_LIMIT);
    interrupted = 1;
}

/* No SA_RESTART: a read that waits for a pipe must end too. */
void app_signals_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void app_signals_hold(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

bool app_interrupted(void) { return interrupted != 0; }
