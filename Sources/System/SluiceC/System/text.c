#define _GNU_SOURCE
#include "CSystem.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

int csys_wcwidth(uint32_t scalar) {
    return wcwidth((wchar_t)scalar);
}

static int codeset_is_utf8(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int csys_set_locale(void) {
    if (setlocale(LC_CTYPE, "") && codeset_is_utf8()) return 1;
    return setlocale(LC_CTYPE, "C.UTF-8") && codeset_is_utf8();
}
