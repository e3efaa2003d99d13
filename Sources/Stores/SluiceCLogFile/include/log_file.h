#ifndef SLUICE_LOG_FILE_H
#define SLUICE_LOG_FILE_H

#include <sqlite3.h>

// The write-ahead log of an SQLite file, written in fewer calls.
//
// SQLite writes each frame of its log in two calls, the header and the page, so that a small commit
// makes twenty. This file system gathers the frames of a commit and writes them in one call, at the
// latest with the frame that ends it. A returned commit is thus written as usual. An unfinished one
// may lack frames, as after a crash; only its own connection reads those, and its reads write them
// first. The bytes and their order are SQLite's.

/// The name under which SQLite opens a file that way (`sqlite3_open_v2`); NULL where it refuses it.
/// The first call makes it known; it may come from any thread, once it has returned.
const char *log_file_vfs(void);

/// Marks the start (not 0) or the end (0) of a commit, successful or not. Frames are gathered only
/// in between. So frames of a rolled-back transaction never overwrite later frames of others.
void log_file_gather(sqlite3 *database, int gathers);

#endif
