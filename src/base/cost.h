/* How long work takes, before it is done: one place for every speed that plans reckon
 * with. Measured on one quiet core of a machine of 2020 (3 GHz, AVX2); they are for
 * budgets and forecasts, decide nothing about the numbers that come out, and are right
 * within a factor of three. What a search sees of its own pace on the way replaces them
 * (auto/sides.c).
 *
 *   order search           5 ns an operation
 *   exact elimination      3.3 ns a clique entry, memory fresh from the system included
 *   a pass of mini-buckets 7 ns a clique entry, all derivatives; 300 ns a mini-bucket
 *   a slice                2 ms besides its elimination
 *   a certificate          15 us a variable and 5 us a factor, its file included */
#ifndef ZB_COST_H
#define ZB_COST_H

/* Operations of an order search that are counted as one second of its budget. */
#define ZB_ORDER_SPEED 2e8

/* Seconds of eliminating cliques of so many entries in all, and the other way round. */
double zb_cost_elimination(double entries, int threads);
double zb_cost_entries_within(double seconds);

/* Seconds of one pass, forth and back, over mini-buckets of so many entries in all. */
double zb_cost_pass(double entries, double nodes);

/* Seconds of so many slices, each of so many clique entries, side by side. */
double zb_cost_slices(double slices, double entries, int threads);
/* Clique entries of a slice that fits so many bytes: an entry takes one to six of them
   in elimination, by the shape of the tree. */
double zb_cost_slice_entries(double bytes);

/* Seconds of writing down a certificate of a model of such a size. */
double zb_cost_certificate(double nvars, double nfactors);

#endif
