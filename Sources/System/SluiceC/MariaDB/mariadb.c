#include "CMariaDB.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// A column as the library describes it (MYSQL_FIELD, the same since MySQL 4.1).
struct field {
    const char *name;
    const char *others[6];
    unsigned long length, max_length;
    unsigned int lengths[7];
    unsigned int flags, decimals, charset;
    int type;
    void *extension;
};

// The functions of libmariadb that are called, by the names that they have there.
static struct {
    void *(*mysql_init)(void *);
    int (*mysql_options)(void *, int, const void *);
    void *(*mysql_real_connect)(
        void *, const char *, const char *, const char *, const char *, unsigned int, const char *,
        unsigned long);
    void (*mysql_close)(void *);
    unsigned int (*mysql_errno)(void *);
    const char *(*mysql_error)(void *);
    int (*mysql_real_query)(void *, const char *, unsigned long);
    void *(*mysql_store_result)(void *);
    unsigned long long (*mysql_affected_rows)(void *);
    unsigned int (*mysql_num_fields)(void *);
    struct field *(*mysql_fetch_fields)(void *);
    char **(*mysql_fetch_row)(void *);
    unsigned long *(*mysql_fetch_lengths)(void *);
    void (*mysql_free_result)(void *);
    const char *(*mysql_get_ssl_cipher)(void *);
} my;

#define SYMBOL(name) {#name, &my.name}

static const struct {
    const char *name;
    void *place;
} symbols[] = {
    SYMBOL(mysql_init), SYMBOL(mysql_options), SYMBOL(mysql_real_connect), SYMBOL(mysql_close),
    SYMBOL(mysql_errno), SYMBOL(mysql_error), SYMBOL(mysql_real_query),
    SYMBOL(mysql_store_result), SYMBOL(mysql_affected_rows), SYMBOL(mysql_num_fields),
    SYMBOL(mysql_fetch_fields), SYMBOL(mysql_fetch_row), SYMBOL(mysql_fetch_lengths),
    SYMBOL(mysql_free_result), SYMBOL(mysql_get_ssl_cipher),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;
static char reason[256];

static void load(void) {
    void *library = dlopen("libmariadb.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        missing = "libmariadb is not installed (Debian: apt-get install libmariadb3)";
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) {
            snprintf(reason, sizeof reason, "libmariadb has no %s", symbols[i].name);
            missing = reason;
            return;
        }
        *(void **)symbols[i].place = found;
    }
}

const char *cmy_load(void) {
    pthread_once(&once, load);
    return missing;
}

// Connections -------------------------------------------------------------------------------------

// The library's enum mysql_option.
enum option {
    connect_timeout = 0, default_group = 5, charset = 7, local_files = 8, protocol = 9,
    read_timeout = 11, write_timeout = 12, verify_certificate = 21, tls_key = 25,
    tls_certificate = 26, tls_authorities = 27, enforce_tls = 38,
};

// Counts matched rows, including rows whose values stayed the same.
enum { found_rows = 2 };

cmy_connection *cmy_connect(const cmy_settings *s) {
    void *c = my.mysql_init(NULL);
    if (!c) return NULL;
    const unsigned int no = 0, tcp = 1;
    const char yes = 1;
    // A server may ask for a file of this machine; it gets none.
    my.mysql_options(c, local_files, &no);
    my.mysql_options(c, default_group, "client");
    my.mysql_options(c, charset, "utf8mb4");
    my.mysql_options(c, connect_timeout, &s->connect_seconds);
    my.mysql_options(c, read_timeout, &s->answer_seconds);
    my.mysql_options(c, write_timeout, &s->answer_seconds);
    if (s->is_tcp) my.mysql_options(c, protocol, &tcp);
    if (s->needs_tls) my.mysql_options(c, enforce_tls, &yes);
    if (s->checks_name) my.mysql_options(c, verify_certificate, &yes);
    if (s->authorities) my.mysql_options(c, tls_authorities, s->authorities);
    if (s->certificate) my.mysql_options(c, tls_certificate, s->certificate);
    if (s->key) my.mysql_options(c, tls_key, s->key);
    my.mysql_real_connect(
        c, s->host, s->user, s->password, s->database, s->port, s->socket, found_rows);
    return c;
}

void cmy_close(cmy_connection *connection) { my.mysql_close(connection); }
uint32_t cmy_errno(cmy_connection *connection) { return my.mysql_errno(connection); }
const char *cmy_error(cmy_connection *connection) { return my.mysql_error(connection); }
int cmy_is_encrypted(cmy_connection *c) { return my.mysql_get_ssl_cipher(c) != NULL; }
uint64_t cmy_matched(cmy_connection *c) { return my.mysql_affected_rows(c); }

// Answers -----------------------------------------------------------------------------------------

struct cmy_result {
    void *rows;
    struct field *fields;
    uint32_t count;
    char **row;
    unsigned long *lengths;
};

int cmy_run(cmy_connection *c, const char *sql, size_t length, cmy_result **result) {
    *result = NULL;
    if (my.mysql_real_query(c, sql, length)) return 0;
    void *rows = my.mysql_store_result(c);
    // A statement without rows has none and no failure.
    if (!rows) return my.mysql_errno(c) == 0;
    cmy_result *found = calloc(1, sizeof *found);
    if (!found) {
        my.mysql_free_result(rows);
        return 0;
    }
    found->rows = rows;
    found->fields = my.mysql_fetch_fields(rows);
    found->count = my.mysql_num_fields(rows);
    *result = found;
    return 1;
}

void cmy_result_free(cmy_result *result) {
    my.mysql_free_result(result->rows);
    free(result);
}

uint32_t cmy_column_count(cmy_result *result) { return result->count; }

const char *cmy_column_name(cmy_result *result, uint32_t column) {
    return result->fields[column].name;
}

enum cmy_kind cmy_column_kind(cmy_result *result, uint32_t column) {
    enum { binary = 63 };
    // The library's enum enum_field_types.
    switch (result->fields[column].type) {
    case 1: case 2: case 3: case 8: case 9: case 13: return cmy_integer;
    case 0: case 4: case 5: case 246: return cmy_number;
    // BIT and GEOMETRY.
    case 16: case 255: return cmy_bytes;
    // Times and JSON are texts although they have no character set.
    case 7: case 10: case 11: case 12: case 14: case 17: case 18: case 19: case 245:
        return cmy_text;
    default: return result->fields[column].charset == binary ? cmy_bytes : cmy_text;
    }
}

int cmy_next(cmy_result *result) {
    result->row = my.mysql_fetch_row(result->rows);
    result->lengths = result->row ? my.mysql_fetch_lengths(result->rows) : NULL;
    return result->row != NULL;
}

const char *cmy_value(cmy_result *result, uint32_t column, size_t *length) {
    *length = result->lengths[column];
    return result->row[column];
}
