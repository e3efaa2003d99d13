#ifndef SLUICE_CCURL_LIBRARY_H
#define SLUICE_CCURL_LIBRARY_H

#include "CCurl.h"

#include <time.h>

// Numbers of libcurl's interface; they never change.

enum {
    option_write_context = 10001,
    option_url = 10002,
    option_read_context = 10009,
    option_error_buffer = 10010,
    option_write = 20011,
    option_read = 20012,
    option_user_agent = 10018,
    option_headers = 10023,
    option_method = 10036,
    option_own_certificate = 10025,
    option_no_body = 44,
    option_upload = 46,
    option_follow = 52,
    option_check_peer = 64,
    option_certificates = 10065,
    option_check_name = 81,
    option_own_key = 10087,
    option_buffer_bytes = 98,
    option_no_signal = 99,
    option_body_bytes = 30115,
    option_connect_only = 141,
    option_connect_milliseconds = 156,
    option_socket_made = 20148,
    option_socket_made_context = 10149,
    option_seek = 20167,
    option_no_proxy = 10177,
    option_seek_context = 10168,
    option_socket_close = 20208,
    option_socket_close_context = 10209,
    option_keep_alive = 213,
    option_protocol_choice = 226,
    option_hide_connect_headers = 265,
    option_upload_buffer_bytes = 280,
    option_protocols = 10318,
    option_quick_exit = 322,
};

enum {
    info_status = 0x200002,
    info_system_error = 0x200019,
    info_version = 0x20002e,
    info_redirect = 0x10001f,
    info_socket = 0x50002c,
    info_retry_after = 0x600039,
    info_total = 0x600032,
    info_name_found = 0x600033,
    info_connected = 0x600034,
    info_before_transfer = 0x600035,
    info_first_byte = 0x600036,
    info_keys_agreed = 0x600038,
};

enum {
    read_abort = 0x10000000,
    seek_done = 0,
    seek_failed = 1,
    message_done = 1,
    code_again = 81,
    header_of_answer = 1,
    url_default_port = 1,
};

enum url_part {
    part_url = 0,
    part_scheme = 1,
    part_user = 2,
    part_host = 5,
    part_port = 6,
    part_path = 7,
};

struct ccurl_message {
    int kind;
    void *easy;
    union {
        void *other;
        int code;
    } data;
};

struct ccurl_header_entry {
    char *name;
    char *value;
    size_t amount;
    size_t index;
    unsigned origin;
    void *anchor;
};

// The library's functions, in place once `ccurl_load` went well.
struct ccurl_library {
    int (*global_init)(long);
    void (*free)(void *);
    time_t (*date)(const char *, const time_t *);
    void *(*easy_init)(void);
    void (*easy_reset)(void *);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    const char *(*easy_strerror)(int);
    int (*easy_perform)(void *);
    int (*easy_send)(void *, const void *, size_t, size_t *);
    int (*easy_recv)(void *, void *, size_t, size_t *);
    int (*easy_header)(
        void *, const char *, size_t, unsigned, int, struct ccurl_header_entry **);
    struct ccurl_header_entry *(*easy_next_header)(
        void *, unsigned, int, struct ccurl_header_entry *);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned, int, int *);
    int (*multi_wakeup)(void *);
    struct ccurl_message *(*multi_info_read)(void *, int *);
    void *(*url)(void);
    void (*url_cleanup)(void *);
    int (*url_set)(void *, int, const char *, unsigned);
    int (*url_get)(void *, int, char **, unsigned);
    const char *(*url_strerror)(int);
};

extern struct ccurl_library ccurl;

#endif
