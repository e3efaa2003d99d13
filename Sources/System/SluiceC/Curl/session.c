#include "library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERROR_BYTES 256
// As measured, a buffer of this size makes a transfer a third faster than the standard one.
#define BUFFER_BYTES (256L << 10)

struct ccurl_session {
    void *multi;
    void *easy;
    void *headers;
    ccurl_request request;
    int is_added;
    // The socket opened last, while open; otherwise -1.
    int opened;
    char error[ERROR_BYTES];
};

ccurl_session *ccurl_session_make(void) {
    ccurl_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    session->opened = -1;
    session->multi = ccurl.multi_init();
    session->easy = ccurl.easy_init();
    if (session->multi && session->easy) return session;
    ccurl_session_free(session);
    return NULL;
}

void ccurl_session_free(ccurl_session *session) {
    if (session->easy) ccurl.easy_cleanup(session->easy);
    if (session->multi) ccurl.multi_cleanup(session->multi);
    free(session);
}

void ccurl_session_wake(ccurl_session *session) {
    ccurl.multi_wakeup(session->multi);
}

static size_t give(char *bytes, size_t size, size_t count, void *context) {
    const ccurl_request *request = &((ccurl_session *)context)->request;
    size_t given = request->read(request->context, bytes, size * count);
    return given == CCURL_ABORT ? read_abort : given;
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    const ccurl_request *request = &((ccurl_session *)context)->request;
    // Any number other than the byte count ends the exchange.
    return request->write(request->context, bytes, size * count);
}

static int go_back(void *context, int64_t offset, int origin) {
    const ccurl_request *request = &((ccurl_session *)context)->request;
    int is_start = offset == 0 && origin == 0;
    return is_start && request->rewind(request->context) ? seek_done : seek_failed;
}

static int note_made(void *context, int socket, int purpose) {
    (void)purpose;
    ((ccurl_session *)context)->opened = socket;
    return 0;
}

static int close_noted(void *context, int socket) {
    ccurl_session *session = context;
    if (session->opened == socket) session->opened = -1;
    return close(socket);
}

int ccurl_add_header(ccurl_session *session, const char *line) {
    void *longer = ccurl.slist_append(session->headers, line);
    if (!longer) return 0;
    session->headers = longer;
    return 1;
}

static int set_common(ccurl_session *session, const ccurl_request *request) {
    void *easy = session->easy;
    int (*set)(void *, int, ...) = ccurl.easy_setopt;
    // One that is older than the option waits for the resolver when it is stopped.
    set(easy, option_quick_exit, 1L);
    return set(easy, option_error_buffer, session->error)
        || set(easy, option_protocols, "http,https")
        || set(easy, option_url, request->url)
        || set(easy, option_method, request->method)
        || set(easy, option_headers, session->headers)
        || set(easy, option_user_agent, "sluice")
        || set(easy, option_follow, 0L)
        || set(easy, option_no_signal, 1L)
        || set(easy, option_keep_alive, 1L)
        || set(easy, option_hide_connect_headers, 1L)
        || set(easy, option_buffer_bytes, BUFFER_BYTES)
        || set(easy, option_connect_milliseconds, (long)request->connect_milliseconds)
        || set(easy, option_socket_made, note_made)
        || set(easy, option_socket_made_context, session)
        || set(easy, option_socket_close, close_noted)
        || set(easy, option_socket_close_context, session)
        || set(easy, option_write, take)
        || set(easy, option_write_context, session);
}

static int set_body(ccurl_session *session, const ccurl_request *request) {
    void *easy = session->easy;
    int (*set)(void *, int, ...) = ccurl.easy_setopt;
    if (request->is_head) return set(easy, option_no_body, 1L);
    if (request->body_bytes < 0) return 0;
    return set(easy, option_upload, 1L)
        || set(easy, option_body_bytes, request->body_bytes)
        || set(easy, option_upload_buffer_bytes, BUFFER_BYTES)
        || set(easy, option_read, give)
        || set(easy, option_read_context, session)
        || set(easy, option_seek, go_back)
        || set(easy, option_seek_context, session);
}

