#ifndef SLUICE_CVTERM_H
#define SLUICE_CVTERM_H

// libvterm for Swift: its cells without bit fields, its colours without unions.

#include <vterm.h>

#define CVTERM_SCALARS VTERM_MAX_CHARS_PER_CELL

enum __attribute__((enum_extensibility(closed))) cvterm_color_kind {
    cvterm_color_default,
    cvterm_color_indexed,
    cvterm_color_rgb,
};

typedef struct {
    enum cvterm_color_kind kind;
    uint8_t index;
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} cvterm_color;

typedef struct {
    uint32_t scalars[CVTERM_SCALARS];
    int scalar_count;
    /// 1 or 2; 0 for the second column of a wide cell.
    int width;
    bool bold;
    bool italic;
    bool underline;
    bool blink;
    bool reverse;
    bool strike;
    cvterm_color foreground;
    cvterm_color background;
} cvterm_cell;

static inline cvterm_color cvterm_flatten(VTermColor color) {
    cvterm_color flat = {cvterm_color_default, 0, 0, 0, 0};
    if (VTERM_COLOR_IS_DEFAULT_FG(&color) || VTERM_COLOR_IS_DEFAULT_BG(&color)) return flat;
    if (VTERM_COLOR_IS_INDEXED(&color)) {
        flat.kind = cvterm_color_indexed;
        flat.index = color.indexed.idx;
    } else {
        flat.kind = cvterm_color_rgb;
        flat.red = color.rgb.red;
        flat.green = color.rgb.green;
        flat.blue = color.rgb.blue;
    }
    return flat;
}

static inline cvterm_cell cvterm_cell_at(const VTermScreen *screen, int row, int column) {
    VTermScreenCell cell = {0};
    VTermPos position = {.row = row, .col = column};
    vterm_screen_get_cell(screen, position, &cell);
    cvterm_cell flat = {
        .width = cell.width,
        .bold = cell.attrs.bold,
        .italic = cell.attrs.italic,
        .underline = cell.attrs.underline != 0,
        .blink = cell.attrs.blink,
        .reverse = cell.attrs.reverse,
        .strike = cell.attrs.strike,
        .foreground = cvterm_flatten(cell.fg),
        .background = cvterm_flatten(cell.bg),
    };
    if (cell.chars[0] == (uint32_t)-1) {
        flat.width = 0;
        return flat;
    }
    while (flat.scalar_count < CVTERM_SCALARS && cell.chars[flat.scalar_count] != 0) {
        flat.scalars[flat.scalar_count] = cell.chars[flat.scalar_count];
        flat.scalar_count++;
    }
    return flat;
}

static inline VTermKey cvterm_function_key(int number) {
    return (VTermKey)VTERM_KEY_FUNCTION(number);
}

static inline int cvterm_value_boolean(const VTermValue *value) { return value->boolean; }
static inline int cvterm_value_number(const VTermValue *value) { return value->number; }

#endif
