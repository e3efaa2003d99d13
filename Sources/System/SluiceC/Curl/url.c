#include "library.h"

#include <stdlib.h>
#include <string.h>

static char *part(void *parsed, enum url_part which, unsigned flags) {
    char *found = NULL;
    if (ccurl.url_get(parsed, which, &found, flags) != 0) return NULL;
    char *copy = strdup(found);
    ccurl.free(found);
    return copy;
}

const char *ccurl_url_parse(const char *text, ccurl_url *url) {
    memset(url, 0, sizeof *url);
    void *parsed = ccurl.url();
    if (!parsed) return "out of memory";
    int code = ccurl.url_set(parsed, part_url, text, 0);
    if (code == 0) {
        url->scheme = part(parsed, part_scheme, 0);
        url->user = part(parsed, part_user, 0);
        url->host = part(parsed, part_host, 0);
        url->port = part(parsed, part_port, url_default_port);
        url->path = part(parsed, part_path, 0);
    }
    ccurl.url_cleanup(parsed);
    return code == 0 ? NULL : ccurl.url_strerror(code);
}

void ccurl_url_free(ccurl_url *url) {
    free(url->scheme);
    free(url->user);
    free(url->host);
    free(url->port);
    free(url->path);
    memset(url, 0, sizeof *url);
}

int64_t ccurl_date(const char *text) {
    return ccurl.date(text, NULL);
}
