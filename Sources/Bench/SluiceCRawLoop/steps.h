#ifndef SLUICE_RAW_LOOP_STEPS_H
#define SLUICE_RAW_LOOP_STEPS_H

// What the parts of the raw loop share.

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

#endif
