#include "raw_loop.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steps.h"

int64_t raw_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

raw_loop *raw_loop_open(const char *path, int synchronous) {
    raw_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    const char *pragmas = synchronous == 2
        ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
        : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
    if (sqlite3_open(path, &loop->database) != SQLITE_OK
        || sqlite3_busy_timeout(loop->database, 10000) != SQLITE_OK
        || sqlite3_exec(loop->database, pragmas, NULL, NULL, NULL) != SQLITE_OK
        || sqlite3_prepare_v2(loop->database, "BEGIN IMMEDIATE", -1, &loop->begin, NULL)
        || sqlite3_prepare_v2(loop->database, "COMMIT", -1, &loop->commit, NULL)) {
        raw_loop_close(loop);
        return NULL;
    }
    return loop;
}

void raw_loop_close(raw_loop *loop) {
    if (!loop) return;
    sqlite3_finalize(loop->begin);
    sqlite3_finalize(loop->commit);
    sqlite3_close(loop->database);
    free(loop);
}

const char *raw_loop_message(const raw_loop *loop) {
    return loop ? sqlite3_errmsg(loop->database) : "the file cannot be opened";
}

int raw_loop_script(raw_loop *loop, const char *script) {
    return sqlite3_exec(loop->database, script, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

int raw_prepare(raw_loop *loop, raw_step step, prepared *made) {
    memset(made, 0, sizeof *made);
    if (step.count > most_statements) return -1;
    for (size_t i = 0; i < step.count; i++) {
        if (sqlite3_prepare_v2(
                loop->database, step.statements[i], -1, &made->statements[i], NULL) != SQLITE_OK)
            return -1;
        made->count++;
    }
    return 0;
}

void raw_finish(prepared *made) {
    for (size_t i = 0; i < made->count; i++) sqlite3_finalize(made->statements[i]);
}

int raw_run(sqlite3_stmt *statement) {
    int code;
    do code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

int raw_run_all(
    const prepared *made, size_t from, int64_t number, const void *payload, int bytes) {
    for (size_t i = from; i < made->count; i++) {
        sqlite3_stmt *statement = made->statements[i];
        int places = sqlite3_bind_parameter_count(statement);
        if (places >= 1) sqlite3_bind_int64(statement, 1, number);
        if (places >= 2) sqlite3_bind_blob(statement, 2, payload, bytes, SQLITE_STATIC);
        if (raw_run(statement)) return -1;
    }
    return 0;
}

int64_t raw_loop_insert(
    raw_loop *loop, raw_step step, int64_t first, int64_t count, int64_t each, const void *payload,
    int bytes) {
    prepared made;
    if (raw_prepare(loop, step, &made)) return -1;
    int64_t start = raw_nanoseconds();
    int64_t failed = 0;
    for (int64_t done = 0; done < count && !failed; done += each) {
        failed = raw_run(loop->begin);
        for (int64_t i = done; i < done + each && i < count && !failed; i++)
            failed = raw_run_all(&made, 0, first + i, payload, bytes);
        if (!failed) failed = raw_run(loop->commit);
    }
    int64_t end = raw_nanoseconds();
    raw_finish(&made);
    return failed ? -1 : end - start;
}

// A claim within a commit; 1 and its number, 0 where nothing is left, -1 on failure.
static int claim_next(const prepared *claim, int64_t queue, int64_t *number) {
    if (sqlite3_bind_parameter_count(claim->statements[0]) > 0)
        sqlite3_bind_int64(claim->statements[0], 1, queue);
    int code = sqlite3_step(claim->statements[0]);
    if (code == SQLITE_ROW) {
        *number = sqlite3_column_int64(claim->statements[0], 0);
        // A statement with RETURNING must run to its end.
        if (sqlite3_step(claim->statements[0]) != SQLITE_DONE) return -1;
    }
    sqlite3_reset(claim->statements[0]);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return -1;
    if (code == SQLITE_ROW && raw_run_all(claim, 1, *number, NULL, 0)) return -1;
    return code == SQLITE_ROW;
}

// Claims once in a separate commit.
static int claim_one(raw_loop *loop, const prepared *claim, int64_t *number) {
    if (raw_run(loop->begin)) return -1;
    int found = claim_next(claim, 1, number);
    return found < 0 || raw_run(loop->commit) ? -1 : found;
}

int64_t raw_loop_drain(
    raw_loop *loop, raw_step claim, raw_step settle, int64_t limit, int64_t *settled) {
    prepared claiming, settling;
    if (raw_prepare(loop, claim, &claiming) || raw_prepare(loop, settle, &settling)) return -1;
    *settled = 0;
    int64_t start = raw_nanoseconds(), number = 0;
    int found = 0;
    while (*settled < limit && (found = claim_one(loop, &claiming, &number)) == 1) {
        if (raw_run(loop->begin) || raw_run_all(&settling, 0, number, NULL, 0) || raw_run(loop->commit)) {
            found = -1;
            break;
        }
        ++*settled;
    }
    int64_t end = raw_nanoseconds();
    raw_finish(&claiming);
    raw_finish(&settling);
    return found < 0 ? -1 : end - start;
}

// Claims from the queues in turn up to the limit in hand; returns the number, or -1 on failure.
static int64_t claim_turns(
    const prepared *claim, raw_turns turns, int64_t *turn, int64_t *numbers) {
    int64_t count = 0, empty = 0;
    while (count < turns.in_hand && empty < turns.queues) {
        int found = claim_next(claim, (*turn)++ % turns.queues + 1, &numbers[count]);
        if (found < 0) return -1;
        count += found;
        empty = found ? 0 : empty + 1;
    }
    return count;
}

int64_t raw_drain(
    raw_loop *loop, raw_step claim, raw_step settle, raw_step leave, int64_t bytes,
    raw_turns turns, int64_t limit, int64_t *settled) {
    prepared claiming, settling, leaving;
    if (raw_prepare(loop, claim, &claiming) || raw_prepare(loop, settle, &settling)
        || raw_prepare(loop, leave, &leaving))
        return -1;
    int64_t *numbers = calloc((size_t)turns.in_hand, sizeof *numbers);
    char *body = malloc((size_t)(2 * turns.in_hand * bytes) + 1);
    if (!numbers || !body) return -1;
    memset(body, 'a', (size_t)(2 * turns.in_hand * bytes) + 1);
    *settled = 0;
    int64_t start = raw_nanoseconds(), turn = 0, count = 0;
    do {
        int64_t ended = count;
        count = raw_run(loop->begin) ? -1 : 0;
        for (int64_t i = 0; i < ended && count == 0; i++)
            if (raw_run_all(&settling, 0, numbers[i], NULL, 0)) count = -1;
        if (count == 0) count = claim_turns(&claiming, turns, &turn, numbers);
        if (count >= 0 && raw_run_all(&leaving, 0, 0, body, (int)((ended + count) * bytes / 2)))
            count = -1;
        if (count >= 0 && raw_run(loop->commit)) count = -1;
        *settled += ended;
    } while (count > 0 && *settled < limit);
    int64_t end = raw_nanoseconds();
    free(numbers);
    free(body);
    raw_finish(&claiming);
    raw_finish(&settling);
    raw_finish(&leaving);
    return count < 0 ? -1 : end - start;
}

int64_t raw_loop_drain_fused(
    raw_loop *loop, raw_step claim, raw_step settle, raw_turns turns, int64_t limit,
    int64_t *settled) {
    raw_step nothing = {NULL, 0};
    return raw_drain(loop, claim, settle, nothing, 0, turns, limit, settled);
}

// A datagram with the number and the moment of an enqueue.
typedef struct {
    int64_t number, sent;
} enqueued;

// One commit that settles.
static int settle_one(raw_loop *loop, const prepared *settle, int64_t number) {
    return raw_run(loop->begin) || raw_run_all(settle, 0, number, NULL, 0) || raw_run(loop->commit);
}

// The child: a datagram comes in, the time from the enqueue on goes back.
static int serve(const char *path, int synchronous, raw_service service, int socket) {
    raw_loop *loop = raw_loop_open(path, synchronous);
    prepared claiming, reading, settling;
    if (!loop || raw_prepare(loop, service.claim, &claiming)
        || raw_prepare(loop, service.read, &reading) || raw_prepare(loop, service.settle, &settling))
        return 1;
    enqueued task;
    int64_t number;
    while (recv(socket, &task, sizeof task, 0) == sizeof task) {
        if (claiming.count > 0 && claim_one(loop, &claiming, &number) != 1) return 1;
        if (raw_run_all(&reading, 0, task.number, NULL, 0)) return 1;
        int64_t took = raw_nanoseconds() - task.sent;
        if (send(socket, &took, sizeof took, 0) != sizeof took) return 1;
        if (settling.count > 0 && settle_one(loop, &settling, task.number)) return 1;
    }
    raw_finish(&claiming);
    raw_finish(&reading);
    raw_finish(&settling);
    raw_loop_close(loop);
    return 0;
}

int raw_loop_wake(
    const char *path, int synchronous, raw_step insert, raw_service service, int64_t first,
    int count, int64_t *times) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets)) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        close(sockets[0]);
        _exit(serve(path, synchronous, service, sockets[1]));
    }
    close(sockets[1]);
    raw_loop *loop = raw_loop_open(path, synchronous);
    prepared inserting;
    int failed = !loop || raw_prepare(loop, insert, &inserting);
    for (int i = 0; i < count && !failed; i++) {
        struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
        enqueued task = {first + i, raw_nanoseconds()};
        failed = raw_run(loop->begin) || raw_run_all(&inserting, 0, task.number, "x", 1)
            || raw_run(loop->commit) || send(sockets[0], &task, sizeof task, 0) != sizeof task
            || recv(sockets[0], &times[i], sizeof times[i], 0) != sizeof times[i];
    }
    close(sockets[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (loop) {
        raw_finish(&inserting);
        raw_loop_close(loop);
    }
    return failed || status ? -1 : 0;
}
