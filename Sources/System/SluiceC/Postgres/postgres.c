#define _GNU_SOURCE
#include "CPostgres.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The functions of libpq that are called, by the names that they have there. Connections and
// results are its own; ours are other names for them.
static struct {
    void *(*PQconnectdbParams)(const char *const *, const char *const *, int);
    void *(*PQconnectStartParams)(const char *const *, const char *const *, int);
    int (*PQconnectPoll)(void *);
    int (*PQpingParams)(const char *const *, const char *const *, int);
    int (*PQisBusy)(void *);
    int (*PQflush)(void *);
    int (*PQsetErrorVerbosity)(void *, int);
    void (*PQfinish)(void *);
    int (*PQstatus)(const void *);
    char *(*PQerrorMessage)(const void *);
    int (*PQconnectionNeedsPassword)(const void *);
    int (*PQsocket)(const void *);
    int (*PQbackendPID)(const void *);
    int (*PQserverVersion)(const void *);
    const char *(*PQparameterStatus)(const void *, const char *);
    void *(*PQconninfoParse)(const char *, char **);
    void (*PQconninfoFree)(void *);
    void (*PQfreemem)(void *);
    int (*PQenterPipelineMode)(void *);
    int (*PQpipelineSync)(void *);
    int (*PQsendQueryParams)(
        void *, const char *, int, const unsigned *, const char *const *, const int *, const int *,
        int);
    int (*PQsendPrepare)(void *, const char *, const char *, int, const unsigned *);
    int (*PQsendQueryPrepared)(
        void *, const char *, int, const char *const *, const int *, const int *, int);
    void *(*PQgetResult)(void *);
    void *(*PQexec)(void *, const char *);
    int (*PQsendQuery)(void *, const char *);
    int (*PQresultStatus)(const void *);
    void (*PQclear)(void *);
    char *(*PQresultErrorField)(const void *, int);
    int (*PQntuples)(const void *);
    int (*PQgetisnull)(const void *, int, int);
    int (*PQgetlength)(const void *, int, int);
    char *(*PQgetvalue)(const void *, int, int);
    int (*PQconsumeInput)(void *);
    void *(*PQnotifies)(void *);
    void *(*PQsetNoticeProcessor)(void *, void (*)(void *, const char *), void *);
} pq;

#define SYMBOL(name) {#name, &pq.name}

static const struct {
    const char *name;
    void *place;
} symbols[] = {
    SYMBOL(PQconnectdbParams), SYMBOL(PQconnectStartParams), SYMBOL(PQconnectPoll),
    SYMBOL(PQpingParams), SYMBOL(PQisBusy), SYMBOL(PQflush), SYMBOL(PQsetErrorVerbosity), SYMBOL(PQfinish), SYMBOL(PQstatus), SYMBOL(PQerrorMessage),
    SYMBOL(PQconnectionNeedsPassword), SYMBOL(PQsocket), SYMBOL(PQbackendPID),
    SYMBOL(PQserverVersion), SYMBOL(PQparameterStatus), SYMBOL(PQconninfoParse),
    SYMBOL(PQconninfoFree), SYMBOL(PQfreemem), SYMBOL(PQenterPipelineMode),
    SYMBOL(PQpipelineSync), SYMBOL(PQsendQueryParams), SYMBOL(PQsendPrepare),
    SYMBOL(PQsendQueryPrepared), SYMBOL(PQgetResult), SYMBOL(PQexec), SYMBOL(PQsendQuery),
    SYMBOL(PQresultStatus),
    SYMBOL(PQclear), SYMBOL(PQresultErrorField), SYMBOL(PQntuples), SYMBOL(PQgetisnull),
    SYMBOL(PQgetlength), SYMBOL(PQgetvalue),
    SYMBOL(PQconsumeInput), SYMBOL(PQnotifies), SYMBOL(PQsetNoticeProcessor),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;
static char reason[256];

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libpq is not installed (Debian: apt-get install libpq5)";
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) {
            snprintf(
                reason, sizeof reason, "libpq is older than version 14: it has no %s",
                symbols[i].name);
            missing = reason;
            return;
        }
        *(void **)symbols[i].place = found;
    }
}

