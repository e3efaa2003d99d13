// The minimum cost of complete programs equivalent to `sluice version`, `enqueue` and
// `queues --json` on an SQLite file.
#include "programs.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

static int fail(sqlite3 *database) {
    fprintf(stderr, "raw-programs: %s\n", sqlite3_errmsg(database));
    sqlite3_close(database);
    return 1;
}

static int open_file(const char *path, sqlite3 **database) {
    return sqlite3_open(path, database) != SQLITE_OK
        || sqlite3_busy_timeout(*database, 10000) != SQLITE_OK
        || sqlite3_exec(*database, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK;
}

int raw_version(void) {
    printf("raw-programs 1, SQLite %s\n", sqlite3_libversion());
    return 0;
}

int raw_make(const char *path) {
    sqlite3 *database;
    const char *script =
        "PRAGMA journal_mode = WAL;"
        "CREATE TABLE queue (id INTEGER PRIMARY KEY, name TEXT UNIQUE, waiting INTEGER NOT NULL);"
        "CREATE TABLE task (id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, type TEXT NOT NULL,"
        " state INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, payload BLOB NOT NULL);"
        "CREATE INDEX task_ready ON task (queue, id) WHERE state = 0;";
    if (open_file(path, &database)
        || sqlite3_exec(database, script, NULL, NULL, NULL) != SQLITE_OK)
        return fail(database);
    sqlite3_close(database);
    return 0;
}

static int step_one(sqlite3 *database, const char *sql, const char *queue, const char *payload) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    sqlite3_bind_text(statement, 1, queue, -1, SQLITE_STATIC);
    if (sqlite3_bind_parameter_count(statement) > 1) {
        sqlite3_bind_text(statement, 2, payload, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 3, (sqlite3_int64)time(NULL) * 1000);
    }
    int code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

int raw_enqueue(const char *path, const char *queue, const char *payload) {
    sqlite3 *database;
    if (open_file(path, &database)
        || sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK
        || step_one(database,
               "INSERT INTO queue (name, waiting) VALUES (?1, 1)"
               " ON CONFLICT (name) DO UPDATE SET waiting = waiting + 1", queue, payload)
        || step_one(database,
               "INSERT INTO task (queue, type, payload, created)"
               " SELECT id, 't', ?2, ?3 FROM queue WHERE name = ?1", queue, payload)
        || sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return fail(database);
    printf("#%lld enqueued in %s\n", (long long)sqlite3_last_insert_rowid(database), queue);
    sqlite3_close(database);
    return 0;
}

int raw_queues(const char *path) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    if (open_file(path, &database)
        || sqlite3_prepare_v2(
               database, "SELECT name, waiting FROM queue ORDER BY name", -1, &statement, NULL))
        return fail(database);
    printf("{\"queues\":[");
    for (int first = 1; sqlite3_step(statement) == SQLITE_ROW; first = 0)
        printf("%s{\"name\":\"%s\",\"waiting\":%lld}", first ? "" : ",",
            (const char *)sqlite3_column_text(statement, 0),
            (long long)sqlite3_column_int64(statement, 1));
    printf("]}\n");
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return 0;
}
