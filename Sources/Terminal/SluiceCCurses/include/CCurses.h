#ifndef SLUICE_CCURSES_H
#define SLUICE_CCURSES_H

// The few things that Sluice asks of ncursesw. Nothing of curses.h is seen from here.
// There is one screen a process, and one thread may call these functions.

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The result of opening the screen.
enum __attribute__((enum_extensibility(closed))) ccur_opening {
    ccur_opened,
    /// A screen is open already.
    ccur_already_open,
    /// No entry of terminfo has this name.
    ccur_unknown_terminal,
    /// The terminal cannot move its cursor.
    ccur_plain_terminal,
    /// The system denied a descriptor or memory.
    ccur_refused,
};

/// Opens the screen on two descriptors of a terminal, which stay the caller's.
enum ccur_opening ccur_open(const char *terminal, int input, int output);

/// Leaves the screen and gives all back; does nothing when none is open.
void ccur_close(void);

/// The colours of the terminal, 0 when it has none.
int ccur_colors(void);

/// The bits of a style.
enum {
    ccur_bold = 1,
    ccur_underline = 2,
    ccur_reverse = 4,
};

/// Makes a style of palette indices (-1: the terminal's own) and bits; returns its number, or 0,
/// the plain one, when no more can be made.
uint16_t ccur_style(int foreground, int background, int bits);

/// A cell: up to five scalars (0 ends them; the first 0: second half of a wide sign) and a style.
typedef struct {
    uint32_t scalars[5];
    uint16_t style;
} ccur_cell;

/// Puts cells on the screen to be, from a place to the right.
void ccur_put(int row, int column, const ccur_cell *cells, size_t count);

/// Brings the screen to be to the terminal; the cursor is hidden when the row is negative.
void ccur_show(int cursor_row, int cursor_column);

/// Forgets what the terminal shows: the next `ccur_show` paints all of it.
void ccur_forget(void);

/// Takes over another size.
void ccur_resize(int rows, int columns);

/// Gives the terminal back for a while.
void ccur_leave(void);

/// Takes the terminal again after `ccur_leave`.
void ccur_enter(void);

/// Stops this process and its group as Ctrl-Z does; returns after they resume. Only the thread that
/// began the process may call it.
void ccur_stop_group(void);
/// Discards unread input of the terminal.
void ccur_discard_input(int descriptor);

/// Copies a terminfo string, at most `room` bytes. Returns its length, 0 if the terminal lacks it.
size_t ccur_string(const char *name, uint8_t *bytes, size_t room);

#pragma clang assume_nonnull end

#endif
