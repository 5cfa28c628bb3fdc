/* A gauge transformation worked through: four ternary factors, each joined to each of
   the others by one binary variable. Every variable carries the same matrix G, its
   first factor is multiplied by G and its second by the inverse transpose. The tables
   change, and become negative in places; the sum over all states does not. */
#include <math.h>
#include <stdio.h>
#include <zbound.h>

enum { FACTORS = 4, VARIABLES = 6 };

static const int scope[FACTORS][3] = {
    { 0, 1, 2 }, { 0, 3, 4 }, { 1, 3, 5 }, { 2, 4, 5 }
};
static const double table[FACTORS][8] = {
    { 2432, 832, 4672, 640, 4864, 384, 5120, 4160 },
    { 1088, 128, 4928, 4608, 448, 1664, 3264, 1344 },
    { 1216, 5440, 768, 1856, 1920, 960, 3264, 4416 },
    { 5632, 5632, 6080, 6208, 5568, 896, 640, 512 },
};
static const double transformed[FACTORS][8] = {
    { 2837, 1559, 3591, 2077, 3631, 2005, 4261, 3143 },
    { 2142, 1434, 4634, 4558, 966, 1490, 1490, 758 },
    { 3960, 8808, -1608, -2520, -328, -3288, 6520, 8296 },
    { 2408, 9160, 10760, 9192, 14536, -6232, -7448, -1208 },
};
static const double PARTITION = 5070006459039744;

/* sum over the 64 states of the product of the tables */
static double sum_states(double value[FACTORS][8])
{
    double sum = 0;
    for (int x = 0; x < 1 << VARIABLES; x++) {
        double product = 1;
        for (int f = 0; f < FACTORS; f++) {
            int at = 0;
            for (int i = 0; i < 3; i++)
                at = 2 * at + (x >> scope[f][i] & 1);
            product *= value[f][at];
        }
        sum += product;
    }
    return sum;
}

static zb_status build(zb_gauges **gauges, zb_error *err)
{
    const int card[VARIABLES] = { 2, 2, 2, 2, 2, 2 };
    const double g[4] = { 0.75, 0.25, 0.25, 0.75 };
    zb_model *model = NULL;
    zb_status status = zb_model_new(&model, VARIABLES, card);
    for (int f = 0; f < FACTORS && status == ZB_OK; f++)
        status = zb_model_add(model, 3, scope[f], table[f]);
    if (status == ZB_OK)
        status = zb_gauges_new(gauges, model, err);
    for (int v = 0; v < VARIABLES && status == ZB_OK; v++)
        status = zb_gauges_set(*gauges, v, g);
    zb_model_free(model);
    return status;
}

int main(void)
{
    zb_error err = { "" };
    zb_gauges *gauges = NULL;
    double value[FACTORS][8], worst = 0;
    zb_status status = build(&gauges, &err);

    for (int f = 0; f < FACTORS && status == ZB_OK; f++) {
        status = zb_gauges_values(gauges, f, value[f]);
        printf("f%d:", f);
        for (int i = 0; i < 8; i++) {
            printf(" %6.0f", value[f][i]);
            worst = fmax(worst, fabs(value[f][i] - transformed[f][i]));
        }
        printf("\n");
    }
    zb_gauges_free(gauges);
    if (status != ZB_OK) {
        fprintf(stderr, "%s: %s\n", zb_status_text(status), err.text);
        return 1;
    }
    double z = sum_states(value);
    printf("Z = %.0f after the transformation, %.0f before\n", z, PARTITION);
    return worst < 1e-9 && fabs(z / PARTITION - 1) < 1e-12 ? 0 : 1;
}
