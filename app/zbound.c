/* zbound: one process. */
#include "app.h"
#include "signals.h"

int main(int argc, char **argv)
{
    int code = app_main(argc, argv, NULL);
    app_signals_end();
    return code;
}
