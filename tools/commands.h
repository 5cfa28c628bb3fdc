/* Commands by the bits of app.h, as the options' table has them. */
#ifndef ZB_TOOLS_COMMANDS_H
#define ZB_TOOLS_COMMANDS_H

#include "../app/args.h"

typedef struct command_name {
    unsigned bits;
    const char *name;
} command_name;

static const command_name command_names[] = { { CMD_BOUND, "bound" },
                                              { CMD_EXACT, "exact" },
                                              { CMD_INFO, "info" },
                                              { CMD_ORDER, "order" },
                                              { CMD_FORNEY, "forney" },
                                              { CMD_COMPARE, "compare" },
                                              { CMD_SAMPLE, "sample" },
                                              { CMD_THERMO, "thermo" },
                                              { CMD_MARGINALS, "marginals" },
                                              { CMD_MAP, "map" },
                                              { CMD_EXPERIMENT, "experiment" },
                                              { CMD_GENERATE, "generate" },
                                              { CMD_ISING, "generate ising" },
                                              { CMD_REGULAR, "generate regular" },
                                              { CMD_RANDOM, "generate random" },
                                              { CMD_TREE, "generate tree" },
                                              { CMD_PEDIGREE, "generate pedigree" } };
enum { COMMAND_NAMES = sizeof command_names / sizeof *command_names };

#endif
