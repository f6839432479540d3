/* GVM's rules as a policy over recordings: a stream that it cannot follow, and what it finds. */
#include "judge.h"
#include "peer.h"

#include <string.h>

static karat_peer_result peer_on(const stream *s) {
    karat_check_config config = judge_config();
    karat_peer *peer = karat_peer_create(&config);
    assert_non_null(peer);
    for (size_t i = 0; i < s->num; i++)
        assert_false(karat_peer_record(peer, &s->at[i], karat_rec_size(s->at[i].h.kind)));
    karat_peer_result r = *karat_peer_outcome(peer);
    karat_peer_destroy(peer);
    return r;
}

/* The peer has no better verdict than that it could not follow. */
TEST(the_peer) {
    stream s = silent();
    assert_true(peer_on(&s).lost);
    stream_free(&s);
    s = fixture();
    assert_false(peer_on(&s).lost);
    for (size_t i = 0; i < 4; i++) {
        stream_remove(&s, 0); /* Without HELLO; without the REGIONs after it */
        assert_true(peer_on(&s).lost);
    }
    stream_free(&s);
    s = fixture();
    stream_remove(&s, nth(&s, KARAT_REC_KERNEL, 0));
    assert_true(peer_on(&s).lost);
    stream_free(&s);
}

/* The peer's first error in that stream, which is released. */
static void peer_says(stream *s, const char *text) {
    karat_peer_result r = peer_on(s);
    if (!r.errors || !strstr(r.first, text))
        fail_msg("the peer says '%s', expected '%s'", r.errors ? r.first : "nothing", text);
    stream_free(s);
}

/* A barrier comes after what is before it only; a workgroup is in one place. */
TEST(the_peer_of_groups) {
    stream s = fixture();
    karat_peer_result r = peer_on(&s);
    assert_int_equal(r.errors, 0);
    assert_true(r.compared > 20);
    const size_t issue = issue_of(&s, 0, "auipc", 0), write = of(&s, issue, KARAT_REC_WRITE, 0);
    size_t release = issue;
    while (s.at[release].h.kind != KARAT_REC_BARRIER ||
           s.at[release].barrier.action != KARAT_BARRIER_RELEASE || !(s.at[release].barrier.warps & 1))
        release--;
    move(&s, write, release);
    move(&s, issue + 1, release);
    peer_says(&s, "is done before the barrier at 0x");

    s = fixture();
    record *second = &s.at[nth(&s, KARAT_REC_LAUNCH, 1)];
    assert_int_equal(second->launch.workgroup, s.at[nth(&s, KARAT_REC_LAUNCH, 0)].launch.workgroup);
    assert_true(second->launch.lds_size);
    second->launch.lds_base += 64;
    peer_says(&s, "is launched on SM 0 with local memory from 0x");
}

/* A result is found by the number of its instruction; of a scalar one the register counts, of a vector one it
 * does not. */
TEST(the_peer_of_results) {
    stream s = fixture();
    size_t write = of(&s, issue_of(&s, 0, "addi", 0), KARAT_REC_WRITE, 0);
    s.at[write].write.regno ^= 1;
    peer_says(&s, "; the reference: x");
    s = fixture();
    write = of(&s, issue_of(&s, 0, "addi", 1), KARAT_REC_WRITE, 0);
    s.at[write].write.seq = s.at[issue_of(&s, 0, "addi", 0)].issue.seq;
    peer_says(&s, "which waits for nothing");
    s = fixture();
    s.at[of(&s, issue_of(&s, 0, "vmul_vv", 0), KARAT_REC_WRITE, 0)].write.regno ^= 1;
    assert_int_equal(peer_on(&s).errors, 0);
    stream_free(&s);
}

TEST(the_peer_without) {
    const karat_rec_hello hello = {.h = {.kind = KARAT_REC_HELLO}};
    karat_check_config config = judge_config();
    assert_null(karat_peer_create(NULL));
    karat_peer_destroy(NULL);
    assert_false(karat_peer_record(NULL, &hello, sizeof hello));
    assert_null(karat_peer_outcome(NULL));
    karat_peer *peer = karat_peer_create(&config);
    assert_false(karat_peer_record(peer, NULL, sizeof hello));
    assert_true(karat_peer_outcome(peer)->lost);
    karat_peer_destroy(peer);
}

int main(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(the_peer),
        cmocka_unit_test(the_peer_without),
        cmocka_unit_test(the_peer_of_groups),
        cmocka_unit_test(the_peer_of_results),
    };
    return _cmocka_run_group_tests("peer", list, sizeof list / sizeof *list, NULL, NULL);
}