const char *cpq_load(void) {
    pthread_once(&once, load);
    return missing;
}

// Connections -------------------------------------------------------------------------------------

// Server notices would otherwise go to standard error, in the middle of a screen.
static void ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

cpq_connection *cpq_connect(const char *const *names, const char *const *values) {
    void *connection = pq.PQconnectdbParams(names, values, 1);
    if (connection) pq.PQsetNoticeProcessor(connection, ignore, NULL);
    return connection;
}

// In verbose form a message is `SEVERITY:  28P01: text` in every language.
static void find_sqlstate(const char *message, char sqlstate[6]) {
    for (const char *at = message; (at = strstr(at, ":  ")); at++) {
        int length = 0;
        while (length < 5 && isalnum((unsigned char)at[3 + length])) length++;
        if (length == 5 && at[8] == ':') {
            memcpy(sqlstate, at + 3, 5);
            sqlstate[5] = 0;
        }
    }
}

void cpq_diagnose(
    const char *const *names, const char *const *values, int milliseconds, char sqlstate[6]) {
    enum { failed = 0, reading = 1, ok = 3, verbose = 2 };
    sqlstate[0] = 0;
    void *connection = pq.PQconnectStartParams(names, values, 1);
    if (!connection) return;
    pq.PQsetNoticeProcessor(connection, ignore, NULL);
    pq.PQsetErrorVerbosity(connection, verbose);
    int is_bad = pq.PQstatus(connection) == 1;
    int state = is_bad ? failed : 2;
    while (state != failed && state != ok) {
        struct pollfd socket = {pq.PQsocket(connection), state == reading ? POLLIN : POLLOUT, 0};
        if (poll(&socket, 1, milliseconds) != 1) break;
        state = pq.PQconnectPoll(connection);
    }
    if (state == failed) find_sqlstate(pq.PQerrorMessage(connection), sqlstate);
    pq.PQfinish(connection);
}

void cpq_close(cpq_connection *connection) { pq.PQfinish(connection); }
int cpq_is_open(cpq_connection *connection) { return pq.PQstatus(connection) == 0; }
const char *cpq_error(cpq_connection *connection) { return pq.PQerrorMessage(connection); }
int cpq_needs_password(cpq_connection *c) { return pq.PQconnectionNeedsPassword(c); }
int cpq_socket(cpq_connection *connection) { return pq.PQsocket(connection); }
int cpq_backend(cpq_connection *connection) { return pq.PQbackendPID(connection); }
int cpq_server_version(cpq_connection *connection) { return pq.PQserverVersion(connection); }
const char *cpq_parameter(cpq_connection *connection, const char *name) {
    return pq.PQparameterStatus(connection, name);
}

int cpq_can_read(const char *address) {
    char *message = NULL;
    void *options = pq.PQconninfoParse(address, &message);
    if (message) pq.PQfreemem(message);
    if (options) pq.PQconninfoFree(options);
    return options != NULL;
}

// Statements --------------------------------------------------------------------------------------

int cpq_pipeline(cpq_connection *connection) { return pq.PQenterPipelineMode(connection); }

// More than any statement of Sluice has.
#define VALUES 1024

struct lists {
    const char *bytes[VALUES];
    int counts[VALUES];
    int formats[VALUES];
};

static int fill(struct lists *lists, int count, const cpq_value *values) {
    if (count > VALUES) return 0;
    for (int i = 0; i < count; i++) {
        lists->bytes[i] = values[i].bytes;
        lists->counts[i] = values[i].count;
        lists->formats[i] = values[i].is_binary;
    }
    return 1;
}

