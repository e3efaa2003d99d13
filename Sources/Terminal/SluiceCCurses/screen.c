#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "CCurses.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

#define STYLE_LIMIT 512
#define CHUNK 256

static SCREEN *screen;
static FILE *input_file;
static FILE *output_file;

// ncurses writes at each move of the cursor. A picture is gathered in a memory file and sent in one
// write, so that a slow link carries one packet and the terminal draws once.
static int gathered = -1;
static int terminal_output = -1;

static struct {
    attr_t attributes;
    int pair;
} styles[STYLE_LIMIT];
static uint16_t style_count;

static FILE *file_of(int fd, const char *mode) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) return NULL;
    FILE *file = fdopen(copy, mode);
    if (!file) close(copy);
    return file;
}

static void close_files(void) {
    if (input_file) fclose(input_file);
    if (output_file) fclose(output_file);
    input_file = NULL;
    output_file = NULL;
    if (gathered >= 0) close(gathered);
    if (terminal_output >= 0) close(terminal_output);
    gathered = -1;
    terminal_output = -1;
}

static void send_bytes(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = write(terminal_output, bytes, count);
        if (sent >= 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = terminal_output, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

static void send_gathered(void) {
    static char bytes[1 << 16];
    off_t left = lseek(gathered, 0, SEEK_CUR);
    lseek(gathered, 0, SEEK_SET);
    while (left > 0) {
        size_t most = left < (off_t)sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t count = read(gathered, bytes, most);
        if (count <= 0) break;
        send_bytes(bytes, (size_t)count);
        left -= count;
    }
    lseek(gathered, 0, SEEK_SET);
}

static int output_to(int descriptor) {
    int moved;
    do {
        moved = dup3(descriptor, fileno(output_file), O_CLOEXEC);
    } while (moved < 0 && errno == EINTR);
    return moved >= 0;
}

// Without a memory file ncurses writes to the terminal itself.
static void paint(int is_cursor_visible) {
    int gathers = gathered >= 0 && output_to(gathered);
    curs_set(is_cursor_visible);
    refresh();
    if (gathers && output_to(terminal_output)) send_gathered();
}

static enum ccur_opening look_up(const char *terminal, int output) {
    int error = 0;
    if (setupterm(terminal, output, &error) != OK) {
        // 1 means an entry for paper, which cannot move its cursor either.
        return error == 1 ? ccur_plain_terminal : ccur_unknown_terminal;
    }
    const char *move = tigetstr("cup");
    int moves = move != NULL && move != (char *)-1;
    del_curterm(cur_term);
    return moves ? ccur_opened : ccur_plain_terminal;
}

static void set_up(void) {
    raw();
    noecho();
    nonl();
    typeahead(-1);
    keypad(stdscr, TRUE);
    idlok(stdscr, TRUE);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    styles[0].attributes = A_NORMAL;
    styles[0].pair = 0;
    style_count = 1;
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
}

enum ccur_opening ccur_open(const char *terminal, int input, int output) {
    if (screen) return ccur_already_open;
    enum ccur_opening found = look_up(terminal, output);
    if (found != ccur_opened) return found;
    input_file = file_of(input, "r");
    output_file = file_of(output, "w");
    terminal_output = fcntl(output, F_DUPFD_CLOEXEC, 3);
    if (terminal_output >= 0) gathered = memfd_create("sluice-picture", MFD_CLOEXEC);
    if (input_file && output_file) screen = newterm(terminal, output_file, input_file);
    if (!screen) {
        close_files();
        return ccur_refused;
    }
    set_term(screen);
    set_up();
    return ccur_opened;
}

static int put_out(int byte) {
    return fputc(byte, output_file);
}

// A terminal without an alternate screen keeps the picture on exit, and GNU screen ignores the
// sequences for one by default. Erase the picture, so that no key bar remains at the prompt.
static void leave_picture(void) {
    curs_set(1);
    const char *clear = tigetstr("clear");
    if (clear != NULL && clear != (char *)-1) tputs(clear, LINES, put_out);
    fflush(output_file);
    endwin();
}

void ccur_close(void) {
    if (!screen) return;
    leave_picture();
    delscreen(screen);
    screen = NULL;
    close_files();
}

int ccur_colors(void) {
    return screen && has_colors() ? COLORS : 0;
}

// Terminals with direct colours take the index as red, green and blue; the first eight excepted.
static int color_of(int index) {
    if (index < 16 || COLORS <= 256) return index;
    if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
    static const int steps[] = {0, 95, 135, 175, 215, 255};
    int cube = index - 16;
    return steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6];
}

uint16_t ccur_style(int foreground, int background, int bits) {
    if (!screen || style_count >= STYLE_LIMIT) return 0;
    attr_t attributes = A_NORMAL;
    if (bits & ccur_bold) attributes |= A_BOLD;
    if (bits & ccur_underline) attributes |= A_UNDERLINE;
    if (bits & ccur_reverse) attributes |= A_REVERSE;
    int pair = 0;
    // alloc_pair fails badly on a terminal without colours.
    if (has_colors() && (foreground >= 0 || background >= 0)) {
        pair = alloc_pair(color_of(foreground), color_of(background));
        if (pair < 0) pair = 0;
    }
    for (uint16_t i = 0; i < style_count; i++) {
        if (styles[i].attributes == attributes && styles[i].pair == pair) return i;
    }
    styles[style_count].attributes = attributes;
    styles[style_count].pair = pair;
    return style_count++;
}

static wchar_t harmless(uint32_t scalar) {
    return scalar < 0x20 || (scalar >= 0x7f && scalar < 0xa0) ? L'?' : (wchar_t)scalar;
}

static void convert(const ccur_cell *cell, cchar_t *out) {
    wchar_t text[2] = {harmless(cell->scalars[0]), 0};
    int pair = styles[cell->style % STYLE_LIMIT].pair;
    attr_t attributes = styles[cell->style % STYLE_LIMIT].attributes;
    if (setcchar(out, text, attributes, (short)pair, &pair) != OK) {
        setcchar(out, L"?", attributes, (short)pair, &pair);
        return;
    }
    // setcchar takes marks alone: of a picture that the terminal joins it would leave the rest out.
    for (int i = 1; i < CCHARW_MAX && i < 5 && cell->scalars[i]; i++) {
        out->chars[i] = harmless(cell->scalars[i]);
    }
}

void ccur_put(int row, int column, const ccur_cell *cells, size_t count) {
    if (!screen || row < 0 || column < 0 || row >= LINES || column >= COLS) return;
    size_t room = (size_t)(COLS - column);
    if (count > room) count = room;
    cchar_t out[CHUNK];
    int used = 0;
    int start = column;
    for (size_t i = 0; i < count; i++) {
        // The second half of a wide sign comes with the first.
        if (cells[i].scalars[0] == 0) continue;
        if (used == CHUNK) {
            mvadd_wchnstr(row, start, out, used);
            used = 0;
        }
        if (used == 0) start = column + (int)i;
        convert(&cells[i], &out[used++]);
    }
    if (used) mvadd_wchnstr(row, start, out, used);
}

void ccur_show(int cursor_row, int cursor_column) {
    if (!screen) return;
    int visible = cursor_row >= 0 && cursor_row < LINES && cursor_column < COLS;
    if (visible) move(cursor_row, cursor_column < 0 ? 0 : cursor_column);
    paint(visible);
}

void ccur_forget(void) {
    if (screen) clearok(curscr, TRUE);
}

void ccur_resize(int height, int width) {
    if (!screen) return;
    resize_term(height < 1 ? 1 : height, width < 1 ? 1 : width);
    erase();
    clearok(curscr, TRUE);
}

void ccur_leave(void) {
    if (!screen) return;
    leave_picture();
}

void ccur_enter(void) {
    if (!screen) return;
    reset_prog_mode();
    // Leaving turned the keypad off.
    keypad(stdscr, TRUE);
    clearok(curscr, TRUE);
    refresh();
}

size_t ccur_string(const char *name, uint8_t *bytes, size_t room) {
    if (!screen) return 0;
    const char *text = tigetstr(name);
    if (text == NULL || text == (char *)-1) return 0;
    size_t count = strlen(text);
    if (count > room) return 0;
    memcpy(bytes, text, count);
    return count;
}
