#ifndef SLUICE_CCURL_H
#define SLUICE_CCURL_H

// The calls of Sluice to libcurl. The library is found at its first use (dlopen): a process without
// requests never loads it, and the build needs none of its headers.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// Loads the library once; NULL when it is there, else why it is not. From any thread.
const char *_Nullable ccurl_load(void);

/// One part of a URL; freed with `ccurl_url_free`. Strings are NULL where the URL lacks the part.
typedef struct {
    char *_Nullable scheme;
    char *_Nullable user;
    char *_Nullable host;
    /// With the scheme's own port where the URL names none.
    char *_Nullable port;
    char *_Nullable path;
} ccurl_url;

/// Parses a URL; returns NULL on success, otherwise the error.
const char *_Nullable ccurl_url_parse(const char *text, ccurl_url *url);
void ccurl_url_free(ccurl_url *url);

/// A date as HTTP writes it, in seconds since 1970; -1 for none.
int64_t ccurl_date(const char *text);

/// The session of a thread: one exchange at a time, over connections that it keeps.
typedef struct ccurl_session ccurl_session;

ccurl_session *_Nullable ccurl_session_make(void);
void ccurl_session_free(ccurl_session *session);

/// Ends the wait that the session is in, or the next one; from any thread while it lives.
void ccurl_session_wake(ccurl_session *session);

/// A callback's return value for an abort, in addition to byte counts.
#define CCURL_ABORT SIZE_MAX

/// One exchange. Its texts need not live longer than `ccurl_begin`.
typedef struct {
    const char *method;
    const char *url;
    /// -1 for a request without a body.
    int64_t body_bytes;
    /// HEAD: an answer without a body.
    int is_head;
    int64_t connect_milliseconds;
    /// A file of certificates to trust instead of the library's own.
    const char *_Nullable certificates;
    void *context;
    /// Fills in the next bytes of the body; CCURL_ABORT ends the exchange.
    size_t (*read)(void *context, char *bytes, size_t capacity);
    /// Takes bytes of the answer; CCURL_ABORT ends the exchange.
    size_t (*write)(void *context, const char *bytes, size_t count);
    /// Goes back to the first byte of the body; 0 where that cannot be.
    int (*rewind)(void *context);
} ccurl_request;

/// Adds a line `Name: value` to the exchange that begins next; 0 where there is no memory.
int ccurl_add_header(ccurl_session *session, const char *line);

/// Begins an exchange; NULL when that went well, else why not. `ccurl_end` is owed in either case.
const char *_Nullable ccurl_begin(ccurl_session *session, const ccurl_request *request);

/// Performs the work that is ready. Returns 1 while the exchange continues, 0 at its end with
/// libcurl's code (0 is success), and -1 if it cannot continue.
int ccurl_perform(ccurl_session *session, int *code);

/// Waits until I/O is ready, a thread wakes the session, or the time has passed. Without an
/// exchange it waits for the latter two.
void ccurl_wait(ccurl_session *session, int milliseconds);

/// Ends the exchange; an unfinished one closes its connection.
void ccurl_end(ccurl_session *session);

// Results of the current or last exchange, until `ccurl_end` --------------------------------------

/// The status of the answer; 0 before there is one.
long ccurl_status(ccurl_session *session);

/// The value of a header of the answer; NULL where it has none. Valid until the next call.
const char *_Nullable ccurl_header(ccurl_session *session, const char *name);

/// A line of an answer's head.
typedef struct ccurl_header_line ccurl_header_line;

/// The line after `line`, or the first one after NULL; 0 after the last. Name and value are valid
/// until the next call.
int ccurl_next_header(
    ccurl_session *session, ccurl_header_line *_Nullable *_Nonnull line,
    const char *_Nullable *_Nonnull name, const char *_Nullable *_Nonnull value);

/// The protocol of the answer, such as `HTTP/1.1`; NULL before there is one.
const char *_Nullable ccurl_version(ccurl_session *session);

/// The number of phases of an exchange.
#define CCURL_PHASES 6

/// The end of a phase in microseconds since the start; 0 for one that did not end. In order: the
/// name was found, connected, keys agreed, the request's turn, the first byte, the end.
int64_t ccurl_phase_end(ccurl_session *session, int phase);

/// The whole URL of a redirect; NULL for any other response.
const char *_Nullable ccurl_redirect(ccurl_session *session);

/// The seconds of Retry-After, from now; dates are reckoned by the wall clock.
int64_t ccurl_retry_after(ccurl_session *session);

/// The system's error number of the last connection that failed.
long ccurl_system_error(ccurl_session *session);

/// The socket in use; -1 for none.
int ccurl_socket(ccurl_session *session);

const char *ccurl_error_text(ccurl_session *session, int code);

// A TLS connection that carries bytes of any protocol ----------------------------------------------

/// A connection, used by one thread at a time.
typedef struct ccurl_tunnel ccurl_tunnel;

/// The target and the trusted certificates. The texts must live until `ccurl_tunnel_connect`
/// returns.
typedef struct ccurl_tunnel_request {
    /// `https://host:port`.
    const char *url;
    int connect_milliseconds;
    /// A file of certificates to trust in place of the system's; NULL for the system's.
    const char *_Nullable authorities;
    /// Files of the client's own certificate and its key; NULL for none.
    const char *_Nullable certificate;
    const char *_Nullable key;
    /// 1 where any certificate and any name will do.
    int is_unchecked;
} ccurl_tunnel_request;

/// One that leads nowhere yet; NULL where there is no memory. After `ccurl_load` went well.
ccurl_tunnel *_Nullable ccurl_tunnel_make(void);

/// Connects and agrees on the keys, which may take so long; NULL when that went well, else why not,
/// valid until the tunnel goes. Once only.
const char *_Nullable ccurl_tunnel_connect(
    ccurl_tunnel *tunnel, const ccurl_tunnel_request *request);

/// The non-blocking socket to poll; -1 before the connection.
int ccurl_tunnel_socket(ccurl_tunnel *tunnel);

/// How many bytes were taken; -1 with EAGAIN where none can be now, with EPIPE where it has ended.
ssize_t ccurl_tunnel_send(ccurl_tunnel *tunnel, const void *bytes, size_t count);

/// How many bytes came, 0 at the end; -1 with EAGAIN where none are there, with EPIPE where it
/// broke. What the socket had may be in the tunnel already: read until EAGAIN before waiting.
ssize_t ccurl_tunnel_receive(ccurl_tunnel *tunnel, void *bytes, size_t capacity);

/// Ends it.
void ccurl_tunnel_free(ccurl_tunnel *tunnel);

#pragma clang assume_nonnull end

#endif
