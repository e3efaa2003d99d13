#ifndef SLUICE_LOG_FILE_H
#define SLUICE_LOG_FILE_H

#include <sqlite3.h>

// The write-ahead log of an SQLite file, written in fewer calls.
//
// SQLite writes each frame of its log by two calls, the head and the page, so that a small commit
// makes twenty. Here the frames of a commit are gathered and written by one, at the latest with the
// frame that ends it: what a commit returned has been written as it always is, what has not come to
// its end may lack frames as after a crash, and nobody but the connection itself, for which they
// are written when it asks, reads those. The bytes and their order are SQLite's.

/// The name under which SQLite opens a file that way (`sqlite3_open_v2`); NULL where it refuses it.
/// The first call makes it known; it may come from any thread, once it has returned.
const char *log_file_vfs(void);

/// Says that a commit of the connection begins (not 0) or is over, whatever came of it (0): between
/// the two its frames are gathered, and at no other time, so that what a transaction wrote to the
/// log before it was undone never comes behind what others have written there since.
void log_file_gather(sqlite3 *database, int gathers);

#endif
