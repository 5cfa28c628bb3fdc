#include "console.h"
#include "app.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool quiet, live;

void app_console_quiet(void) { quiet = true; }

static void say(const char *prefix, const char *fmt, va_list args)
{
    app_live("");
    fputs(prefix, stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

int app_fail(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("zbound: ", fmt, args);
    va_end(args);
    return code;
}

void app_note(const char *fmt, ...)
{
    va_list args;
    if (quiet)
        return;
    va_start(args, fmt);
    say("zbound: note: ", fmt, args);
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

bool app_live_possible(void) { return !quiet && isatty(STDERR_FILENO) == 1; }

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
