/* Models from files: which format, and its reader. */
#include "io/formats.h"

/* By the ending of the name; DETECT where it says nothing. */
static zb_format named(const char *path)
{
    static const struct {
        const char *ending;
        zb_format format;
    } endings[] = {
        { ".cnf", ZB_FORMAT_CNF },    { ".coo", ZB_FORMAT_COO },
        { ".qubo", ZB_FORMAT_COO },   { ".mc", ZB_FORMAT_MAXCUT },
        { ".rud", ZB_FORMAT_MAXCUT }, { ".rudy", ZB_FORMAT_MAXCUT },
        { ".bif", ZB_FORMAT_BIF },
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (zb_path_ends(path, endings[i].ending, true))
            return endings[i].format;
    return ZB_FORMAT_DETECT;
}

/* Whether the word that was read last begins a list of spins: a number, or a comment
   that no other format has. */
static bool spins_begin(const zb_scan *in)
{
    return in->length > 0 &&
           (in->word[0] == '#' || (in->word[0] >= '0' && in->word[0] <= '9'));
}

static bool begins_a_model(const zb_scan *in)
{
    bool bayes;
    return zb_scan_is(in, "p") || zb_scan_is(in, "c") || zb_uai_begins(in, &bayes);
}

/* By the first word that is no comment, which is read and held. */
static zb_status parse_contents(zb_model **out, zb_scan *in, const char *path,
                                zb_base base)
{
    bool uai = false, log = zb_path_ends(path, ".LG", true);
    bool spins = !log && !zb_path_ends(path, ".uai", true);
    zb_status status;

    if (spins && spins_begin(in))
        return zb_spins_parse(out, in, ZB_FORMAT_DETECT, base);
    if (zb_scan_is(in, "network"))
        return zb_bif_parse(out, in);
    if (in->length > 0 && spins && !begins_a_model(in))
        return zb_scan_expected(in, "MARKOV or BAYES, or two spins, which are numbers");
    if (zb_scan_is(in, "p") || zb_scan_is(in, "c")) {
        TRY(zb_cnf_try(out, in, &uai));
        if (!uai)
            return ZB_OK;
    }
    status = zb_uai_parse(out, in, log);
done:
    return status;
}

static zb_status parse(zb_model **out, zb_scan *in, const char *path,
                       const zb_reading *how)
{
    zb_format format = how->format != ZB_FORMAT_DETECT ? how->format : named(path);
    zb_status status;

    switch (format) {
    case ZB_FORMAT_UAI: return zb_uai_parse(out, in, false);
    case ZB_FORMAT_LG: return zb_uai_parse(out, in, true);
    case ZB_FORMAT_CNF: return zb_cnf_parse(out, in);
    case ZB_FORMAT_BIF: return zb_bif_parse(out, in);
    case ZB_FORMAT_SPINS:
    case ZB_FORMAT_COO:
    case ZB_FORMAT_MAXCUT: return zb_spins_parse(out, in, format, how->base);
    default: break;
    }
    TRY(zb_scan_word(in));
    zb_scan_unread(in);
    status = parse_contents(out, in, path, how->base);
done:
    return status;
}

zb_status zb_model_read_with(zb_model **out, const char *path, const zb_reading *how,
                             zb_error *err)
{
    zb_reading given = how != NULL ? *how : (zb_reading){ .format = ZB_FORMAT_DETECT };
    zb_scan in;
    zb_status status;

    if (out == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for the model");
    *out = NULL;
    if ((unsigned)given.format > ZB_FORMAT_BIF || (unsigned)given.base > ZB_BASE_1)
        return zb_fail(err, ZB_EINVAL, "no such format of models, or base: %d, %d",
                       (int)given.format, (int)given.base);
    TRY(zb_scan_open(&in, path, err));
    in.observer = given.observer;
    TRY(parse(out, &in, path, &given));
done:
    zb_scan_close(&in);
    return status;
}

zb_status zb_model_read_as(zb_model **out, const char *path, zb_format format,
                           const zb_observer *observer, zb_error *err)
{
    zb_reading how = { .format = format, .observer = observer };
    return zb_model_read_with(out, path, &how, err);
}

zb_status zb_model_read(zb_model **out, const char *path, zb_error *err)
{
    return zb_model_read_with(out, path, NULL, err);
}
