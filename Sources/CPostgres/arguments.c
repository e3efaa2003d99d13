#include "CPostgres.h"

#include <string.h>

// The words of this process where the kernel shows them to everybody; what the language's own
// library hands out is a copy.
static int word_count;
static char **words;

__attribute__((constructor)) static void keep_words(int count, char **first) {
    word_count = count;
    words = first;
}

int cpq_word_count(void) { return words ? word_count : 0; }

const char *cpq_word(int index) { return words[index]; }

void cpq_replace_word(int index, const char *text) {
    size_t room = strlen(words[index]);
    size_t length = strlen(text);
    if (length > room) length = room;
    memcpy(words[index], text, length);
    memset(words[index] + length, 0, room - length);
}