int cpq_send_text(cpq_connection *c, const char *sql, int count, const cpq_value *values) {
    struct lists lists;
    return fill(&lists, count, values)
        && pq.PQsendQueryParams(
            c, sql, count, NULL, lists.bytes, lists.counts, lists.formats, 1);
}

int cpq_send_prepare(cpq_connection *connection, const char *name, const char *sql) {
    return pq.PQsendPrepare(connection, name, sql, 0, NULL);
}

int cpq_send_prepared(cpq_connection *c, const char *name, int count, const cpq_value *values) {
    struct lists lists;
    return fill(&lists, count, values)
        && pq.PQsendQueryPrepared(c, name, count, lists.bytes, lists.counts, lists.formats, 1);
}

int cpq_sync(cpq_connection *connection) { return pq.PQpipelineSync(connection); }
int cpq_push(cpq_connection *connection) { return pq.PQflush(connection) >= 0; }
cpq_result *cpq_next(cpq_connection *connection) { return pq.PQgetResult(connection); }

int cpq_await(cpq_connection *connection, int milliseconds) {
    while (pq.PQisBusy(connection)) {
        int unsent = pq.PQflush(connection);
        if (unsent < 0) return 1;
        struct pollfd place = {
            .fd = pq.PQsocket(connection),
            .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN),
        };
        int found = poll(&place, 1, milliseconds);
        if (found == 0) return 0;
        // The next response reports errors of the connection.
        if (found < 0 && errno != EINTR) return 1;
        if (place.revents & ~POLLOUT && !pq.PQconsumeInput(connection)) return 1;
    }
    return 1;
}

int cpq_answers(const char *const *names, const char *const *values) {
    // libpq's PGPing: it takes connections, or says that it takes none now.
    int said = pq.PQpingParams(names, values, 1);
    return said == 0 || said == 1;
}
cpq_result *cpq_run(cpq_connection *c, const char *sql) { return pq.PQexec(c, sql); }
int cpq_send_all(cpq_connection *c, const char *sql) { return pq.PQsendQuery(c, sql); }

// Answers -----------------------------------------------------------------------------------------

enum cpq_kind cpq_result_kind(const cpq_result *result) {
    // libpq's ExecStatusType.
    switch (pq.PQresultStatus(result)) {
    case 1: return cpq_done;
    case 2: return cpq_rows;
    case 5:
    case 7: return cpq_failed;
    case 10: return cpq_synced;
    case 11: return cpq_aborted;
    default: return cpq_other;
    }
}

void cpq_result_free(cpq_result *result) { pq.PQclear(result); }
const char *cpq_sqlstate(const cpq_result *result) { return pq.PQresultErrorField(result, 'C'); }
const char *cpq_message(const cpq_result *result) { return pq.PQresultErrorField(result, 'M'); }
const char *cpq_constraint(const cpq_result *result) { return pq.PQresultErrorField(result, 'n'); }
const char *cpq_detail(const cpq_result *result) { return pq.PQresultErrorField(result, 'D'); }
int cpq_row_count(const cpq_result *result) { return pq.PQntuples(result); }
int cpq_is_null(const cpq_result *r, int row, int column) { return pq.PQgetisnull(r, row, column); }
int cpq_length(const cpq_result *r, int row, int column) { return pq.PQgetlength(r, row, column); }
const char *cpq_bytes(const cpq_result *r, int row, int column) {
    return pq.PQgetvalue(r, row, column);
}

// Notifications -----------------------------------------------------------------------------------

int cpq_consume(cpq_connection *connection) { return pq.PQconsumeInput(connection); }

int cpq_take_notice(cpq_connection *connection) {
    // The beginning of libpq's PGnotify.
    struct {
        char *channel;
        int backend;
    } *notice = pq.PQnotifies(connection);
    if (!notice) return 0;
    int backend = notice->backend;
    pq.PQfreemem(notice);
    return backend;
}
