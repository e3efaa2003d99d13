#include "library.h"

#include <errno.h>
#include <stdlib.h>

#define ERROR_BYTES 256

struct ccurl_tunnel {
    void *easy;
    int socket;
    char error[ERROR_BYTES];
};

static int set_options(ccurl_tunnel *tunnel, const ccurl_tunnel_request *request) {
    void *easy = tunnel->easy;
    int (*set)(void *, int, ...) = ccurl.easy_setopt;
    int failed = set(easy, option_error_buffer, tunnel->error)
        || set(easy, option_protocols, "https")
        || set(easy, option_url, request->url)
        || set(easy, option_connect_only, 1L)
        || set(easy, option_protocol_choice, 0L)
        || set(easy, option_no_proxy, "*")
        || set(easy, option_no_signal, 1L)
        || set(easy, option_keep_alive, 1L)
        || set(easy, option_connect_milliseconds, (long)request->connect_milliseconds)
        || set(easy, option_check_peer, request->is_unchecked ? 0L : 1L)
        || set(easy, option_check_name, request->is_unchecked ? 0L : 2L);
    if (!failed && request->authorities) {
        failed = set(easy, option_certificates, request->authorities);
    }
    if (!failed && request->certificate) {
        failed = set(easy, option_own_certificate, request->certificate);
    }
    if (!failed && request->key) failed = set(easy, option_own_key, request->key);
    return failed;
}

const char *ccurl_tunnel_connect(ccurl_tunnel *tunnel, const ccurl_tunnel_request *request) {
    if (set_options(tunnel, request)) return "libcurl refuses an option of TLS";
    int code = ccurl.easy_perform(tunnel->easy);
    if (code != 0) return tunnel->error[0] ? tunnel->error : ccurl.easy_strerror(code);
    ccurl.easy_getinfo(tunnel->easy, info_socket, &tunnel->socket);
    return tunnel->socket >= 0 ? NULL : "libcurl gives no connection";
}

ccurl_tunnel *ccurl_tunnel_make(void) {
    ccurl_tunnel *tunnel = calloc(1, sizeof *tunnel);
    if (!tunnel) return NULL;
    tunnel->socket = -1;
    tunnel->easy = ccurl.easy_init();
    if (tunnel->easy) return tunnel;
    free(tunnel);
    return NULL;
}

void ccurl_tunnel_free(ccurl_tunnel *tunnel) {
    ccurl.easy_cleanup(tunnel->easy);
    free(tunnel);
}

int ccurl_tunnel_socket(ccurl_tunnel *tunnel) { return tunnel->socket; }

static ssize_t result(int code, size_t count) {
    if (code == 0) return (ssize_t)count;
    errno = code == code_again ? EAGAIN : EPIPE;
    return -1;
}

ssize_t ccurl_tunnel_send(ccurl_tunnel *tunnel, const void *bytes, size_t count) {
    size_t put = 0;
    return result(ccurl.easy_send(tunnel->easy, bytes, count, &put), put);
}

ssize_t ccurl_tunnel_receive(ccurl_tunnel *tunnel, void *bytes, size_t capacity) {
    size_t got = 0;
    return result(ccurl.easy_recv(tunnel->easy, bytes, capacity, &got), got);
}
