/* Result files of the competitions: the word PR and log10 Z. */
#include "io/formats.h"

zb_status zb_result_write_pr(const char *path, double log_z, bool append, zb_error *err)
{
    const double ln10 = 2.302585092994045684;
    zb_out out;
    zb_status status;

    if (isnan(log_z))
        return zb_fail(err, ZB_EINVAL, "ln Z is not a number");
    TRY(zb_out_open(&out, path, append, err));
    zb_out_text(&out, "%s\n%.17g\n", append ? "-BEGIN-" : "PR", log_z / ln10);
    TRY(zb_out_close(&out));
done:
    return status;
}
