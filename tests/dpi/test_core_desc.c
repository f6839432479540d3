/* Core descriptions: what they say reaches the checker, a deviation is counted by name where it is
 * described and a mismatch where it is not, and what is wrong with a description is said in one line with
 * its place.
 *
 * With a file as its argument: loads it, and prints what is wrong with it. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_desc.h"

static karat_core_desc *parse(const char *text, karat_diag *diag) {
    return karat_core_desc_parse(text, strlen(text), "core.json", diag);
}

TEST(what_it_says) {
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
    /* Everything that it does not mention is as in the ISA. */
    d = parse("{\"core\": \"synthetic\"}", &diag);
    assert_non_null(d);
    karat_core_desc_use(d, &config);
    assert_int_equal(config.num_bounds, 0);
    assert_int_equal(config.model.deviations, 0);
    assert_int_equal(config.model.simt_order, KARAT_SMALLER_FIRST);
    karat_core_desc_free(d);
    /* A reason in four parts, of which the last says whose fault it is. */
    d = parse("{\"core\": \"synthetic\", \"simt_order\": \"if-first\", \"deviations\": {"
              "\"vadd12-signed\": {\"core\": \"a\", \"isa\": \"b\", \"seen\": \" c\", \"is\": \"design\"}, "
              "\"simt-order\": {\"core\": \"a\", \"isa\": \"b\", \"seen\": \"c\", \"is\": \"bug\"}}}",
              &diag);
    assert_non_null(d);
    karat_core_desc_use(d, &config);
    assert_int_equal(config.model.deviations, KARAT_DEV_SIMT_ORDER | KARAT_DEV_VADD12_SIGNED);
    assert_int_equal(config.bugs, KARAT_DEV_SIMT_ORDER);
    assert_int_equal(config.model.simt_order, KARAT_IF_FIRST);
    karat_core_desc_free(d);
    d = parse("{\"core\": \"synthetic\", \"known\": {\"a\": \"wrong value written, vfdiv.v[vf] (*inf*\", "
              "\"b\": \"wrong operand read, lw\"}}",
              &diag);
    assert_non_null(d);
    karat_core_desc_use(d, &config);
    assert_int_equal(config.num_known, 2);
    assert_string_equal(config.known[0].name, "a");
    assert_string_equal(config.known[1].pattern, "wrong operand read, lw");
    karat_core_desc_free(d);
    karat_core_desc_free(NULL);
}

