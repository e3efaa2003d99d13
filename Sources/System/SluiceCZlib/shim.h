#ifndef SLUICE_CZLIB_H
#define SLUICE_CZLIB_H

#include <zlib.h>

// Macros that Swift cannot call.

/// Prepares to decompress; zlib's `windowBits` chooses the format.
static inline int cz_begin(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
