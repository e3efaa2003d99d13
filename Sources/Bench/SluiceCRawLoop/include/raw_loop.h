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

/// The last error.
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

/// Claims by the first statement of `claim`, which returns a number, and settles by `settle`. Each
/// has its own commit. Ends when no task is left or after `limit` tasks; `settled` receives their
/// number.
int64_t raw_loop_drain(
    raw_loop *loop, raw_step claim, raw_step settle, int64_t limit, int64_t *settled);

/// How many tasks are in hand at a time, and how many queues take turns; what claims is bound the
/// number of the queue as ?1, from 1 on.
typedef struct {
    int64_t in_hand, queues;
} raw_turns;

/// The same with minimal commits: each one settles the tasks in hand and refills them.
int64_t raw_loop_drain_fused(
    raw_loop *loop, raw_step claim, raw_step settle, raw_turns turns, int64_t limit,
    int64_t *settled);

/// The additions of a recording to each commit of a drain. It runs `leave` with ?2 the total of
/// `bytes` over its tasks. Another process moves the rows of `look`, a number and a blob, to a
/// file. It then runs `forget` with ?1 the last number in a separate commit.
typedef struct {
    raw_step leave, look, forget;
    int64_t bytes;
    const char *file;
} raw_recording;

/// The same during a recording of the store at `path`; the time ends with the drain.
int64_t raw_loop_drain_recorded(
    raw_loop *loop, const char *path, int synchronous, raw_step claim, raw_step settle,
    raw_recording recording, raw_turns turns, int64_t limit, int64_t *settled);

/// Runs `step` for `count` numbers from several threads. Each thread sends its next number when its
/// last one is durable. One more thread commits all waiting numbers together.
int64_t raw_loop_insert_by_threads(
    raw_loop *loop, raw_step step, int threads, int64_t count, const void *payload, int bytes);

/// A child's work for each number in a datagram. It claims in a commit, or reads a task claimed for
/// it. After its answer it settles in a commit. Each step may be empty.
typedef struct {
    raw_step claim, read, settle;
} raw_service;

/// Lets a child process wait for datagrams, and gives the nanoseconds from before each enqueue to
/// the child's answer in `times`.
int raw_loop_wake(
    const char *path, int synchronous, raw_step insert, raw_service service, int64_t first,
    int count, int64_t *times);

/// Searches the blobs that `query` returns for the numbers ?1 to ?2, of `count` rows, by several
/// threads. `found` receives the number of blobs with the bytes.
int64_t raw_loop_search(
    const char *path, const char *query, int threads, int64_t count, const void *wanted, int bytes,
    int64_t *found);

#endif