const char *ccurl_begin(ccurl_session *session, const ccurl_request *request) {
    session->request = *request;
    session->error[0] = 0;
    int failed = set_common(session, request) || set_body(session, request);
    if (!failed && request->certificates) {
        failed = ccurl.easy_setopt(session->easy, option_certificates, request->certificates);
    }
    if (failed) return "libcurl refuses an option of the request";
    if (ccurl.multi_add_handle(session->multi, session->easy) != 0) {
        return "libcurl does not begin the request";
    }
    session->is_added = 1;
    return NULL;
}

int ccurl_perform(ccurl_session *session, int *code) {
    int running = 0;
    int left = 0;
    if (ccurl.multi_perform(session->multi, &running) != 0) return -1;
    for (;;) {
        struct ccurl_message *message = ccurl.multi_info_read(session->multi, &left);
        if (!message) return 1;
        if (message->kind != message_done) continue;
        *code = message->data.code;
        return 0;
    }
}

void ccurl_wait(ccurl_session *session, int milliseconds) {
    ccurl.multi_poll(session->multi, NULL, 0, milliseconds, NULL);
}

void ccurl_end(ccurl_session *session) {
    if (session->is_added) ccurl.multi_remove_handle(session->multi, session->easy);
    session->is_added = 0;
    // Keeps the connections, forgets every option: nothing of one request reaches the next.
    ccurl.easy_reset(session->easy);
    ccurl.slist_free_all(session->headers);
    session->headers = NULL;
}

long ccurl_status(ccurl_session *session) {
    long status = 0;
    ccurl.easy_getinfo(session->easy, info_status, &status);
    return status;
}

const char *ccurl_header(ccurl_session *session, const char *name) {
    struct ccurl_header_entry *entry = NULL;
    int code = ccurl.easy_header(session->easy, name, 0, header_of_answer, -1, &entry);
    return code == 0 && entry ? entry->value : NULL;
}

int ccurl_next_header(
    ccurl_session *session, ccurl_header_line **line, const char **name, const char **value) {
    struct ccurl_header_entry *entry = ccurl.easy_next_header(
        session->easy, header_of_answer, -1, (struct ccurl_header_entry *)*line);
    if (!entry) return 0;
    *line = (ccurl_header_line *)entry;
    *name = entry->name;
    *value = entry->value;
    return 1;
}

const char *ccurl_version(ccurl_session *session) {
    static const char *const names[] = {NULL, "HTTP/1.0", "HTTP/1.1", "HTTP/2"};
    long version = 0;
    ccurl.easy_getinfo(session->easy, info_version, &version);
    if (version == 30) return "HTTP/3";
    return version > 0 && version < 4 ? names[version] : NULL;
}

int64_t ccurl_phase_end(ccurl_session *session, int phase) {
    static const int infos[CCURL_PHASES] = {
        info_name_found, info_connected, info_keys_agreed, info_before_transfer, info_first_byte,
        info_total,
    };
    int64_t microseconds = 0;
    if (phase < 0 || phase >= CCURL_PHASES) return 0;
    ccurl.easy_getinfo(session->easy, infos[phase], &microseconds);
    return microseconds;
}

const char *ccurl_redirect(ccurl_session *session) {
    const char *url = NULL;
    ccurl.easy_getinfo(session->easy, info_redirect, &url);
    return url;
}

int64_t ccurl_retry_after(ccurl_session *session) {
    int64_t seconds = 0;
    ccurl.easy_getinfo(session->easy, info_retry_after, &seconds);
    return seconds;
}

long ccurl_system_error(ccurl_session *session) {
    long number = 0;
    ccurl.easy_getinfo(session->easy, info_system_error, &number);
    return number;
}

int ccurl_socket(ccurl_session *session) {
    int socket = -1;
    ccurl.easy_getinfo(session->easy, info_socket, &socket);
    // During the first exchange of a connection libcurl reports no socket.
    return socket >= 0 ? socket : session->opened;
}

const char *ccurl_error_text(ccurl_session *session, int code) {
    return session->error[0] ? session->error : ccurl.easy_strerror(code);
}
