/* Core descriptions: what they say reaches the checker, a deviation is counted by name where it is described and a mismatch where it
 * is not, and what is wrong with a description is said in one line with its place.
 *
 * With a file as its argument: loads it, and prints what is wrong with it. */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#include "core_desc.h"

static karat_core_desc *parse(const char *text, karat_diag *diag) {
    return karat_core_desc_parse(text, strlen(text), "core.json", diag);
}

static void what_it_says(void **state) {
    (void)state;
    karat_diag diag = {""};
    karat_core_desc *d = parse("{\"core\": \"synthetic\", \"ulp\": {\"vfexp.v\": 3},\n \"deviations\": "
                               "{\"simt-order\": \"sheet 3\", "
                               "\"vadd12-signed\": \"sheet 4\"}, \"simt_order\": \"else-first\"}",
                               &diag);
    assert_non_null(d);
    karat_check_config config = judge_config();
    karat_core_desc_use(d, &config);
    assert_string_equal(config.core, "synthetic");
    assert_int_equal(config.num_bounds, 1);
    assert_string_equal(config.bounds[0].row, "vfexp.v");
    assert_int_equal(config.bounds[0].ulp, 3);
    assert_int_equal(config.model.deviations, KARAT_DEV_SIMT_ORDER | KARAT_DEV_VADD12_SIGNED);
    assert_int_equal(config.model.simt_order, KARAT_ELSE_FIRST);
    karat_core_desc_free(d);
    /* What it does not say is as the ISA has it. */
    d = parse("{\"core\": \"synthetic\"}", &diag);
    assert_non_null(d);
    karat_core_desc_use(d, &config);
    assert_int_equal(config.num_bounds, 0);
    assert_int_equal(config.model.deviations, 0);
    assert_int_equal(config.model.simt_order, KARAT_SMALLER_FIRST);
    karat_core_desc_free(d);
    karat_core_desc_free(NULL);
}

static void what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "core.json:1: expected JSON: "},
        {"{\"core\": \"x\",\n}", "core.json:2: expected JSON: "},
        {"{\"core\": \"x\"}\n{}", "core.json:2: expected JSON: end of file expected"},
        {"[]", "core.json:1: expected an object, found an array"},
        {"{\"core\": \"x\",\n\"core\": \"y\"}", "core.json:2: expected JSON: duplicate object key"},
        {"{\"core\": \"x\", \"ulp\": {\n\"vfexp.v\": 1,\n\n\"vfexp.v\": 1}}",
         "core.json:4: expected JSON: duplicate object key"},
        {"{}", "core.json:1: expected \"core\", the name that the core's HELLO gives"},
        {"{\n\"core\": \"a b\"}", "core.json:2: \"core\": expected the name"},
        {"{\n\"core\":\n7}", "core.json:2: \"core\": expected the name"},
        {"{\"core\": \"x\",\n\"ul\": {}}",
         "core.json:2: unknown key 'ul': expected core, ulp, deviations or simt_order"},
        {"{\"core\": \"x:{\\\"\",\n\"u\\n\": {}}", "core.json:2: unknown key 'u?'"},
        {"{\"core\": \"x\",\n\"ulp\": {\n\"a\\\":\": {\"b\": 1}}}",
         "core.json:3: \"ulp\": unknown instruction 'a\":'"},
        {"{\"core\": \"x\", \"ulp\": {\n\"vfexp.v\": 1,\n\"vfexp_v\": 1}}",
         "core.json:3: \"ulp\": vfexp_v is the instruction vfexp.v, which has"},
        {"{\"core\": \"x\", \"ulp\": {\n\n\"vfadd.vv\": 1}}",
         "core.json:3: \"ulp\": vfadd.vv does not approximate"},
        {"{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 65537}}",
         "core.json:1: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536"},
        {"{\"core\": \"x\", \"ulp\": {\n\"vfexp.v\": 1.5}}",
         "core.json:2: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536, found a fraction"},
        {"{\"core\": \"x\",\n\"ulp\": [{\"a\": 1}]}",
         "core.json:2: \"ulp\": expected an object of instructions and bounds, found an array"},
        {"{\"core\": \"x\",\n\"deviations\": null}",
         "core.json:2: \"deviations\": expected an object of names and reasons, found null"},
        {"{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 1}, \"deviations\": {\n\"vmv\": \"why\"}}",
         "core.json:2: unknown deviation 'vmv': expected one of vadd12-signed, simt-order"},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": \"\"}}",
         "core.json:2: deviation vadd12-signed: expected why the core does so, found nothing"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": true}}",
         "core.json:1: deviation vadd12-signed: expected why the core does so, found true or"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": \"a\",\n\"simt-order\": \"b\"}}",
         "core.json:2: deviation simt-order: expected \"simt_order\""},
        {"{\"core\": \"x\",\n\"simt_order\": \"if-first\"}",
         "core.json:2: \"simt_order\": expected the deviation simt-order in"},
        {"{\"core\": \"x\",\n\"simt_order\": \"smaller-first\"}",
         "core.json:2: \"simt_order\": expected \"if-first\" or \"else-first\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karat_diag diag = {""};
        assert_null(parse(cases[i].text, &diag));
        if (strncmp(diag.text, cases[i].said, strlen(cases[i].said)) != 0 || strchr(diag.text, '\n'))
            fail_msg("%s\n%s\nexpected %s", cases[i].text, diag.text, cases[i].said);
    }
    karat_diag diag = {""};
    assert_null(karat_core_desc_load("/nonexistent/core.json", &diag));
    assert_string_equal(diag.text, "/nonexistent/core.json: No such file or directory");
    assert_null(karat_core_desc_load("/", &diag));
    assert_string_equal(diag.text, "/: Is a directory");
    assert_null(karat_core_desc_load("/dev/zero", &diag));
    assert_non_null(strstr(diag.text, "/dev/zero: expected at most "));
}

