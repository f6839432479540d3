/* Command karat gen: the common part. */
#ifndef KARAT_GEN_H
#define KARAT_GEN_H

#include "cli.h"
#include "cover.h"
#include "directed.h"
#include "pages.h"
#include "random.h"

#include <jansson.h>

typedef enum gen_kind { GEN_RANDOM, GEN_DIRECTED, GEN_ROW, GEN_COVER, GEN_PAGES } gen_kind;

/* A vector: the contents of its manifest. */
typedef struct recipe {
    gen_kind kind;
    karat_profile profile;
    bool commits;           /* Write the commits that are expected, too */
    directed_params device; /* All kinds: threads per warp; directed: the depth */
    uint32_t index;         /* Directed, pages: which; by row: which directed_part */
    int row;                /* The vectors are by row */
    random_params random;   /* Parameters of random and all else */
    const cover_bin *bins;  /* For coverage: its target bins */
    uint32_t num_bins;
    uint64_t elf;         /* Hash of program.elf from a manifest; 0: none */
    const char *manifest; /* The manifest of the one vector; NULL: none */
} recipe;

/* The limits of its parameters, for options and manifests. */
#define GEN_MAX_LENGTH     1000000
#define GEN_MAX_WARPS      32
#define GEN_MAX_VGPRS      RANDOM_ANY_VGPRS
#define GEN_MAX_WORKGROUPS 64

/* The hashes of a vector's files in its manifest: program.elf is the whole program; a core's memory is
 * compared with the others. */
enum { GEN_HASH_ELF, GEN_HASH_EXPECTED, GEN_HASH_SIGNATURE, GEN_NUM_HASH };

json_t *gen_load_json(const char *path);

/* Empty coverage of its device, with translation: of the programs about pages. NULL: an error was
 * reported. */
karat_cov *gen_pages_cov(const recipe *r);

/* The weights of a profile, as JSON and from it; false: an error was reported. */
json_t *gen_weights(const random_params *params);
bool gen_take_weights(const json_t *all, random_params *params, const char *path);

/* The hashes are those of the files; 0: there is none. cov is the vector's coverage, for kind cover. */
json_t *gen_manifest(const recipe *r, const row_table *table, const prog *program, const karat_cov *cov,
                     const char *name, const uint64_t hashes[GEN_NUM_HASH]);
/* The recipe in a manifest; false: an error was reported. The caller frees *bins. */
bool gen_take_manifest(const char *path, const row_table *table, recipe *r, cover_bin **bins);
/* The profile of the ISA that a manifest names; false: an error was reported. */
bool gen_take_profile(const char *path, karat_profile *profile);
/* The hash of that file in a manifest; 0: none, and an error was reported. */
uint64_t gen_take_hash(const json_t *all, unsigned of, const char *path);
/* A bin from its names, ["group", "point", ...]; false: there is none. */
bool gen_take_bin(const json_t *names, const karat_cov *cov, cover_bin *bin);

/* Write the vector into a folder of its own in that one, complete or not at all; false after a signal, too.
 * cov counts its coverage; NULL: not needed (except for vectors for coverage, which need its names). False:
 * an error was reported. */
bool gen_write(const row_table *table, const recipe *r, const char *out, karat_cov *cov);

/* After the last of them: prints the vectors written as JSON where that is asked for, with the results in
 * *cover of gen cover (NULL: none). ok: no error was reported. Returns the exit status: CLI_INCOMPLETE where
 * a signal has ended it. */
int gen_report(bool ok, json_t *cover);

/* Aim vectors at the holes in a file of karat cov report --format=json. An exit status. */
int gen_cover(const row_table *table, const recipe *r, const char *holes, const char *out);

/* Make mutations of a program, with parts of another one, that run on the model without a race or another
 * dependence on the core: count files mutant-SEED.elf in that folder, from that seed on; fewer where none is
 * found. An exit status. */
int gen_mutate(const row_table *table, const recipe *r, char *const file[2], uint64_t count, const char *out);

/* The program of an ELF file that vectors have; false: an error was reported. */
bool gen_take_program(const char *path, karat_profile profile, prog *p);

/* Results are uncertain by reads of registers and of local memory that nothing has written; stores over
 * the program's own code; local or private memory beyond the launch's, and whatever else the model warns
 * of. */
enum {
    GEN_UNWRITTEN_REGISTER = 1,
    GEN_UNWRITTEN_LDS = 2,
    GEN_UNWRITTEN = GEN_UNWRITTEN_REGISTER | GEN_UNWRITTEN_LDS,
    GEN_STORES_CODE = 4,
    GEN_WARNED = 8
};
typedef struct gen_limits {
    karat_profile profile;
    uint32_t threads;
    uint64_t steps;
    uint32_t strict; /* KARAT_STRICT_*: policies that it may not break */
} gen_limits;
/* The steps on the model of the program in that file; 0: it does not run within the limits. *uncertain:
 * GEN_*. */
uint64_t gen_model_steps(prog *p, char *file, const gen_limits *limits, unsigned *uncertain);

/* Compare the memory that a core has left (as $writememh writes it) with a vector's expectation. An exit
 * status. */
int gen_compare(const char *folder, const char *dump, bool signature);

#endif
