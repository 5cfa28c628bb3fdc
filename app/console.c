#include "console.h"
#include "app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool quiet, live, plain;

void app_console_quiet(void) { quiet = true; }
void app_console_plain(void) { plain = true; }

bool app_is_terminal(int descriptor) { return !plain && isatty(descriptor) == 1; }

static bool can_colour(int descriptor)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool able = term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
    return able && (no == NULL || *no == '\0') && app_is_terminal(descriptor);
}

const char *app_ink(int descriptor, app_colour colour)
{
    static const char *const codes[] = {
        [APP_PLAIN] = "\033[0m", [APP_BOLD] = "\033[1m",  [APP_QUIET] = "\033[2m",
        [APP_GOOD] = "\033[32m", [APP_WARN] = "\033[33m", [APP_BAD] = "\033[1;31m",
        [APP_BLUE] = "\033[36m"
    };
    return can_colour(descriptor) ? codes[colour] : "";
}

static void say(app_colour colour, const char *prefix, const char *fmt, va_list args)
{
    app_live("");
    fprintf(stderr, "%s%s%s", app_ink(2, colour), prefix, app_ink(2, APP_PLAIN));
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

int app_fail(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(APP_BAD, "zbound: ", fmt, args);
    va_end(args);
    return code;
}

void app_note(const char *fmt, ...)
{
    va_list args;
    if (quiet)
        return;
    va_start(args, fmt);
    say(APP_WARN, "zbound: note: ", fmt, args);
    va_end(args);
}

int app_fail_status(zb_status status, const zb_error *err)
{
    static const int codes[] = {
        [ZB_OK] = APP_INTERNAL,  [ZB_ENOMEM] = APP_LIMIT, [ZB_EINVAL] = APP_USAGE,
        [ZB_EPARSE] = APP_INPUT, [ZB_EIO] = APP_INPUT,    [ZB_ELIMIT] = APP_LIMIT,
        [ZB_EBUG] = APP_INTERNAL
    };
    const char *text = err->text[0] != '\0' ? err->text : zb_status_text(status);
    return app_fail(codes[status], "%s", text);
}

bool app_live_possible(void) { return !quiet && app_is_terminal(STDERR_FILENO); }

void app_live(const char *text)
{
    struct winsize size;
    int room = 79;
    if (text[0] == '\0' && !live)
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        room = size.ws_col - 1;
    fprintf(stderr, "\r\033[K%.*s", room, text);
    fflush(stderr);
    live = text[0] != '\0';
}