TEST(what_is_wrong) {
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
        {"{}", "core.json:1: expected \"core\", the name in the core's HELLO"},
        {"{\n\"core\": \"a b\"}", "core.json:2: \"core\": expected the name"},
        {"{\n\"core\":\n7}", "core.json:2: \"core\": expected the name"},
        {"{\"core\": \"x\", \"known\": {\n\"a\": \"wrong value, vfdiv.vv\"}}",
         "core.json:2: \"known\": a: expected a kind of mismatch, a comma and an instruction, as in "},
        {"{\"core\": \"x\", \"known\": {\"a\": \"no progress, vfdiv.vv\"}}",
         "core.json:1: \"known\": a: expected a kind of mismatch"},
        {"{\"core\": \"x\", \"known\": {\"a\": \"wrong value written, vfdvi.vv (*\"}}",
         "core.json:1: \"known\": a: expected an instruction after the kind of mismatch (karat isa"},
        {"{\"core\": \"x\", \"known\": {\"a b\": \"wrong value written, vfdiv.vv\"}}",
         "core.json:1: \"known\": 'a b': expected a name of 1 to 31 printable characters"},
        {"{\"core\": \"x\",\n\"ul\": {}}",
         "core.json:2: unknown key 'ul': expected core, profile, ulp, deviations, simt_order, "
         "absent or known"},
        {"{\"core\": \"x:{\\\"\",\n\"u\\n\": {}}", "core.json:2: unknown key 'u?'"},
        {"{\"core\": \"x\",\n\"ulp\": {\n\"a\\\":\": {\"b\": 1}}}",
         "core.json:3: \"ulp\": unknown instruction 'a\":'"},
        {"{\"core\": \"x\", \"ulp\": {\n\"vfexp.v\": 1,\n\"vfexp_v\": 1}}",
         "core.json:3: \"ulp\": vfexp_v is the instruction vfexp.v, which has"},
        {"{\"core\": \"x\", \"ulp\": {\n\n\"vfadd.vv\": 1}}",
         "core.json:3: \"ulp\": vfadd.vv does not approximate"},
        {"{\"core\": \"x\", \"ulp\": {\"mma\": 1,\n\"mma.m8n8k8.row.row.f16.f16.f16.f16\": 1}}",
         "core.json:2: \"ulp\": expected \"mma\", the bound of all matrix products, found mma.m8n8k8.row"},
        {"{\"core\": \"x\", \"ulp\": {\"mma\": 65537}}",
         "core.json:1: \"ulp\" of mma: expected a whole number from 0 to 65536"},
        {"{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 65537}}",
         "core.json:1: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536"},
        {"{\"core\": \"x\", \"ulp\": {\n\"vfexp.v\": 1.5}}",
         "core.json:2: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536, found a fraction"},
        {"{\"core\": \"x\",\n\"ulp\": [{\"a\": 1}]}",
         "core.json:2: \"ulp\": expected an object of instructions and bounds, found an array"},
        {"{\"core\": \"x\",\n\"deviations\": null}",
         "core.json:2: \"deviations\": expected an object of names and reasons, found null"},
        {"{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 1}, \"deviations\": {\n\"vmv\": \"why\"}}",
         "core.json:2: unknown deviation 'vmv': expected one of vadd12-signed, simt-order, machine-csrs, "
         "third-operand-apart, compare-immediate-signed, usage-too-small, ended-warps-arrive, "
         "prefix-last-wins, packed-fma-twice, bf16-nan-kept, diverged-warps-arrive"},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": \"\"}}",
         "core.json:2: deviation vadd12-signed: expected why the core does so, found nothing"},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": \" \\t\"}}",
         "core.json:2: deviation vadd12-signed: expected why the core does so, found nothing"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": true}}",
         "core.json:1: deviation vadd12-signed: expected why the core does so, found true or"},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": {\"core\": \"a\", \"isa\": 3}}}",
         "core.json:2: deviation vadd12-signed: expected \"isa\": what the ISA says"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": {}}}",
         "core.json:1: deviation vadd12-signed: expected \"core\": what the core does"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": {\"core\": \"a\", \"isa\": \"b\", \"seen\": "
         "\" \"}}}",
         "core.json:1: deviation vadd12-signed: expected \"seen\": where it was seen"},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": {\"core\": \"a\", \"isa\": \"b\", \"seen\": "
         "\"c\", "
         "\"is\": \"a bug\"}}}",
         "core.json:1: deviation vadd12-signed: expected \"is\": \"design\" or \"bug\""},
        {"{\"core\": \"x\", \"deviations\": {\"vadd12-signed\": {\"core\": \"a\", \"isa\": \"b\", \"seen\": "
         "\"c\", \"is\": 3}}}",
         "core.json:1: deviation vadd12-signed: expected \"is\": \"design\" or \"bug\""},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": {\"core\": \"a\", \"isa\": \"b\", "
         "\"seen\": \"c\", \"is\": \"bug\", \"a\": 1}}}",
         "core.json:2: deviation vadd12-signed: expected core, isa, seen and is alone"},
        {"{\"core\": \"x\", \"deviations\": {\n\"vadd12-signed\": \"  \"}}",
         "core.json:2: deviation vadd12-signed: expected why the core does so, found nothing"},
        {"{\"core\": \"x\",\n\"absent\": [\"fp\"]}",
         "core.json:2: \"absent\": expected an object of units and reasons, found an array"},
        {"{\"core\": \"x\", \"absent\": {\"fp\": \"none\",\n\"alu\": \"none\"}}",
         "core.json:2: \"absent\": unknown unit 'alu': expected fp, fdiv, sfu or tensor"},
        {"{\"core\": \"x\", \"absent\": {\n\"sfu\": \" \"}}",
         "core.json:2: \"absent\": expected why the core is without sfu, found nothing"},
        {"{\"core\": \"x\", \"absent\": {\"tensor\": true}}",
         "core.json:1: \"absent\": expected why the core is without tensor, found true or"},
        {"[\n{\"a\": 1}]", "core.json:1: expected an object, found an array"},
        {"{\"core\": \"~", "core.json:1: expected JSON: premature end of input near '\"~'"},
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
    static const char behind[] = "[\n\"a\"]:"; /* Bytes after the end are not of it */
    assert_null(karat_core_desc_parse(behind, sizeof behind - 2, "core.json", &diag));
    assert_string_equal(diag.text, "core.json:1: expected an object, found an array");
    assert_null(karat_core_desc_load("/nonexistent/core.json", &diag));
    assert_string_equal(diag.text, "/nonexistent/core.json: No such file or directory");
    assert_null(karat_core_desc_load("/", &diag));
    assert_string_equal(diag.text, "/: Is a directory");
    assert_null(karat_core_desc_load("/dev/zero", &diag));
    assert_non_null(strstr(diag.text, "/dev/zero: expected at most "));
}

