/* Signs of a pass's tables, which it keeps for itself: those of factors are known,
 * those of sums with signs follow from their cliques. */
#include "sample/proposal_state.h"

#include "base/explog.h"

zb_status zb_parity_open(zb_parity *p)
{
    p->message = zb_hold_calloc(&p->hold, (size_t)p->tree->nnodes, sizeof *p->message);
    return zb_hold_status(&p->hold);
}

void zb_parity_close(zb_parity *p) { zb_hold_free(&p->hold); }

/* The sign of sum over x of (-1)^odd e^clique, scaled by the largest term; the entries
   of a row are `rows` apart. */
static bool is_negative(size_t card, size_t rows, const double *clique,
                        const double *odd)
{
    double most = -INFINITY, sum = 0;
    for (size_t x = 0; x < card; x++)
        most = fmax(most, clique[x * rows]);
    for (size_t x = 0; x < card && most > -INFINITY; x++)
        sum += (fmod(odd[x * rows], 2) == 0 ? 1 : -1) * zb_exp(clique[x * rows] - most);
    return sum < 0;
}

zb_status zb_parity_sum(zb_parity *p, int k, const double *clique, const double *odd)
{
    size_t rows = p->tree->node[k].sep_size, card = zb_tree_states(p->tree, k);
    double *out = zb_hold_alloc(&p->hold, rows, sizeof *out);
    if (out == NULL)
        return ZB_ENOMEM;
    for (size_t s = 0; s < rows; s++)
        out[s] = is_negative(card, rows, clique + s, odd + s);
    p->message[k] = out;
    return ZB_OK;
}

bool zb_parity_input(const zb_parity *p, int input, double *out)
{
    const double *from =
        input >= 0 ? p->signs->table(p->signs->context, input) : p->message[-1 - input];
    if (from == NULL)
        return false;
    for (size_t i = 0; i < zb_tree_size(p->tree, input); i++)
        out[i] = input >= 0 ? from[i] < 0 : from[i];
    return true;
}
