/* karat gen: what its parts share. */
#ifndef KARAT_GEN_H
#define KARAT_GEN_H

#include "cli.h"
#include "cover.h"
#include "directed.h"
#include "random.h"

#include <jansson.h>

typedef enum gen_kind { GEN_RANDOM, GEN_DIRECTED, GEN_ROW, GEN_COVER } gen_kind;

/* A vector: all that its manifest says. */
typedef struct recipe {
    gen_kind kind;
    bool commits;           /* with the commits that are expected */
    directed_params device; /* all kinds: threads per warp; directed: the depth */
    uint32_t index; /* directed: which; by row: which directed_part; for coverage: number of the vector */
    int row;        /* by row */
    random_params random;  /* random: all else */
    const cover_bin *bins; /* for coverage: what it aims at */
    uint32_t num_bins;
    uint64_t elf;         /* hash of program.elf, where a manifest has said it; 0: none */
    const char *manifest; /* that one; NULL: none */
} recipe;

/* What of it can be chosen: a limit for options and manifests alike. */
#define GEN_MAX_LENGTH     50000 /* of more, not all jumps would reach their targets */
#define GEN_MAX_WARPS      32
#define GEN_MAX_VGPRS      RANDOM_ANY_VGPRS
#define GEN_MAX_WORKGROUPS 64

/* What a manifest says of the vector's files: program.elf is all of the program; the others are what a core's memory is compared with. */
enum { GEN_HASH_ELF, GEN_HASH_EXPECTED, GEN_HASH_SIGNATURE, GEN_NUM_HASH };

json_t *gen_load_json(const char *path);

/* The weights of a profile, as JSON and from it; false: one line has been said. */
json_t *gen_weights(const random_params *params);
bool gen_take_weights(const json_t *all, random_params *params, const char *path);

/* hashes: of the files; 0: there is none. cov: for coverage: what the vector covers. */
json_t *gen_manifest(const recipe *r, const row_table *table, const prog *program, const karat_cov *cov,
                     const char *name, const uint64_t hashes[GEN_NUM_HASH]);
/* The recipe in a manifest; false: one line has been said. *bins is the caller's to free. */
bool gen_take_manifest(const char *path, const row_table *table, recipe *r, cover_bin **bins);
/* The hash of that file that a manifest says; 0: none, and one line has been said. */
uint64_t gen_take_hash(const json_t *all, unsigned of, const char *path);
/* A bin from its names, ["group", "point", ...]; false: there is none. */
bool gen_take_bin(const json_t *names, const karat_cov *cov, cover_bin *bin);

/* Write the vector into a folder of its own in that one, whole or not at all. cov counts what it covers; NULL: nobody wants to know
 * (but vectors for coverage need its names). False: one line has been said. */
bool gen_write(const row_table *table, const recipe *r, const char *out, karat_cov *cov);

/* Aim vectors at the holes in a file of karat cov report --format=json. An exit status. */
int gen_cover(const row_table *table, const recipe *r, const char *holes, const char *out);

/* Compare the memory that a core has left (as $writememh writes it) with a vector's expectation. An exit status. */
int gen_compare(const char *folder, const char *dump, bool signature);

#endif