/* The last that is taken, and the first that is not. */
static void expect_message(const char *text, const char *said) {
    karat_diag diag = {""};
    karat_core_desc *d = parse(text, &diag);
    karat_core_desc_free(d);
    if (said ? d || strcmp(diag.text, said) != 0 : !d)
        fail_msg("%s\n%s\nexpected %s", text, d ? "taken" : diag.text, said ? said : "that it is taken");
}

TEST(limits) {
    static const char name[] =
        "\"core\": expected the name in the core's HELLO, 1 to 31 printable characters";
    char said[300];
    snprintf(said, sizeof said, "core.json:1: %s", name);
    expect_message("{\"core\": \"1234567890123456789012345678901\"}", NULL);
    expect_message("{\"core\": \"12345678901234567890123456789012\"}", said);
    expect_message("{\"core\": \"\"}", said);
    expect_message("{\n\"ulp\": {},\n\"deviations\": {}}",
                   "core.json:1: expected \"core\", the name in the core's HELLO");
    expect_message("{\"simt_order\": \"if-first\", \"core\": \"x\", \"deviations\": {\"simt-order\": \"y\"}}",
                   NULL);
    expect_message("{\"simt_order\": 7}",
                   "core.json:1: \"simt_order\": expected \"if-first\" or \"else-first\"");
    expect_message("{\"core\": \"!a~\"}", NULL);
    expect_message("{\"core\": \"a\\u007f\"}", said);
    expect_message("{\"core\": \"a\\u00e9\"}", said);
    expect_message("{\"core\": \" a\"}", said);
    expect_message("{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 0}}", NULL);
    expect_message("{\"core\": \"x\", \"ulp\": {\"vfexp_v\": 65536}}", NULL);
    expect_message("{\"core\": \"x\", \"ulp\": {\"vfexp.v\": 65537}}",
                   "core.json:1: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536");
    expect_message("{\"core\": \"x\", \"ulp\": {\"vfexp.v\": -1}}",
                   "core.json:1: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536");
    static const char *const found[][2] = {{"{}", "an object"}, {"[]", "an array"},
                                           {"\"1\"", "a text"}, {"1.0", "a fraction"},
                                           {"null", "null"},    {"false", "true or false"}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"core\": \"x\", \"ulp\": {\"vfexp.v\": %s}}", found[i][0]);
        snprintf(said, sizeof said,
                 "core.json:1: \"ulp\" of vfexp.v: expected a whole number from 0 to 65536, found %s",
                 found[i][1]);
        expect_message(text, said);
    }
    expect_message("7", "core.json:1: expected JSON: '[' or '{' expected near '7'");
    expect_message(
        "{\"core\": \"x\", \"deviations\": 7}",
        "core.json:1: \"deviations\": expected an object of names and reasons, found a whole number");
    /* A name is shown on one line, up to 63 characters of it. */
    expect_message("{\"\\u0001\\u001f !~\\u007f\": 1}",
                   "core.json:1: unknown key '?\? !~?': expected core, profile, ulp, deviations, simt_order, "
                   "absent or known");
    expect_message(
        "{\"1234567890123456789012345678901234567890123456789012345678901234\": 1}",
        "core.json:1: unknown key '123456789012345678901234567890123456789012345678901234567890123': "
        "expected core, profile, ulp, deviations, simt_order, absent or known");
    expect_message("{\"core\": \x1f\x7e\x7f}", "core.json:1: expected JSON: invalid token near '?'");
    expect_message("{\"core\": \"\x7f\xc3\xa9",
                   "core.json:1: expected JSON: premature end of input near '\"?\?\?'");
}

