#ifndef SLUICE_CSQLITE_H
#define SLUICE_CSQLITE_H

// SQLite, and wrappers for calls (also about the files next to a database) that Swift cannot make:
// macros with casts, variadic functions, and glibc calls with constants that Swift does not import.

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/// The file was removed or replaced while a connection was open.
static const int csq_moved = SQLITE_READONLY_DBMOVED;

/// The memory that the connections of a file share cannot be made, for want of room on its disk.
static const int csq_no_room_beside = SQLITE_IOERR_SHMSIZE;

// The header declares it only if GNU extensions are enabled before any header.
extern void *memmem(const void *, size_t, const void *, size_t);

/// Bytes compared in one operation.
typedef uint8_t csq_bytes __attribute__((vector_size(32), aligned(1)));

/// Whether bytes occur in others. It compares the first and the last byte at many offsets together,
/// and examines matches.
static inline int csq_holds(
    const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
    enum { width = sizeof(csq_bytes) };
    if (wanted_count == 0) return 1;
    if (count < wanted_count + width) {
        return memmem(bytes, count, wanted, wanted_count) != (void *)0;
    }
    const uint8_t *start = bytes, *first = wanted;
    size_t span = wanted_count - 1, last = count - span - width;
    for (size_t place = 0;; place += width) {
        // The last block may overlap the one before.
        if (place > last) place = last;
        const uint8_t *here = start + place;
        csq_bytes both = (csq_bytes)(*(const csq_bytes *)here == first[0])
            & (csq_bytes)(*(const csq_bytes *)(here + span) == first[span]);
        uint64_t parts[width / sizeof(uint64_t)], any = 0;
        memcpy(parts, &both, sizeof parts);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) any |= parts[i];
        for (size_t i = 0; any && i < width; i++) {
            if (both[i] && memcmp(here + i, wanted, wanted_count) == 0) return 1;
        }
        if (place == last) return 0;
    }
}

/// Decides whether a row matches, by its payload and the other requested texts.
typedef int (*csq_is_wanted)(
    const void *context, const void *payload, size_t size, sqlite3_value **texts, int count);

/// A search through rows, and its progress.
typedef struct {
    /// The queue's number; below 0 for all queues.
    int64_t queue;
    uint32_t states;
    /// Decides where there is one; else the payload must hold the bytes.
    csq_is_wanted is_wanted;
    const void *context;
    const void *wanted;
    size_t wanted_count;
    /// The maximum number of rows to scan.
    int64_t limit;
    /// How many were, and how many of them are of the queue and of these states.
    int64_t rows, looked;
    /// Whether the last row matches.
    int is_found;
} csq_hunt;

static const char *const csq_hunt_type = "sluice_hunt";

/// sluice_hunt(hunt, queue, shelf, payload, texts…): whether a row is wanted, or is the last to look at.
static inline void csq_look(sqlite3_context *context, int count, sqlite3_value **values) {
    csq_hunt *hunt = count >= 4 ? sqlite3_value_pointer(values[0], csq_hunt_type) : (void *)0;
    if (!hunt) {
        sqlite3_result_error(context, "sluice_hunt: nothing is looked for", -1);
        return;
    }
    hunt->rows++;
    int64_t shelf = sqlite3_value_int64(values[2]);
    int is_asked = (hunt->queue < 0 || sqlite3_value_int64(values[1]) == hunt->queue)
        && hunt->states >> (shelf < 0 && shelf > -32 ? -shelf : 0) & 1;
    hunt->looked += is_asked;
    hunt->is_found = 0;
    if (is_asked) {
        const void *bytes = sqlite3_value_blob(values[3]);
        size_t size = (size_t)sqlite3_value_bytes(values[3]);
        hunt->is_found = hunt->is_wanted
            ? hunt->is_wanted(hunt->context, bytes, size, values + 4, count - 4)
            : csq_holds(bytes, size, hunt->wanted, hunt->wanted_count);
    }
    sqlite3_result_int(context, hunt->is_found || hunt->rows >= hunt->limit);
}

/// Lets statements look through rows.
static inline int csq_define_hunt(sqlite3 *database) {
    return sqlite3_create_function_v2(
        database, csq_hunt_type, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, (void *)0, csq_look,
        (void *)0, (void *)0, (void *)0);
}

/// Binds the search, which must stay in place while the statement runs.
static inline int csq_bind_hunt(sqlite3_stmt *statement, int index, csq_hunt *hunt) {
    return sqlite3_bind_pointer(statement, index, hunt, csq_hunt_type, (void (*)(void *))0);
}

/// Steps through rows and stores the first columns, up to `room`; the last code shows whether more
/// follow.
static inline int csq_integers(
    sqlite3_stmt *statement, int64_t *numbers, size_t room, size_t *count) {
    int code = SQLITE_ROW;
    for (*count = 0; *count < room; ++*count) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW) return code;
        numbers[*count] = sqlite3_column_int64(statement, 0);
    }
    return code;
}

/// Binds a text that SQLite copies.
static inline int csq_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}

/// Binds bytes that SQLite copies.
static inline int csq_bind_blob(sqlite3_stmt *statement, int index, const void *data, int bytes) {
    return sqlite3_bind_blob(statement, index, data, bytes, SQLITE_TRANSIENT);
}

/// Binds bytes that stay in place until the statement is reset and its bindings are cleared.
static inline int csq_bind_blob_in_place(
    sqlite3_stmt *statement, int index, const void *data, int64_t bytes) {
    return sqlite3_bind_blob64(statement, index, data, (sqlite3_uint64)bytes, SQLITE_STATIC);
}

/// Binds UTF-8 text that stays in place until the statement is reset and bound again.
static inline int csq_bind_text_in_place(
    sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_STATIC);
}

/// Lets SQLite keep no statistics of its memory: each of its allocations takes a lock for them that
/// all threads share. Only before the first connection of a process; later it changes nothing.
static inline int csq_keep_no_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Refuses what could damage the file by SQL alone, and trusts no function in its schema. Plans do
/// not depend on bound values: otherwise SQLite prepares a statement again for a new value, if it
/// compared one with the condition of a partial index.
static inline int csq_harden(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK) {
        code = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_QPSG, 1, (int *)0);
    }
    if (code != SQLITE_OK) return code;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Flags to create a store's file: only if missing, and never through a link.
static const int csq_create_new = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

/// Flags to open an existing file for locking.
static const int csq_read = O_RDONLY | O_NOFOLLOW;

/// Flags to open an existing file to test write access.
static const int csq_write = O_WRONLY | O_NOFOLLOW;

/// Flags to open the notice; creates it if missing.
static const int csq_open_or_create = O_RDWR | O_CREAT | O_NOFOLLOW;

/// The error numbers that callers distinguish.
static const int csq_exists = EEXIST;
static const int csq_no_space = ENOSPC;
static const int csq_read_only_system = EROFS;

/// How many bytes there is room for on the disk of a file; -1 where it cannot be told.
static inline long long csq_room(const char *path) {
    struct statvfs found;
    if (statvfs(path, &found) != 0) return -1;
    return (long long)found.f_bavail * (long long)found.f_frsize;
}

/// Writes one byte at the start of a file, to notify watchers. Returns 0, or -1 with errno.
static inline int csq_notify(int descriptor) {
    return pwrite(descriptor, "!", 1, 0) == 1 ? 0 : -1;
}

#endif
