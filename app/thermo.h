/* `thermo`: what a model does along the inverse temperature. k = 1 throughout.
 *
 * Every factor is raised to beta, so that f(beta) = ln Z(beta) = ln sum exp(-beta E)
 * with the energy E = -ln of the product of the factors. f is convex, so that its
 * derivative, minus the mean energy, lies between the slopes of secants to the left and
 * to the right of beta; brackets of f on both sides give a proved bracket of it:
 *
 *     (lower(b) - upper(a)) / (b - a)  <=  f'(b)  <=  (upper(c) - lower(b)) / (c - b)
 *
 * for all a < b < c at which f was bounded. f(0) is at most the logarithm of the number
 * of states, which costs nothing; energies also lie between the sums of the factors'
 * extreme ones. Entropy is f - beta f', from 0 to the logarithm of the number of
 * states. The heat capacity beta^2 f'' is a second difference, an estimate; it is there
 * where f is exact. */
#ifndef ZB_APP_THERMO_H
#define ZB_APP_THERMO_H

#include "input.h"

typedef struct thermo_point { /* at one beta: asked for, or beside one that was */
    double beta, upper;       /* of f */
} thermo_point;

typedef struct thermo_bracket {
    double lower, upper; /* infinite: that side is not known */
} thermo_bracket;

typedef struct thermo_row {
    double beta;
    thermo_bracket log_z, free_energy, energy, entropy;
    double heat_capacity; /* NAN: not known */
    bool exact;
    double seconds;
} thermo_row;

typedef struct thermo {
    double *beta; /* asked for, ascending */
    int count, rows;
    thermo_row *row;
    thermo_point *point;
    int points;
    thermo_bracket range; /* of energies, by the factors' entries */
    double states;        /* ln of their number, or above */
} thermo;

/* From all points, what a row says beyond ln Z and the heat capacity. */
void thermo_derive(thermo *t);

/* The rows as a table of a page. */
void thermo_table(const thermo *t, FILE *out);

int thermo_print(const thermo *t, const app_args *args, const app_input *in, FILE *out);
/* --plot FILE: an SVG file. */
int thermo_plot(const thermo *t, const app_args *args, const app_input *in);
/* The curves per variable, of one row at least: a file of its own, or in a page, side
   by side or one below the other. False: out of memory. */
typedef enum thermo_look { THERMO_ALONE, THERMO_WIDE, THERMO_NARROW } thermo_look;
bool thermo_chart(const thermo *t, double sites, FILE *out, thermo_look look);

#endif