/* --- Places --- */

/* A description with one mistake, between random space; line is that of the mistake's key. */
typedef struct writer {
    rng r;
    char text[4000];
    size_t used;
    unsigned line, wrong_at;
} writer;

static void say(writer *w, const char *text) {
    w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s", text);
    assert_true(w->used < sizeof w->text);
    static const char *const space[] = {"", "", " ", "\n", "\t\n\n", "\r\n"};
    const char *behind = space[rng_below(&w->r, 6)];
    w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s", behind);
    for (; *behind; behind++)
        w->line += *behind == '\n';
}

static void say_key(writer *w, const char *key, bool *first, bool wrong) {
    if (!*first)
        say(w, ",");
    *first = false;
    if (wrong)
        w->wrong_at = w->line;
    say(w, key);
    say(w, ":");
}

static void say_value(writer *w, unsigned depth) {
    static const char *const leaves[] = {"\"a\"", "\"}\"", "\"[:{\"", "\"\\\":\"", "\"\\\\\"", "7", "null"};
    const bool object = rng_chance(&w->r, 50);
    if (!depth || rng_chance(&w->r, 30)) {
        say(w, leaves[rng_below(&w->r, 7)]);
        return;
    }
    bool first = true;
    say(w, object ? "{" : "[");
    for (uint32_t i = 0, num = rng_below(&w->r, 4); i < num; i++) {
        static const char *const keys[] = {"\"a\"", "\"b\\\"\"", "\"c:\""};
        if (object)
            say_key(w, keys[i], &first, false);
        else if (i)
            say(w, ",");
        say_value(w, depth - 1);
    }
    say(w, object ? "}" : "]");
}

enum mistake {
    KEY,
    INSTRUCTION,
    BOUND,
    DEVIATION,
    REASON,
    ORDER,
    CORE,
    NO_DEVIATION,
    NO_ORDER,
    ULP_TWICE,
    MISTAKES
};

static void say_ulp(writer *w, enum mistake wrong) {
    bool first = true;
    say_key(w, "\"ulp\"", &(bool){true}, false);
    say(w, "{");
    if (wrong == BOUND || wrong == ULP_TWICE || rng_chance(&w->r, 50)) {
        say_key(w, "\"vfexp.v\"", &first, wrong == BOUND);
        say(w, wrong == BOUND ? "{\"a\": {\"b\": 2}}" : "2");
    }
    if (wrong == INSTRUCTION || wrong == ULP_TWICE) {
        say_key(w, wrong == INSTRUCTION ? "\"{:\\\"\"" : "\"vfexp_v\"", &first, true);
        say_value(w, 2);
    }
    say(w, "}");
}

