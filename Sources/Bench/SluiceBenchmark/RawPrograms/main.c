#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    const char *verb = count > 1 ? words[1] : "";
    if (!strcmp(verb, "version")) return raw_version();
    if (!strcmp(verb, "console") && count == 3) return raw_console(atol(words[2]));
    if (!strcmp(verb, "make") && count == 3) return raw_make(words[2]);
    if (!strcmp(verb, "enqueue") && count == 5) return raw_enqueue(words[2], words[3], words[4]);
    if (!strcmp(verb, "queues") && count == 3) return raw_queues(words[2]);
    fputs("usage: raw-programs version | console N | make F | enqueue F Q PAYLOAD | queues F\n",
        stderr);
    return 2;
}
