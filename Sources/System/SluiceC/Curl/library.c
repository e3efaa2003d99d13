#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct ccurl_library ccurl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;
static char reason[512];

// The first version with all the options used here.
#define OLDEST 0x075500u
#define OLDEST_NAME "7.85.0"

// The beginning of what `curl_version_info` gives, the same since its first form.
struct version_info {
    int age;
    const char *version;
    unsigned number;
};

// Debian's libcurl4 first, then its other flavour.
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static const struct {
    const char *name;
    void *place;
} symbols[] = {
    {"curl_global_init", &ccurl.global_init},
    {"curl_free", &ccurl.free},
    {"curl_getdate", &ccurl.date},
    {"curl_easy_init", &ccurl.easy_init},
    {"curl_easy_reset", &ccurl.easy_reset},
    {"curl_easy_cleanup", &ccurl.easy_cleanup},
    {"curl_easy_setopt", &ccurl.easy_setopt},
    {"curl_easy_getinfo", &ccurl.easy_getinfo},
    {"curl_easy_strerror", &ccurl.easy_strerror},
    {"curl_easy_perform", &ccurl.easy_perform},
    {"curl_easy_send", &ccurl.easy_send},
    {"curl_easy_recv", &ccurl.easy_recv},
    {"curl_easy_header", &ccurl.easy_header},
    {"curl_easy_nextheader", &ccurl.easy_next_header},
    {"curl_slist_append", &ccurl.slist_append},
    {"curl_slist_free_all", &ccurl.slist_free_all},
    {"curl_multi_init", &ccurl.multi_init},
    {"curl_multi_cleanup", &ccurl.multi_cleanup},
    {"curl_multi_add_handle", &ccurl.multi_add_handle},
    {"curl_multi_remove_handle", &ccurl.multi_remove_handle},
    {"curl_multi_perform", &ccurl.multi_perform},
    {"curl_multi_poll", &ccurl.multi_poll},
    {"curl_multi_wakeup", &ccurl.multi_wakeup},
    {"curl_multi_info_read", &ccurl.multi_info_read},
    {"curl_url", &ccurl.url},
    {"curl_url_cleanup", &ccurl.url_cleanup},
    {"curl_url_set", &ccurl.url_set},
    {"curl_url_get", &ccurl.url_get},
    {"curl_url_strerror", &ccurl.url_strerror},
};

static void load(void) {
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) {
        const char *why = dlerror();
        snprintf(reason, sizeof reason, "libcurl cannot be loaded (Debian: apt-get install "
            "libcurl4): %s", why ? why : "no reason given");
        missing = reason;
        return;
    }
    struct version_info *(*version)(int) = (struct version_info *(*)(int))dlsym(
        library, "curl_version_info");
    const struct version_info *info = version ? version(0) : NULL;
    if (info && info->number < OLDEST) {
        snprintf(reason, sizeof reason, "libcurl %s is too old: " OLDEST_NAME " or later is needed",
            info->version);
        missing = reason;
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) {
            snprintf(reason, sizeof reason, "what is installed as libcurl has no %s", symbols[i].name);
            missing = reason;
            return;
        }
        *(void **)symbols[i].place = found;
    }
    const long everything = 3;
    if (ccurl.global_init(everything) != 0) missing = "libcurl cannot be set up";
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return missing;
}