static void say_deviations(writer *w, enum mistake wrong) {
    bool first = true;
    say_key(w, "\"deviations\"", &(bool){true}, false);
    say(w, "{");
    if (wrong == REASON || rng_chance(&w->r, 50)) {
        say_key(w, "\"vadd12-signed\"", &first, wrong == REASON);
        if (wrong == REASON)
            say(w, "[\"a\", {\"b\": 1}]");
        else
            say(w, "\"so: {\\\"\"");
    }
    if (wrong != NO_DEVIATION) {
        say_key(w, "\"simt-order\"", &first, wrong == NO_ORDER);
        say(w, "\"]\"");
    }
    if (wrong == DEVIATION) {
        say_key(w, "\"none\"", &first, true);
        say_value(w, 2);
    }
    say(w, "}");
}

TEST(places) {
    for (uint64_t seed = 0; seed < 600; seed++) {
        writer w = {.r = {seed}, .line = 1};
        const enum mistake wrong = (enum mistake)(seed % MISTAKES);
        bool first = true;
        uint32_t left = 0xf;
        say(&w, "{");
        if (wrong == NO_ORDER)
            left &= ~8u;
        while (left) {
            const uint32_t field = rng_below(&w.r, 4);
            if (!(left >> field & 1))
                continue;
            left &= ~(1u << field);
            if (wrong == KEY && !w.wrong_at && (!left || rng_chance(&w.r, 40))) {
                say_key(&w, "\"z\\\\\"", &first, true);
                say_value(&w, 3);
            }
            if (!first)
                say(&w, ",");
            first = true;
            if (field == 0)
                say_key(&w, "\"core\"", &first, wrong == CORE);
            if (field == 0)
                say(&w, wrong == CORE ? "\"{ \"" : "\"{:[\\\"\"");
            else if (field == 1)
                say_ulp(&w, wrong);
            else if (field == 2)
                say_deviations(&w, wrong);
            else
                say_key(&w, "\"simt_order\"", &first, wrong == ORDER || wrong == NO_DEVIATION);
            if (field == 3)
                say(&w, wrong == ORDER ? "\"smaller-first\"" : "\"if-first\"");
            first = false;
        }
        say(&w, "}");
        karat_diag diag = {""};
        char place[40];
        assert_null(parse(w.text, &diag));
        snprintf(place, sizeof place, "core.json:%u: ", w.wrong_at);
        if (strncmp(diag.text, place, strlen(place)) != 0 || strstr(diag.text, "expected JSON"))
            fail_msg("seed %u:\n%s\n%s\nexpected %s", (unsigned)seed, w.text, diag.text, place);
    }
}

/* --- Files --- */

TEST(files) {
    static const char text[] = "{\"core\": \"x\"}";
    enum { MOST = 1 << 20 };
    char path[] = "karat_core_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    char *bytes = malloc(MOST + 1);
    memset(bytes, ' ', MOST + 1);
    memcpy(bytes, text, strlen(text));
    karat_diag diag = {""};
    const int next = dup(fd); /* The number of the next file that is opened */
    close(next);
    for (size_t size = strlen(text); size; size = size < MOST ? MOST : size == MOST ? MOST + 1 : 0) {
        assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
        karat_core_desc *d = karat_core_desc_load(path, &diag);
        assert_int_equal(d != NULL, size <= MOST);
        assert_true(!d || strcmp(d->core, "x") == 0);
        karat_core_desc_free(d);
    }
    assert_non_null(strstr(diag.text, "expected at most 1048576 bytes"));
    assert_int_equal(dup(fd), next); /* None has stayed open */
    close(next);
    free(bytes);
    close(fd);
    unlink(path);
    char name[300] = "";
    memset(name, 'a', sizeof name - 1);
    assert_null(karat_core_desc_load(name, &diag));
    assert_int_equal(strspn(diag.text, "a"), 180);
    assert_string_equal(diag.text + 180, ": File name too long");
}

