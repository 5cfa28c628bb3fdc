/* Options are declared once, in ZB_OPTIONS; everything here is generated from that
 * list. */
#include "base/decimal.h"
#include "base/method.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME(id, name) name,
static const char *const methods[] = { ZB_METHODS(NAME) NULL };
static const char *const sides[] = { ZB_SIDES(NAME) NULL };
static const char *const forms[] = { ZB_FORMS(NAME) NULL };
static const char *const orders[] = { ZB_ORDERS(NAME) NULL };
static const char *const optimizers[] = { ZB_OPTIMIZERS(NAME) NULL };
static const char *const stops[] = { ZB_STOPS(NAME) NULL };

#define COUNT(names) (sizeof(names) / sizeof *(names)-1)

/* Any number may stand in an enum; those that mean nothing are "unknown". */
static const char *name_of(const char *const *names, size_t count, unsigned i)
{
    return i < count ? names[i] : "unknown";
}

const char *zb_method_name(zb_method m) { return name_of(methods, COUNT(methods), m); }
const char *zb_side_name(zb_side s) { return name_of(sides, COUNT(sides), s); }
const char *zb_form_name(zb_form f) { return name_of(forms, COUNT(forms), f); }
const char *zb_order_name(zb_order o) { return name_of(orders, COUNT(orders), o); }
const char *zb_optimizer_name(zb_optimizer o)
{
    return name_of(optimizers, COUNT(optimizers), o);
}
const char *zb_stop_name(zb_stop s) { return name_of(stops, COUNT(stops), s); }

#define CHOICES_METHOD methods
#define CHOICES_SIDE sides
#define CHOICES_FORM forms
#define CHOICES_ORDER orders
#define CHOICES_OPTIMIZER optimizers
#define CHOICES_INT NULL
#define CHOICES_REAL NULL
#define CHOICES_SIZE NULL
#define CHOICES_SEED NULL
#define ENTRY(kind, field, option, value, least, most, help)                           \
    { ZB_KIND_##kind, option, CHOICES_##kind, offsetof(zb_options, field), least,      \
      most,           help },

static const zb_option_entry entries[] = { ZB_OPTIONS(ENTRY) };

size_t zb_options_count(void) { return sizeof entries / sizeof *entries; }

const zb_option_entry *zb_options_entry(size_t i)
{
    return i < zb_options_count() ? &entries[i] : NULL;
}

zb_options zb_options_default(void)
{
    zb_options opt = {
#define DEFAULT(kind, field, option, value, least, most, help) .field = value,
        ZB_OPTIONS(DEFAULT)
    };
    return opt;
}

static zb_status set_choice(const zb_option_entry *e, void *field, const char *text,
                            zb_error *err)
{
    char all[160] = "";
    for (int i = 0; e->choices[i] != NULL; i++) {
        size_t used = strlen(all);
        if (strcmp(e->choices[i], text) == 0) {
            memcpy(field, &(unsigned){ (unsigned)i }, sizeof(unsigned));
            return ZB_OK;
        }
        snprintf(all + used, sizeof all - used, " %s", e->choices[i]);
    }
    return zb_fail(err, ZB_EINVAL, "--%s: expected one of%s; found '%.60s'", e->option,
                   all, text);
}

static bool in_range(const zb_option_entry *e, double x)
{
    return x >= e->least && x <= e->most && (e->kind != ZB_KIND_INT || x == floor(x));
}

static const char *range_text(const zb_option_entry *e, char text[80])
{
    snprintf(text, 80, "a %snumber from %.15g to %.15g",
             e->kind == ZB_KIND_INT ? "whole " : "", e->least, e->most);
    return text;
}

static zb_status set_number(const zb_option_entry *e, void *field, const char *text,
                            zb_error *err)
{
    char range[80];
    double x;
    zb_status status = zb_decimal_read(&x, text, text + strlen(text));
    if (status == ZB_EINVAL)
        return zb_fail(err, status, "--%s: expected a number, found '%s'", e->option,
                       text);
    if (status != ZB_OK)
        return zb_fail(err, status, "--%s: out of memory", e->option);
    if (!in_range(e, x))
        return zb_fail(err, ZB_EINVAL, "--%s: expected %s, found '%s'", e->option,
                       range_text(e, range), text);
    if (e->kind == ZB_KIND_INT)
        *(int *)field = (int)x;
    else
        *(double *)field = x;
    return ZB_OK;
}

