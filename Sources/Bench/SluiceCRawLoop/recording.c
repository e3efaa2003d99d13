#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "steps.h"

// The maximum number of rows per move.
enum { most_rows = 1000 };

// Moves the present rows; returns their number, or -1 on failure.
static int move(raw_loop *loop, const prepared *look, const prepared *forget, FILE *file) {
    sqlite3_stmt *rows = look->statements[0];
    sqlite3_bind_int(rows, 1, most_rows);
    int64_t last = 0;
    int count = 0, code;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        last = sqlite3_column_int64(rows, 0);
        size_t bytes = (size_t)sqlite3_column_bytes(rows, 1);
        if (fwrite(sqlite3_column_blob(rows, 1), 1, bytes, file) != bytes) return -1;
        count++;
    }
    sqlite3_reset(rows);
    if (code != SQLITE_DONE || fflush(file)) return -1;
    if (count == 0) return 0;
    if (raw_run(loop->begin) || raw_run_all(forget, 0, last, NULL, 0) || raw_run(loop->commit))
        return -1;
    return count;
}

// The child: moves rows until the parent has closed its end and none is left.
static int keep(const char *path, int synchronous, raw_recording recording, int end) {
    raw_loop *loop = raw_loop_open(path, synchronous);
    FILE *file = fopen(recording.file, "w");
    prepared looking, forgetting;
    if (!loop || !file || raw_prepare(loop, recording.look, &looking)
        || raw_prepare(loop, recording.forget, &forgetting))
        return 1;
    char byte;
    int moved, ended = 0;
    while ((moved = move(loop, &looking, &forgetting, file)) > 0 || (moved == 0 && !ended)) {
        if (moved > 0) continue;
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        ended = read(end, &byte, 1) == 0;
    }
    raw_finish(&looking);
    raw_finish(&forgetting);
    raw_loop_close(loop);
    return fclose(file) || moved < 0;
}

int64_t raw_loop_drain_recorded(
    raw_loop *loop, const char *path, int synchronous, raw_step claim, raw_step settle,
    raw_recording recording, raw_turns turns, int64_t limit, int64_t *settled) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        close(ends[1]);
        _exit(keep(path, synchronous, recording, ends[0]));
    }
    close(ends[0]);
    int64_t time = raw_drain(
        loop, claim, settle, recording.leave, recording.bytes, turns, limit, settled);
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
    return status ? -1 : time;
}
