#ifndef SLUICE_CPOSTGRES_H
#define SLUICE_CPOSTGRES_H

// The calls of Sluice to libpq. The library is found at its first use (dlopen): a process without a
// PostgreSQL store never loads it, and the build needs none of its headers.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library once; NULL when it is there, else why it is not. From any thread.
const char *_Nullable cpq_load(void);

/// A connection, used by one thread at a time.
typedef struct cpq_connection cpq_connection;
/// The server's response to one statement.
typedef struct cpq_result cpq_result;

/// Connects by names and values that end with NULL each; where a value is an address or a list of
/// settings, it is taken apart. Never NULL unless there is no memory; `cpq_is_open` says whether
/// it went well.
cpq_connection *_Nullable cpq_connect(
    const char *_Nullable const *_Nonnull names, const char *_Nullable const *_Nonnull values);
/// Connects again to find the cause of a failure. Writes the server's five-character code, or an
/// empty string without a response in that time.
void cpq_diagnose(
    const char *_Nullable const *_Nonnull names, const char *_Nullable const *_Nonnull values,
    int milliseconds, char sqlstate[_Nonnull 6]);
void cpq_close(cpq_connection *connection);
int cpq_is_open(cpq_connection *connection);
/// The last error of the connection, which owns the text.
const char *cpq_error(cpq_connection *connection);
/// Whether the server wants a password that was not given.
int cpq_needs_password(cpq_connection *connection);
/// For poll; -1 for none.
int cpq_socket(cpq_connection *connection);
/// The server process of the connection, from the greeting.
int cpq_backend(cpq_connection *connection);
/// 150004 and the like; 0 when it is not known.
int cpq_server_version(cpq_connection *connection);
/// A setting that the server reports on its own, such as `server_encoding`.
const char *_Nullable cpq_parameter(cpq_connection *connection, const char *name);

/// Whether libpq can parse an address. Its message about an invalid one contains the password, so
/// it is discarded.
int cpq_can_read(const char *address);

/// One value of a statement: NULL, a text that ends with zero, or bytes.
typedef struct {
    const char *_Nullable bytes;
    int32_t count;
    int32_t is_binary;
} cpq_value;

/// In pipeline mode statements are sent without waiting for the answers of those before.
int cpq_pipeline(cpq_connection *connection);
/// Sends a statement: a prepared one if named, otherwise its text. Results have binary values.
/// Returns 0 if sending failed.
int cpq_send_text(
    cpq_connection *connection, const char *sql, int count, const cpq_value *_Nullable values);
int cpq_send_prepare(cpq_connection *connection, const char *name, const char *sql);
int cpq_send_prepared(
    cpq_connection *connection, const char *name, int count, const cpq_value *_Nullable values);
/// Ends a run of statements that fail together, and sends everything.
int cpq_sync(cpq_connection *connection);
/// Sends buffered data as far as possible now.
int cpq_push(cpq_connection *connection);
/// Waits for the next response while data arrives; returns 0 after a silence of `milliseconds`. The
/// response itself reports errors of the connection.
int cpq_await(cpq_connection *connection, int milliseconds);
/// Whether a server takes connections, or says that it takes none now.
int cpq_answers(
    const char *_Nullable const *_Nonnull names, const char *_Nullable const *_Nonnull values);
/// The next answer; NULL at the end of one statement's answers. Waits for it.
cpq_result *_Nullable cpq_next(cpq_connection *connection);

/// Sends statements without values outside a pipeline and waits; for statements used once.
cpq_result *_Nullable cpq_run(cpq_connection *connection, const char *sql);
/// Sends such statements without waiting; `cpq_next` gives the answer to each of them, as far as
/// none fails. 0 when they could not be sent.
int cpq_send_all(cpq_connection *connection, const char *sql);

enum cpq_kind {
    cpq_done = 1,
    cpq_rows = 2,
    cpq_failed = 3,
    /// Skipped, for a statement before it in the same run failed.
    cpq_aborted = 4,
    /// The answer to `cpq_sync`.
    cpq_synced = 5,
    cpq_other = 6,
} __attribute__((enum_extensibility(closed)));

enum cpq_kind cpq_result_kind(const cpq_result *result);
void cpq_result_free(cpq_result *result);
/// Five characters, or NULL where the failure is not the server's.
const char *_Nullable cpq_sqlstate(const cpq_result *result);
const char *_Nullable cpq_message(const cpq_result *result);
/// For a row that violates a constraint: the constraint, and the key; otherwise NULL.
const char *_Nullable cpq_constraint(const cpq_result *result);
const char *_Nullable cpq_detail(const cpq_result *result);
int cpq_row_count(const cpq_result *result);
int cpq_is_null(const cpq_result *result, int row, int column);
int cpq_length(const cpq_result *result, int row, int column);
const char *cpq_bytes(const cpq_result *result, int row, int column);

/// Reads arrived data without waiting; returns 0 if the connection is lost.
int cpq_consume(cpq_connection *connection);
/// Takes one notification, if any, and returns the server process that sent it; otherwise 0.
int cpq_take_notice(cpq_connection *connection);

#pragma clang assume_nonnull end

#endif
