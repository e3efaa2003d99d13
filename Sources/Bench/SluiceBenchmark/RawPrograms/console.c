// The minimum cost of a console: rows in memory, and one blocking loop on curses.
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "programs.h"

#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    long number, created;
    int type, attempts;
} row;

static row *rows;
static long count, cursor, top;
static int view = 1;

static void format(const row *one, char *text, size_t size) {
    if (view == 1)
        snprintf(text, size, " %9ld  task-%d  waiting  attempts %d  since %ld", one->number,
            one->type, one->attempts, one->created);
    else
        snprintf(text, size, " %ld  %d", one->created, one->type);
}

static void paint(void) {
    char text[256];
    int height = LINES - 2;
    mvprintw(0, 0, "%ld rows, view %d", count, view);
    clrtoeol();
    for (int line = 0; line < height; line++) {
        long place = top + line;
        move(line + 1, 0);
        if (place < count) {
            format(&rows[place], text, sizeof text);
            if (place == cursor) attron(A_REVERSE);
            addnstr(text, COLS - 1);
            attroff(A_REVERSE);
        }
        clrtoeol();
    }
    mvprintw(LINES - 1, 0, "%ld of %ld", cursor + 1, count);
    clrtoeol();
    refresh();
}

static void clamp(void) {
    int height = LINES - 2;
    if (cursor >= count) cursor = count - 1;
    if (cursor < 0) cursor = 0;
    if (cursor < top) top = cursor;
    if (cursor >= top + height) top = cursor - height + 1;
}

// Searches every row in displayed form, from the cursor on.
static void search(const char *needle) {
    char text[256];
    for (long i = 0; i < count; i++) {
        long place = (cursor + 1 + i) % count;
        format(&rows[place], text, sizeof text);
        if (!strstr(text, needle)) continue;
        cursor = place;
        return;
    }
}

int raw_console(long how_many) {
    count = how_many;
    rows = malloc((size_t)count * sizeof *rows);
    if (!rows) return 1;
    for (long i = 0; i < count; i++)
        rows[i] = (row){.number = i + 1, .created = 1700000000 + i, .type = (int)(i % 4)};
    setlocale(LC_ALL, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    idlok(stdscr, TRUE);
    int key = 0;
    do {
        int page = LINES - 3;
        switch (key) {
        case KEY_DOWN: cursor++; break;
        case KEY_UP: cursor--; break;
        case KEY_NPAGE: cursor += page; break;
        case KEY_PPAGE: cursor -= page; break;
        case KEY_HOME: cursor = 0; break;
        case KEY_END: cursor = count - 1; break;
        case '1': case '2': view = key - '0'; break;
        case '/': search("999999"); break;
        default: break;
        }
        clamp();
        paint();
    } while ((key = getch()) != 'q');
    endwin();
    free(rows);
    return 0;
}
