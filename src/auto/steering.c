#include "auto/steering.h"

#include "auto/bracket.h"
#include "auto/helpers.h"
#include "auto/steer.h"

/* clang-format off */
#define ZEROS ZB_FACT_ZEROS
#define COUNTING ZB_FACT_COUNTING
#define DENSE ZB_FACT_DENSE
#define LARGE ZB_FACT_LARGE
#define MISFIT ZB_FACT_MISFIT
#define SINGLE ZB_FACT_SINGLE

const zb_steering ZB_STEERING = {
    /* What takes no time first; then a quick bracket, in case the run is stopped; then
       what may end exact; then rounds.

        what                forecast  share   at most    without a clock */
    .stage = {
        { zb_stage_exact,   0.5,      1,      0.2,       0.2      },
        { zb_stage_bracket, 1,        0.1,    0.25,      0        },
        { zb_stage_exact,   0.7,      1,      INFINITY,  3600     },
        { zb_stage_slices,  0.6,      0.7,    INFINITY,  3600     },
        { zb_stage_help,    1,        1,      INFINITY,  0        },
        { zb_stage_rounds,  1,        1,      INFINITY,  INFINITY },
    },

    /* A bracket: bounds that cost next to nothing, small mini-buckets of every kind,
       what zeros or density call for, then the kind that did best, as large as the
       round can pay for.

        what                share  until  when              unless */
    .step = {
        { zb_step_lower,    0.02,  false, 0,                0              },
        { zb_step_look,     1,     false, 0,                0              },
        { zb_step_first,    0.06,  false, 0,                LARGE          },
        { zb_step_second,   0.06,  false, 0,                LARGE | ZEROS  },
        { zb_step_second,   0.15,  false, ZEROS,            LARGE          },
        { zb_step_early,    0.35,  true,  ZEROS,            0              },
        { zb_step_early,    0.3,   true,  DENSE,            ZEROS | MISFIT },
        { zb_step_early,    0.3,   true,  SINGLE,           DENSE | ZEROS | MISFIT },
        { zb_step_count,    0.6,   false, ZEROS | COUNTING, 0              },
        { zb_step_count,    0.3,   false, ZEROS,            COUNTING       },
        { zb_step_baseline, 0.3,   false, MISFIT,           0              },
        { zb_step_baseline, 0.15,  false, DENSE,            MISFIT         },
        { zb_step_baseline, 0.25,  false, SINGLE,           MISFIT | DENSE },
        { zb_step_meet,     0.02,  false, 0,                LARGE          },
        { zb_step_state,    0.05,  false, 0,                LARGE          },
        { zb_step_long,     0.98,  true,  0,                LARGE          },
        { zb_step_long,     0.95,  true,  LARGE,            0              },
        { zb_step_rest,     0.98,  true,  0,                0              },
        { zb_step_draw,     0.98,  true,  0,                0              },
        { zb_step_rest,     0.98,  true,  0,                0              },
    },

    /* A round that would leave less than the next one takes everything. */
    .round_first = 1, .round_ratio = 4,
    .order_share = 0.05, .order_least = 0.01, .order_most = 3,
    .large = 0.04, .dense = 8,

    .plain = { ZB_METHOD_WMBE_WTHETA, ZB_FORM_ORIGINAL },
    .gauged = { ZB_METHOD_WMBE_WG, ZB_FORM_AUTO },
    .first_iterations = 100, .long_iterations = 2000,
    .misfit_passes = 30,
    .first_passes = 100, .upper_passes = 50, .lower_passes = 150,
    .lost_forests = 0.1, .lost_field = 0.5,
    .leap = 2, .leap_most = 6, .leap_share = 0.35, .size_most = 40, .size_gauged = 8,
    .trial_passes = 20, .poor_passes = 11, .poor = 0.1,
    .known_passes = 100, .known_share = 0.05, .explored = { 0.5, 0.1 },
    .rung_passes = 35, .rung_least = { 15, 25 }, .rung_most = 90, .rung_share = 0.6, .rung_last = 0.9,
    .kept_share = 0.3,
    .gain_first = 0.1, .gain_least = 0.01, .step_most = 0.3, .lag_most = 4,
    .race_iterations = 100, .race_share = 0.05, .race_few = { 3, 6 }, .race_decide = { 10, 15 },
    .race_most = 2,
    .slice_share = 0.05, .slice_passes = 12,
    .rest = 0.05, .again = 0.1,
    .search_unlimited = 20, .search_ratio = 4, .gain = 1e-3,
    .count_unlimited = 600, .count_judged = 0.25, .count_trial = 0.2, .count_lag = 40,
    .lost_count = 0.1, .count_leader = 0.9,
    .support_slices = 40, .state_slices = 8, .draw_every = 0.25, .state_after = 0.3, .state_trial = 0.15,
};
/* clang-format on */
