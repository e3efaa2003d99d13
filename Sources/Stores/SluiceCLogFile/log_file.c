#include "log_file.h"

#include <sqlite3.h>
#include <string.h>

enum { head_bytes = 24, most_bytes = 128 * 1024 };

// A log file, wrapping the file of SQLite's own methods.
typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    // Whether a commit is in progress.
    int gathers;
    // The gathered bytes and their offset.
    unsigned char *gathered;
    int count;
    sqlite3_int64 start;
    // Whether a head waits for its page, and whether that is the last of the commit.
    int has_head, is_last;
} log_file;

static int flush(log_file *log) {
    if (log->count == 0) return SQLITE_OK;
    int count = log->count;
    log->count = 0;
    return log->real->pMethods->xWrite(log->real, log->gathered, count, log->start);
}

static int write_through(log_file *log, const void *bytes, int count, sqlite3_int64 place) {
    int code = flush(log);
    log->has_head = 0;
    if (code != SQLITE_OK) return code;
    return log->real->pMethods->xWrite(log->real, bytes, count, place);
}

// A commit consists of headers with their pages; the last header has the size of the file. Later
// writes of SQLite, which replace only headers of earlier frames, are not gathered.
static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
    log_file *log = (log_file *)file;
    int follows = log->count > 0 && place == log->start + log->count;
    int is_page = log->has_head && follows;
    int is_head = !log->has_head && count == head_bytes;
    if (!log->gathers || (!is_page && !is_head)) return write_through(log, bytes, count, place);
    if (!log->gathered) log->gathered = sqlite3_malloc(most_bytes);
    if (!log->gathered || count > most_bytes) return write_through(log, bytes, count, place);
    if (!follows || log->count + count > most_bytes) {
        int code = flush(log);
        if (code != SQLITE_OK) return code;
    }
    if (log->count == 0) log->start = place;
    memcpy(log->gathered + log->count, bytes, (size_t)count);
    log->count += count;
    log->has_head = is_head;
    if (is_head) {
        static const unsigned char nothing[4] = {0};
        log->is_last = memcmp((const unsigned char *)bytes + 4, nothing, sizeof nothing) != 0;
        return SQLITE_OK;
    }
    if (!log->is_last) return SQLITE_OK;
    log->gathers = 0;
    return flush(log);
}

static int log_close(sqlite3_file *file) {
    log_file *log = (log_file *)file;
    // The remaining bytes belong to no commit.
    sqlite3_free(log->gathered);
    return log->real->pMethods->xClose(log->real);
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    if (code != SQLITE_OK) return code;
    return log->real->pMethods->xRead(log->real, bytes, count, place);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    if (code != SQLITE_OK) return code;
    return log->real->pMethods->xTruncate(log->real, size);
}

static int log_sync(sqlite3_file *file, int flags) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->real->pMethods->xSync(log->real, flags) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    log_file *log = (log_file *)file;
    int code = flush(log);
    return code == SQLITE_OK ? log->real->pMethods->xFileSize(log->real, size) : code;
}

static int log_control(sqlite3_file *file, int operation, void *argument) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xFileControl(real, operation, argument);
}

static int log_lock(sqlite3_file *file, int level) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xLock(real, level);
}

static int log_unlock(sqlite3_file *file, int level) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xUnlock(real, level);
}

static int log_is_reserved(sqlite3_file *file, int *answer) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xCheckReservedLock(real, answer);
}

static int log_sector(sqlite3_file *file) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xSectorSize(real);
}

static int log_characteristics(sqlite3_file *file) {
    sqlite3_file *real = ((log_file *)file)->real;
    return real->pMethods->xDeviceCharacteristics(real);
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_characteristics,
};

// Only logs are files of ours; all others have SQLite's own methods.
static int open_file(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    sqlite3_vfs *real = vfs->pAppData;
    if (!(flags & SQLITE_OPEN_WAL)) return real->xOpen(real, name, file, flags, opened);
    log_file *log = (log_file *)file;
    memset(log, 0, sizeof *log);
    log->real = (sqlite3_file *)(log + 1);
    int code = real->xOpen(real, name, log->real, flags, opened);
    // SQLite closes a file that has methods, also where it was not opened.
    log->base.pMethods = log->real->pMethods ? &log_methods : NULL;
    return code;
}

const char *log_file_vfs(void) {
    static sqlite3_vfs vfs;
    if (vfs.zName) return vfs.zName;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (!real) return NULL;
    vfs = *real;
    vfs.pNext = NULL;
    vfs.zName = "sluice";
    vfs.pAppData = real;
    vfs.szOsFile += (int)sizeof(log_file);
    vfs.xOpen = open_file;
    if (sqlite3_vfs_register(&vfs, 0) == SQLITE_OK) return vfs.zName;
    vfs.zName = NULL;
    return NULL;
}

void log_file_gather(sqlite3 *database, int gathers) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code != SQLITE_OK || !file || file->pMethods != &log_methods) return;
    log_file *log = (log_file *)file;
    log->gathers = gathers;
    // Discard the bytes of a failed commit: others write there next.
    log->count = log->has_head = 0;
}