/* A core whose vadd12.vi sign-extends its immediate, three times in each of four warps; and one that runs
 * the if path first. */
static stream deviating(uint32_t deviations, karat_simt_order order) {
    program p = begin_program("vadd12_vi 8 1 0x800; vadd12_vi 8 8 0xfff; vadd12_vi 9 8 0x7ff; "
                              "vsub12_vi 9 9 0x900");
    put(&p, "vand_vi", 4, 1, 1, 1); /* Lanes 1 and 3: a tie */
    put_code(&p, "auipc 5 0; addi 5 5 20; setrpc 0 5 0; vbne 4 0 8; vadd_vi 10 1 1 1; join; endprg");
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
    scoped_outcome o = judge_by(s, description);
    if (strncmp(o.line, begins, strlen(begins)) != 0 || !strstr(o.line, has))
        fail_msg("%s\n%s\nexpected %s... %s", o.line, o.text, begins, has);
    assert_int_equal(named(&o, "vadd12-signed"), vadd12);
    assert_int_equal(named(&o, "simt-order"), order);
    assert_int_equal(count_of(&o, "deviations"), vadd12 + order);
}

#define PLAIN  "{\"core\": \"synthetic\"}"
#define SIGNED "{\"core\": \"synthetic\", \"deviations\": {\"vadd12-signed\": \"a test\"}}"
#define BUG                                                                                                  \
    "{\"core\": \"synthetic\", \"deviations\": {\"vadd12-signed\": {\"core\": \"signs\", \"isa\": \"does "   \
    "not\", \"seen\": "                                                                                      \
    "\"here\", \"is\": \"bug\"}}}"
#define FIRST(what)                                                                                          \
    "{\"core\": \"synthetic\", \"deviations\": {\"simt-order\": \"a test\"}, \"simt_order\": \"" what        \
    "-first\"}"

TEST(counted_by_name) {
    scoped_stream s = deviating(KARAT_DEV_VADD12_SIGNED, KARAT_SMALLER_FIRST);
    expect(&s, SIGNED, "karat: PASS ", " deviations=12 deviation:vadd12-signed=12 cycles=", 12, 0);
    expect(&s, BUG, "karat: PASS ", " deviations=12 defect:vadd12-signed=12 cycles=", 12, 0);
    expect(&s, PLAIN, "karat: MISMATCH (wrong value written) ", " deviations=0 cycles=", 0, 0);
    stream_free(&s);
    s = deviating(0, KARAT_IF_FIRST);
    expect(&s, FIRST("if"), "karat: PASS ", " deviations=4 deviation:simt-order=4 cycles=", 0, 4);
    expect(&s, PLAIN, "karat: MISMATCH (wrong SIMT outcome) ", " deviations=0 cycles=", 0, 0);
}

/* A core that does what the ISA says is no other one's, and no use of a deviation is said in so many
 * words. */
TEST(not_used) {
    scoped_stream s = deviating(0, KARAT_SMALLER_FIRST);
    expect(&s, PLAIN, "karat: PASS ", " deviations=0 cycles=", 0, 0);
    expect(&s, FIRST("else"), "karat: PASS ", " deviations=0 deviation:simt-order=0 cycles=", 0, 0);
    expect(&s, SIGNED, "karat: MISMATCH (wrong value written) ",
           " deviations=1 deviation:vadd12-signed=1 cycles=", 1, 0);
}

TEST(of_another_core) {
    scoped_stream s = deviating(0, KARAT_SMALLER_FIRST);
    scoped_outcome o = judge_by(&s, "{\"core\": \"ingot\"}");
    assert_int_equal(o.verdict, KARAT_BAD_INPUT);
    assert_non_null(strstr(o.text, "HELLO is of core synthetic; the description is of core ingot"));
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
    return run_suite("core descriptions", NULL, NULL);
}
