#include "CSystem.h"

#include <string.h>

// The arguments in the kernel's original memory, which other processes can read. The C library
// passes the same pointers to a constructor as to main. A search from the environment would fail:
// the list, at first directly after them, moves with the first setenv of any library.
static int word_count;
static char **words;

__attribute__((constructor)) static void keep_words(int count, char **first) {
    word_count = count;
    words = first;
}

int csys_word_count(void) { return words ? word_count : 0; }

const char *csys_word(int index) { return words[index]; }

void csys_replace_word(int index, const char *text) {
    size_t room = strlen(words[index]);
    size_t length = strlen(text);
    if (length > room) length = room;
    memcpy(words[index], text, length);
    memset(words[index] + length, 0, room - length);
}
