/* Certificates as files. */
#include "certificate/certificate.h"
#include "certificate/sections.h"
#include "io/formats.h"

static void write_claim(zb_out *out, double x)
{
    char word[ZB_REAL_TEXT];
    if (isfinite(x))
        zb_real_text(word, x);
    zb_out_text(out, " %s", isfinite(x) ? word : "-inf");
}

/* Long texts in pieces. */
static void write_text(zb_out *out, const zb_script *s)
{
    enum { PIECE = 64 };
    for (size_t i = 0; i < s->length; i += PIECE)
        zb_out_text(out, "%.*s", PIECE, s->text + i);
}

static void write_section(zb_out *out, const zb_certificate *c, int i)
{
    static const char *const name[] = { "exact", "upper", "lower" };
    if (!c->has[i] || (i == ZB_SECTION_UPPER && c->log_upper == INFINITY))
        return; /* infinity claims nothing */
    zb_out_text(out, "%s\n", name[i]);
    write_text(out, &c->section[i]);
    zb_out_text(out, "claim");
    if (i != ZB_SECTION_UPPER)
        write_claim(out, c->log_lower);
    if (i != ZB_SECTION_LOWER)
        write_claim(out, c->log_upper);
    zb_out_text(out, "\n");
}

zb_status zb_certificate_write(const zb_certificate *c, const char *path, zb_error *err)
{
    zb_out out;
    if (c == NULL)
        return zb_fail(err, ZB_EINVAL, "no certificate");
    zb_status status = zb_out_open_whole(&out, path, err);
    if (status != ZB_OK)
        return status;
    zb_out_text(&out, "zbound-certificate 1\nmodel %d %d\n", c->nvars, c->nfactors);
    for (int i = 0; i < ZB_SECTIONS; i++)
        write_section(&out, c, i);
    zb_out_text(&out, "end\n");
    return zb_out_close(&out);
}
