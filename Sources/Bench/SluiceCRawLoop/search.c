// A header declares it only with the GNU extensions.
#define _GNU_SOURCE

#include "raw_loop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

enum { rows_of_a_piece = 6250 };

// The shared state of search threads, which take one piece at a time.
typedef struct {
    const char *path, *query;
    const void *wanted;
    int bytes;
    int64_t next, count, found, failed;
} pile;

static int64_t look(sqlite3_stmt *statement, const pile *of, int64_t first, int64_t last) {
    int64_t found = 0;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, last);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const void *blob = sqlite3_column_blob(statement, 0);
        size_t size = (size_t)sqlite3_column_bytes(statement, 0);
        if (blob && memmem(blob, size, of->wanted, (size_t)of->bytes)) found++;
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? found : -1;
}

static void *work(void *argument) {
    pile *of = argument;
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    int failed = sqlite3_open_v2(of->path, &database, flags, NULL)
        || sqlite3_busy_timeout(database, 10000)
        || sqlite3_prepare_v2(database, of->query, -1, &statement, NULL);
    while (!failed) {
        int64_t first = __atomic_fetch_add(&of->next, rows_of_a_piece, __ATOMIC_SEQ_CST);
        if (first > of->count) break;
        int64_t found = look(statement, of, first, first + rows_of_a_piece - 1);
        if (found < 0) failed = 1;
        else __atomic_fetch_add(&of->found, found, __ATOMIC_SEQ_CST);
    }
    if (failed) __atomic_store_n(&of->failed, 1, __ATOMIC_SEQ_CST);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return NULL;
}

int64_t raw_loop_search(
    const char *path, const char *query, int threads, int64_t count, const void *wanted, int bytes,
    int64_t *found) {
    pile of = {path, query, wanted, bytes, 1, count, 0, 0};
    pthread_t *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers) return -1;
    int begun = 0;
    int64_t start = raw_nanoseconds();
    while (begun < threads && !pthread_create(&workers[begun], NULL, work, &of)) begun++;
    for (int i = 0; i < begun; i++) pthread_join(workers[i], NULL);
    int64_t end = raw_nanoseconds();
    free(workers);
    *found = of.found;
    return begun < threads || of.failed ? -1 : end - start;
}
