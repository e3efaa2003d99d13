#ifndef SLUICE_CMARIADB_H
#define SLUICE_CMARIADB_H

// The calls of Sluice to libmariadb. The library is found at its first use (dlopen): a process
// without a MariaDB connection never loads it, and the build needs none of its headers.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library once; NULL when it is there, else the reason. From any thread.
const char *_Nullable cmy_load(void);

/// A connection, used by one thread at a time.
typedef struct cmy_connection cmy_connection;
/// The rows of one answer, all in memory.
typedef struct cmy_result cmy_result;

/// How to reach a server. A NULL is the library's own default.
typedef struct {
    const char *_Nullable host;
    const char *_Nullable user;
    const char *_Nullable password;
    const char *_Nullable database;
    const char *_Nullable socket;
    uint32_t port;
    /// Whether to reach localhost over TCP instead of the default socket.
    int32_t is_tcp;
    uint32_t connect_seconds;
    uint32_t answer_seconds;
    /// Whether to refuse unencrypted connections, and whether to check the server's name.
    int32_t needs_tls;
    int32_t checks_name;
    const char *_Nullable authorities;
    const char *_Nullable certificate;
    const char *_Nullable key;
} cmy_settings;

/// Connects. NULL only without memory; `cmy_errno` is 0 when the connection is open.
cmy_connection *_Nullable cmy_connect(const cmy_settings *settings);
void cmy_close(cmy_connection *connection);
/// The number and the text of the last failure; the text belongs to the connection.
uint32_t cmy_errno(cmy_connection *connection);
const char *cmy_error(cmy_connection *connection);

int cmy_is_encrypted(cmy_connection *connection);

/// Runs one statement, and keeps its rows, if it gives any, in `rows`. 1 when it went well.
int cmy_run(
    cmy_connection *connection, const char *sql, size_t length,
    cmy_result *_Nullable *_Nonnull rows);
/// How many rows the last statement matched.
uint64_t cmy_matched(cmy_connection *connection);

/// The kind of a column.
enum cmy_kind { cmy_integer, cmy_number, cmy_text, cmy_bytes };

void cmy_result_free(cmy_result *result);
uint32_t cmy_column_count(cmy_result *result);
const char *cmy_column_name(cmy_result *result, uint32_t column);
enum cmy_kind cmy_column_kind(cmy_result *result, uint32_t column);
/// Goes to the next row; 0 after the last one.
int cmy_next(cmy_result *result);
/// A value of the current row; NULL for NULL.
const char *_Nullable cmy_value(cmy_result *result, uint32_t column, size_t *length);

#pragma clang assume_nonnull end

#endif
