/* Command karat campaign: reads its options and starts the Python beside it. */
#include "subcommands.h"
#include "python_part.h"

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER", 0,
     "The campaign's folder: its results, programs and page; one that is there is resumed", 0},
    {"engine", 'e', "ENGINE", 0, "Where runs are made: local (default) or slurm", 0},
    {"jobs", 'j', "N", 0, "Runs at once on this machine, or in a shard (2)", 0},
    {"shards", 's', "N", 0, "Slurm: tasks of the job array (3)", 0},
    {"sbatch", 'S', "OPTION", 0, "Slurm: an option for sbatch, such as --partition=night; may be given again",
     0},
    {"against", 'a', "FOLDER", 0,
     "An earlier campaign to compare with; may be given again, the last one first", 0},
    {"build", 'b', "COMMAND", 0, "Bisect: builds the revision that is checked out; it runs in the checkout",
     0},
    {"good", 'g', "REVISION", 0, "Bisect: a revision without the bug", 0},
    {"bad", 'B', "REVISION", 0, "Bisect: a revision with it (HEAD)", 0},
    {"source", 'C', "FOLDER", 0, "Bisect: the Git checkout to bisect (the working folder)", 0},
    {"json", 'J', NULL, 0, "Query, compare: print the results as JSON (docs/results.schema.json)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_python *h = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case ARGP_KEY_ARG: return cli_python_word(h, arg);
    case ARGP_KEY_NO_ARGS: return cli_bad_option("expected a plan, query, page, compare or bisect");
    default:
        for (const struct argp_option *o = options; o->name; o++)
            if (o->key == key)
                return cli_python_option(h, o->name, arg);
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_campaign_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "PLAN.json\nquery FOLDER [SQL]\npage FOLDER\ncompare FOLDER EARLIER\nbisect FOLDER BUCKET",
    .doc = "Run many programs on many cores, sort the failures into buckets of one bug each, and write a "
           "page of "
           "them. Or query the results of a campaign; write its page again; compare it with an earlier one; "
           "or find the revision that broke a bucket.\v"
           "docs/campaign.md describes plan and results. A campaign that was interrupted or killed is "
           "resumed by the same command. Exit "
           "status: 0 no failure, 1 failures, 2 bad input or nothing compared, 5 interrupted.",
};

int cmd_campaign(int argc, char **argv) {
    cli_python h = {0};
    const bool parsed = cli_parse(&cmd_campaign_argp, argc, argv, &h);
    return cli_python_start(&h, parsed ? "campaign" : NULL);
}
