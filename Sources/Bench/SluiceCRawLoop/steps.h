#ifndef SLUICE_RAW_LOOP_STEPS_H
#define SLUICE_RAW_LOOP_STEPS_H

// Declarations shared by the parts of the raw loop.

#include "raw_loop.h"

#include <sqlite3.h>

enum { most_statements = 32 };

struct raw_loop {
    sqlite3 *database;
    sqlite3_stmt *begin, *commit;
};

typedef struct {
    sqlite3_stmt *statements[most_statements];
    size_t count;
} prepared;

int64_t raw_nanoseconds(void);
int raw_prepare(raw_loop *loop, raw_step step, prepared *made);
void raw_finish(prepared *made);
int raw_run(sqlite3_stmt *statement);
int raw_run_all(const prepared *made, size_t from, int64_t number, const void *payload, int bytes);

/// A drain with minimal commits. Each one runs `leave` with ?2 half of `bytes` for each task that
/// it claims or settles.
int64_t raw_drain(
    raw_loop *loop, raw_step claim, raw_step settle, raw_step leave, int64_t bytes,
    raw_turns turns, int64_t limit, int64_t *settled);

#endif
