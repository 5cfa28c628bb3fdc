#include "signals.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t caught;  /* the first signal, 0: none */
static volatile sig_atomic_t writing; /* the answer is on its way out */
static time_t first;                  /* its second; touched by the handler only */

static const int numbers[] = { SIGINT, SIGTERM };
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void set_all(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &action, NULL);
}

static void mask_all(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < NUMBERS; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(how, &set, NULL);
}

/* One request often arrives twice (the terminal and a parent both send it), so only a
   repetition more than a second later means "at once". */
static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (caught == 0) {
        caught = number;
        first = now.tv_sec;
    } else if (now.tv_sec > first + 1 && !writing)
        app_signals_end();
}

/* No SA_RESTART: a read that waits for a pipe must end too. */
void app_signals_catch(void) { set_all(on_signal); }

void app_signals_hold(void)
{
    writing = 1;
    mask_all(SIG_BLOCK);
}

void app_signals_ignore(void) { set_all(SIG_IGN); }

bool app_interrupted(void) { return caught != 0; }

void app_signals_end(void)
{
    set_all(SIG_DFL);
    mask_all(SIG_UNBLOCK); /* one that waited ends the program here */
    if (caught != 0)
        raise(caught);
}
