#ifndef SLUICE_RAW_LOOP_H
#define SLUICE_RAW_LOOP_H

// The loop that every figure of the benchmark is a ratio to: plain C on SQLite, one statement after
// the other, one commit for each step. Every function gives nanoseconds, or -1 and the message.

#include <stddef.h>
#include <stdint.h>

/// A file with its connection.
typedef struct raw_loop raw_loop;

/// Opens (or makes) a file in WAL with `synchronous`, 2 for FULL and 1 for NORMAL; NULL on failure.
raw_loop *raw_loop_open(const char *path, int synchronous);

/// Closes it.
void raw_loop_close(raw_loop *loop);

/// What went wrong last.
const char *raw_loop_message(const raw_loop *loop);

/// Runs a script of statements.
int raw_loop_script(raw_loop *loop, const char *script);

/// The statements of one step: each is run once, with ?1 the number of the step (or what the claim
/// returned), ?2 the payload.
typedef struct {
    const char *const *statements;
    size_t count;
} raw_step;

/// Runs `step` for the numbers `first` ..< `first` + `count`, `each` of them in one commit.
int64_t raw_loop_insert(
    raw_loop *loop, raw_step step, int64_t first, int64_t count, int64_t each, const void *payload,
    int bytes);

/// Claims by the first statement of `claim`, which returns a number, and completes by `settle`:
/// one commit for each, until nothing is claimed or `limit` are settled. `settled` gets how many.
int64_t raw_loop_drain(
    raw_loop *loop, raw_step claim, raw_step settle, int64_t limit, int64_t *settled);

/// How many tasks are in hand at a time, and how many queues take turns; what claims is bound the
/// number of the queue as ?1, from 1 on.
typedef struct {
    int64_t in_hand, queues;
} raw_turns;

/// The same by as few commits as there can be: one completes what is in hand and claims as many.
int64_t raw_loop_drain_fused(
    raw_loop *loop, raw_step claim, raw_step settle, raw_turns turns, int64_t limit,
    int64_t *settled);

/// What a recording adds to each commit of a drain: `leave` with ?2 as many `bytes` as each of its
/// tasks needs. Another process moves what `look` gives, a number and a blob, to a file, and runs
/// `forget` with ?1 the last number in a commit of its own.
typedef struct {
    raw_step leave, look, forget;
    int64_t bytes;
    const char *file;
} raw_recording;

/// The same beside a recording of the store at `path`; the time ends with the drain.
int64_t raw_loop_drain_recorded(
    raw_loop *loop, const char *path, int synchronous, raw_step claim, raw_step settle,
    raw_recording recording, raw_turns turns, int64_t limit, int64_t *settled);

/// Runs `step` for `count` numbers that as many threads bring one after the other, each as soon as
/// its last one is durable; one more thread commits those that wait together.
int64_t raw_loop_insert_by_threads(
    raw_loop *loop, raw_step step, int threads, int64_t count, const void *payload, int bytes);

/// What a child does with each number that a datagram brings: it claims in a commit, or reads what
/// was claimed for it; and, after it has answered, settles in a commit. Each may have no statement.
typedef struct {
    raw_step claim, read, settle;
} raw_service;

/// Lets a child process wait for datagrams, and gives the nanoseconds from before each enqueue to
/// the child's answer in `times`.
int raw_loop_wake(
    const char *path, int synchronous, raw_step insert, raw_service service, int64_t first,
    int count, int64_t *times);

/// Looks through the blobs that `query` gives for the numbers ?1 to ?2, of `count` rows, by as many
/// threads; `found` gets how many hold the bytes.
int64_t raw_loop_search(
    const char *path, const char *query, int threads, int64_t count, const void *wanted, int bytes,
    int64_t *found);

#endif
