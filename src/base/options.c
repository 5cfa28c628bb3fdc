/* Options are declared once, in ZB_OPTIONS; everything here is generated from that
 * list. */
#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME(id, name) name,
static const char *const methods[] = { ZB_METHODS(NAME) NULL };
static const char *const sides[] = { ZB_SIDES(NAME) NULL };
static const char *const forms[] = { ZB_FORMS(NAME) NULL };
static const char *const orders[] = { ZB_ORDERS(NAME) NULL };
static const char *const optimizers[] = { ZB_OPTIMIZERS(NAME) NULL };
static const char *const stops[] = { ZB_STOPS(NAME) NULL };

const char *zb_method_name(zb_method method) { return methods[method]; }
const char *zb_side_name(zb_side side) { return sides[side]; }
const char *zb_form_name(zb_form form) { return forms[form]; }
const char *zb_order_name(zb_order order) { return orders[order]; }
const char *zb_optimizer_name(zb_optimizer optimizer) { return optimizers[optimizer]; }
const char *zb_stop_name(zb_stop stop) { return stops[stop]; }

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
const zb_option_entry *zb_options_entry(size_t i) { return &entries[i]; }

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
    for (int i = 0; e->choices[i] != NULL; i++)
        if (strcmp(e->choices[i], text) == 0) {
            memcpy(field, &(unsigned){ (unsigned)i }, sizeof(unsigned));
            return ZB_OK;
        }
    return zb_fail(err, ZB_EINVAL, "--%s: '%s' is not one of its values", e->option,
                   text);
}

static zb_status set_number(const zb_option_entry *e, void *field, const char *text,
                            zb_error *err)
{
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    bool whole = e->kind != ZB_KIND_INT || x == floor(x);
    if (end == text || *end != '\0' || isnan(x))
        return zb_fail(err, ZB_EINVAL, "--%s: expected a number, found '%s'", e->option,
                       text);
    if (x < e->least || x > e->most || !whole)
        return zb_fail(err, ZB_EINVAL, "--%s: expected %s from %g to %g, found '%s'",
                       e->option,
                       e->kind == ZB_KIND_INT ? "a whole number" : "a number", e->least,
                       e->most, text);
    if (e->kind == ZB_KIND_INT)
        *(int *)field = (int)x;
    else
        *(double *)field = x;
    return ZB_OK;
}

static zb_status set_size(const zb_option_entry *e, uint64_t *field, const char *text,
                          zb_error *err)
{
    static const char units[] = "KMGT";
    char *end;
    double x = strtod(text, &end);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        x *= ldexp(1, 10 * (int)(unit - units + 1));
        end++;
        end += *end == 'i';
        end += *end == 'B';
    }
    if (end == text || *end != '\0' || !(x >= 0 && x < 0x1p63))
        return zb_fail(err, ZB_EINVAL,
                       "--%s: expected a size such as 4G or 512M, found '%s'",
                       e->option, text);
    *field = (uint64_t)x;
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