/* A number, then K, M, G or T, then i, B or iB or nothing: powers of 1024 all. */
static zb_status set_size(const zb_option_entry *e, uint64_t *field, const char *text,
                          zb_error *err)
{
    static const char units[] = "KMGT";
    const char *end = text + strcspn(text, units), *rest = end + (*end != '\0');
    double x = -1, unit = 1;
    if (*end != '\0')
        unit = ldexp(1, 10 * (int)(strchr(units, *end) - units + 1));
    rest += *end != '\0' && *rest == 'i';
    rest += *end != '\0' && *rest == 'B';
    zb_status status = *rest == '\0' ? zb_decimal_read(&x, text, end) : ZB_EINVAL;
    if (status == ZB_ENOMEM)
        return zb_fail(err, status, "--%s: out of memory", e->option);
    if (status != ZB_OK || !(x >= 0 && x * unit < 0x1p63))
        return zb_fail(err, ZB_EINVAL,
                       "--%s: expected a size such as 4G or 512M, found '%s'",
                       e->option, text);
    *field = (uint64_t)(x * unit);
    return ZB_OK;
}

static zb_status set_seed(const zb_option_entry *e, uint64_t *field, const char *text,
                          zb_error *err)
{
    char *end;
    errno = 0;
    unsigned long long x = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL)
        return zb_fail(err, ZB_EINVAL, "--%s: expected a whole number, found '%s'",
                       e->option, text);
    *field = x;
    return ZB_OK;
}

zb_status zb_options_set(zb_options *opt, const char *option, const char *text,
                         zb_error *err)
{
    if (opt == NULL || option == NULL || text == NULL)
        return zb_fail(err, ZB_EINVAL, "no options, no option's name or no value");
    for (size_t i = 0; i < zb_options_count(); i++) {
        const zb_option_entry *e = &entries[i];
        void *field = (char *)opt + e->offset;
        if (strcmp(e->option, option) != 0)
            continue;
        switch (e->kind) {
        case ZB_KIND_INT:
        case ZB_KIND_REAL: return set_number(e, field, text, err);
        case ZB_KIND_SIZE: return set_size(e, field, text, err);
        case ZB_KIND_SEED: return set_seed(e, field, text, err);
        default: return set_choice(e, field, text, err);
        }
    }
    return zb_fail(err, ZB_EINVAL, "--%s: no such option", option);
}

/* ---- a struct that anybody may have filled --------------------------------------- */

static zb_status check_choice(const zb_option_entry *e, const void *field,
                              zb_error *err)
{
    unsigned count = 0, i;
    memcpy(&i, field, sizeof i);
    while (e->choices[count] != NULL)
        count++;
    if (i < count)
        return ZB_OK;
    return zb_fail(err, ZB_EINVAL,
                   "option '%s': expected a value from 0 to %u, found %d", e->option,
                   count - 1, (int)i);
}

static zb_status check_number(const zb_option_entry *e, const void *field,
                              zb_error *err)
{
    char range[80];
    double x = e->kind == ZB_KIND_INT ? *(const int *)field : *(const double *)field;
    if (in_range(e, x))
        return ZB_OK;
    return zb_fail(err, ZB_EINVAL, "option '%s': expected %s, found %.15g", e->option,
                   range_text(e, range), x);
}

static zb_status check_side(const zb_options *opt, zb_error *err)
{
    if (zb_method_has_side(opt->method, opt->side))
        return ZB_OK;
    const zb_method_row *m = zb_method_find(opt->method);
    if (!m->upper && !m->lower)
        return zb_fail(err, ZB_EINVAL,
                       "option 'side': method '%s' gives an estimate and no %s bound; "
                       "ask for 'both'",
                       zb_method_name(opt->method), zb_side_name(opt->side));
    return zb_fail(
        err, ZB_EINVAL,
        "option 'side': method '%s' has no %s bound; ask for '%s' or 'both'",
        zb_method_name(opt->method), zb_side_name(opt->side),
        zb_side_name(opt->side == ZB_SIDE_UPPER ? ZB_SIDE_LOWER : ZB_SIDE_UPPER));
}

zb_status zb_options_check(const zb_options *opt, zb_error *err)
{
    zb_status status = ZB_OK;
    if (opt == NULL)
        return zb_fail(err, ZB_EINVAL, "no options");
    for (size_t i = 0; i < zb_options_count() && status == ZB_OK; i++) {
        const zb_option_entry *e = &entries[i];
        const void *field = (const char *)opt + e->offset;
        if (e->choices != NULL)
            status = check_choice(e, field, err);
        else if (e->kind == ZB_KIND_INT || e->kind == ZB_KIND_REAL)
            status = check_number(e, field, err);
    }
    if (status == ZB_OK && opt->order == ZB_ORDER_FILE && opt->order_list == NULL)
        status = zb_fail(err, ZB_EINVAL,
                         "option 'order': an order was asked for but none given");
    return status == ZB_OK ? check_side(opt, err) : status;
}
