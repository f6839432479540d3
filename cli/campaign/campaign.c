/* Command karat campaign: reads its options and starts the Python beside it. */
#include "subcommands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

typedef struct hand_over {
    char **options, **words;
    size_t num_option, num_word;
} hand_over;

/* "--name=value", so that the Python part needs no list of options. value: NULL where the option has none. */
static error_t add(hand_over *h, const struct argp_option *option, const char *value) {
    value = value ? value : "";
    const size_t size = strlen(option->name) + strlen(value) + 4;
    char *text = malloc(size);
    if (!text)
        return ENOMEM;
    snprintf(text, size, "--%s=%s", option->name, value);
    h->options[h->num_option++] = text;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    hand_over *h = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case ARGP_KEY_ARG: h->words[h->num_word++] = arg; return 0;
    case ARGP_KEY_NO_ARGS: return cli_bad_option("expected a plan, query, page, compare or bisect");
    default:
        for (const struct argp_option *o = options; o->name; o++)
            if (o->key == key)
                return add(h, o, arg);
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

/* The Python part: beside this program's folder, in share/karat. False: there is none. */
static bool find_self(char self[PATH_MAX], char script[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    const char *end = strrchr(self, '/');
    const int size =
        snprintf(script, PATH_MAX, "%.*s/../share/karat/campaign/__main__.py", (int)(end - self), self);
    return size < PATH_MAX && access(script, R_OK) == 0;
}

int cmd_campaign(int argc, char **argv) {
    static char python[] = "/usr/bin/python3", no_cache[] = "-B", karat[] = "--karat", last[] = "--";
    char self[PATH_MAX], script[PATH_MAX];
    const size_t room = (size_t)argc + 1;
    hand_over h = {.options = calloc(room, sizeof(char *)), .words = calloc(room, sizeof(char *))};
    char **command = calloc(2 * room + 8, sizeof(char *));
    int status = CLI_BAD_INPUT;
    if (!h.options || !h.words || !command) {
        cli_error("not enough memory");
    } else if (cli_parse(&cmd_campaign_argp, argc, argv, &h)) {
        if (find_self(self, script)) {
            size_t n = 0;
            command[n++] = python;
            command[n++] = no_cache;
            command[n++] = script;
            command[n++] = karat;
            command[n++] = self;
            for (size_t i = 0; i < h.num_option; i++)
                command[n++] = h.options[i];
            command[n++] = last;
            for (size_t i = 0; i < h.num_word; i++)
                command[n++] = h.words[i];
            execv(python, command);
            cli_error("%s: %s", python, strerror(errno));
        } else {
            cli_error("its Python part is not installed: no share/karat/campaign beside the folder of karat");
        }
    }
    for (size_t i = 0; h.options && i < h.num_option; i++)
        free(h.options[i]);
    free(h.options);
    free(h.words);
    free(command);
    return status;
}