/* A core whose vadd12.vi sign-extends its immediate, three times in each of four warps; and one that runs the if path first. */
static stream deviating(uint32_t deviations, karat_simt_order order) {
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "vadd12_vi", 8, 1, 0x800);
    put(&p, "vadd12_vi", 8, 8, 0xfff);
    put(&p, "vadd12_vi", 9, 8, 0x7ff);
    put(&p, "vsub12_vi", 9, 9, 0x900);
    put(&p, "vand_vi", 4, 1, 1, 1); /* lanes 1 and 3: a tie */
    put(&p, "auipc", 5, 0);
    put(&p, "addi", 5, 5, 20);
    put(&p, "setrpc", 0, 5, 0);
    put(&p, "vbne", 4, 0, 8);
    put(&p, "vadd_vi", 10, 1, 1, 1);
    put0(&p, "join");
    put0(&p, "endprg");
    core_options o = fixture_options();
    o.deviations = deviations;
    o.simt_order = order;
    return run_program(&p, &o);
}

static outcome judge_by(const stream *s, const char *description) {
    karat_diag diag = {""};
    karat_core_desc *d = parse(description, &diag);
    if (!d)
        fail_msg("%s", diag.text);
    karat_check_config config = judge_config();
    karat_core_desc_use(d, &config);
    outcome o = conclude(replay(s, &config));
    karat_core_desc_free(d);
    return o;
}

static int64_t named(const outcome *o, const char *name) {
    return json_integer_value(json_object_get(json_object_get(o->json, "deviations"), name));
}

static void expect(const stream *s, const char *description, const char *begins, const char *has,
                   int64_t vadd12, int64_t order) {
    outcome o = judge_by(s, description);
    if (strncmp(o.line, begins, strlen(begins)) != 0 || !strstr(o.line, has))
        fail_msg("%s\n%s\nexpected %s... %s", o.line, o.text, begins, has);
    assert_int_equal(named(&o, "vadd12-signed"), vadd12);
    assert_int_equal(named(&o, "simt-order"), order);
    assert_int_equal(count_of(&o, "deviations"), vadd12 + order);
    outcome_free(&o);
}

#define PLAIN  "{\"core\": \"synthetic\"}"
#define SIGNED "{\"core\": \"synthetic\", \"deviations\": {\"vadd12-signed\": \"a test\"}}"
#define FIRST(what)                                                                                          \
    "{\"core\": \"synthetic\", \"deviations\": {\"simt-order\": \"a test\"}, \"simt_order\": \"" what        \
    "-first\"}"

static void counted_by_name(void **state) {
    (void)state;
    stream s = deviating(KARAT_DEV_VADD12_SIGNED, KARAT_SMALLER_FIRST);
    expect(&s, SIGNED, "karat: PASS ", " deviations=12 deviation:vadd12-signed=12 cycles=", 12, 0);
    expect(&s, PLAIN, "karat: MISMATCH (wrong value written) ", " deviations=0 cycles=", 0, 0);
    stream_free(&s);
    s = deviating(0, KARAT_IF_FIRST);
    expect(&s, FIRST("if"), "karat: PASS ", " deviations=4 deviation:simt-order=4 cycles=", 0, 4);
    expect(&s, PLAIN, "karat: MISMATCH (wrong SIMT outcome) ", " deviations=0 cycles=", 0, 0);
    stream_free(&s);
}

/* A core that does what the ISA says is no other one's, and no use of a deviation is said in so many words. */
static void not_used(void **state) {
    (void)state;
    stream s = deviating(0, KARAT_SMALLER_FIRST);
    expect(&s, PLAIN, "karat: PASS ", " deviations=0 cycles=", 0, 0);
    expect(&s, FIRST("else"), "karat: PASS ", " deviations=0 deviation:simt-order=0 cycles=", 0, 0);
    expect(&s, SIGNED, "karat: MISMATCH (wrong value written) ",
           " deviations=1 deviation:vadd12-signed=1 cycles=", 1, 0);
    stream_free(&s);
}

static void of_another_core(void **state) {
    (void)state;
    stream s = deviating(0, KARAT_SMALLER_FIRST);
    outcome o = judge_by(&s, "{\"core\": \"ingot\"}");
    assert_int_equal(o.verdict, KARAT_BAD_INPUT);
    assert_non_null(strstr(o.text, "HELLO is of core synthetic; the description is of core ingot"));
    outcome_free(&o);
    stream_free(&s);
}

int main(int argc, char **argv) {
    if (argc == 2) {
        karat_diag diag;
        karat_core_desc *d = karat_core_desc_load(argv[1], &diag);
        if (!d)
            puts(diag.text);
        const int status = d ? 0 : 2;
        karat_core_desc_free(d);
        return status;
    }
    const struct CMUnitTest list[] = {
        cmocka_unit_test(what_it_says), cmocka_unit_test(what_is_wrong),   cmocka_unit_test(counted_by_name),
        cmocka_unit_test(not_used),     cmocka_unit_test(of_another_core),
    };
    return _cmocka_run_group_tests("core descriptions", list, sizeof list / sizeof *list, NULL, NULL);
}
