#include "scenario.h"

#include "scenario/scene.h"

#include <stdio.h>
#include <string.h>

/* --- The list --- */

typedef struct entry {
    const char *name, *about;
    void (*make)(scene *s);
    uint32_t groups, warps;
} entry;

static const entry entries[] = {
#define DO(name, about, groups, warps) {#name, about, play_##name, groups, warps},
    SCENARIOS(DO)
#undef DO
};

/* After these come two scenarios for each unit that writes or reads registers. */
static const struct family {
    const char *name, *about;
    void (*make)(scene *s, karat_unit unit);
} families[] = {
    {"hazards", "dependences of this unit's instructions on those of each, 1 to 5 instructions apart",
     units_hazards},
    {"collisions", "results of this unit and of others that come back together", units_collisions}};

static const uint8_t units[][14] = {
    {KARAT_UNIT_ALU, KARAT_UNIT_MUL, KARAT_UNIT_DIV, KARAT_UNIT_BRANCH, KARAT_UNIT_CSR, KARAT_UNIT_MEM,
     KARAT_UNIT_AMO, KARAT_UNIT_FP, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_TENSOR, KARAT_UNIT_SIMT,
     KARAT_UNIT_CONFIG, KARAT_NUM_UNIT},
    {KARAT_UNIT_DIV, KARAT_UNIT_MUL, KARAT_UNIT_MEM, KARAT_UNIT_AMO, KARAT_UNIT_FP, KARAT_UNIT_FDIV,
     KARAT_UNIT_SFU, KARAT_UNIT_TENSOR, KARAT_NUM_UNIT}};

enum { NUM_ENTRIES = sizeof entries / sizeof *entries, NUM_FAMILIES = sizeof families / sizeof *families };

/* The family and unit of a scenario that is none of the entries; false: there is none. */
static bool find_family(uint32_t index, const struct family **family, karat_unit *unit) {
    index -= NUM_ENTRIES;
    for (uint32_t f = 0; f < NUM_FAMILIES; f++)
        for (uint32_t i = 0; units[f][i] != KARAT_NUM_UNIT; i++, index--)
            if (!index) {
                *family = &families[f];
                *unit = units[f][i];
                return true;
            }
    return false;
}

uint32_t scenario_num(void) {
    const struct family *family;
    karat_unit unit;
    uint32_t num = NUM_ENTRIES;
    while (find_family(num, &family, &unit))
        num++;
    return num;
}

const char *scenario_about(uint32_t index, char name[DIRECTED_NAME]) {
    const struct family *family;
    karat_unit unit;
    if (index < NUM_ENTRIES) {
        snprintf(name, DIRECTED_NAME, "%s", entries[index].name);
        return entries[index].about;
    }
    if (!find_family(index, &family, &unit))
        return NULL;
    snprintf(name, DIRECTED_NAME, "%s-%s", family->name, karat_unit_name(unit));
    return family->about;
}

uint32_t scenario_find(const char *name) {
    char other[DIRECTED_NAME];
    uint32_t index = 0;
    while (scenario_about(index, other) && strcmp(other, name) != 0)
        index++;
    return index;
}

/* --- Programs --- */

/* Three of four workgroups end with their first instructions. */
static void end_at_once(scene *s) {
    prog_add(s->p, "csrrs", X_TEMP, CSR_GDX, 0);
    prog_add(s->p, "andi", X_TEMP, X_TEMP, 3);
    const int32_t stay = prog_add(s->p, "beq", X_TEMP, 0, 0);
    prog_add(s->p, "endprg");
    scene_here(s, stay);
}

bool scenario_make(const row_table *table, const directed_params *params, uint32_t index, prog *p) {
    scene s = {table, params, p, params->depth, 0};
    const struct family *family;
    karat_unit unit;
    const bool single = index < NUM_ENTRIES;
    scene_launch(&s, single ? entries[index].groups : 1, single ? entries[index].warps : 2);
    if (single && entries[index].make == play_ends)
        end_at_once(&s);
    if (single && entries[index].make == play_settings)
        prog_add(p, "vid.v", V_OTHER,
                 1); /* It runs under vl and vtype of the launch, which scene_begin() changes */
    scene_begin(&s);
    if (single)
        entries[index].make(&s);
    else if (find_family(index, &family, &unit))
        family->make(&s, unit);
    return scene_finish(&s);
}

bool scenario_hazards(const row_table *table, const directed_params *params, const scenario_hazard *list,
                      uint32_t num, prog *p) {
    enum { VARIANTS = 6 };
    scene s = {table, params, p, 0, 0};
    const hazards h = scene_hazards(&s);
    scene_launch(&s, 1, 1);
    scene_begin(&s);
    scene_clear_registers(&s);
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t variant = 0; variant < VARIANTS; variant++)
            hazard_put(&h, list[i].older, list[i].younger, list[i].kind, list[i].cls, list[i].distance,
                       variant);
    scene_fold_registers(&s);
    return scene_finish(&s);
}

bool scenario_forest(const row_table *table, const directed_params *params, uint64_t seed, prog *p) {
    scene s = {table, params, p, 0, 0};
    scene_launch(&s, 1, 1);
    scene_begin(&s);
    diverge_forest(&s, seed);
    return scene_finish(&s);
}
