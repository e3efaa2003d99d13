#ifndef SLUICE_CSYSTEM_H
#define SLUICE_CSYSTEM_H

// Calls to Linux and glibc that Swift's import of glibc lacks. Unless a comment says otherwise, a
// function returns -1 and sets errno on failure.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#pragma clang assume_nonnull begin

// Text ------------------------------------------------------------------------------------------

/// Columns that glibc gives a scalar: 0, 1, 2, or -1 for one that cannot be shown.
/// Needs `csys_set_locale` once before.
int csys_wcwidth(uint32_t scalar);

/// Sets LC_CTYPE from the environment, or C.UTF-8 if that is not a UTF-8 locale. Returns 1 if a
/// UTF-8 locale is set, otherwise 0.
int csys_set_locale(void);

// The build ------------------------------------------------------------------------------------

/// The part of the version that names the commit, as `+git20261128.f4fbd7a9`; empty in a program
/// that was not installed.
const char *csys_build(void);

// Digests ---------------------------------------------------------------------------------------

/// The SHA-256 of bytes, 32 bytes of `digest`: no library of the system's is always there for it.
void csys_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

// Clocks and chance -----------------------------------------------------------------------------

/// Nanoseconds since 1970 by CLOCK_REALTIME.
int64_t csys_realtime_nanoseconds(void);

/// Nanoseconds by CLOCK_MONOTONIC.
uint64_t csys_monotonic_nanoseconds(void);

/// The processor time of this process, in nanoseconds.
uint64_t csys_processor_nanoseconds(void);

/// The processor time of this thread.
uint64_t csys_thread_nanoseconds(void);

/// How many processors the machine has in use.
int csys_processors(void);

/// Fills the bytes from getrandom, whole.
int csys_random(void *bytes, size_t count);

// Descriptors -----------------------------------------------------------------------------------

/// A non-blocking, close-on-exec eventfd with count 0.
int csys_eventfd(void);

/// A close-on-exec pipe; `flags` are further flags of pipe2 (O_NONBLOCK).
int csys_pipe2(int *ends, int flags);


/// Sets or clears O_NONBLOCK.
int csys_set_nonblocking(int fd, int on);

/// Sets or clears close-on-exec.
int csys_set_close_on_exec(int fd, int on);

/// A close-on-exec copy of `fd` with a number of at least `minimum`.
int csys_duplicate_above(int fd, int minimum);

enum __attribute__((enum_extensibility(closed))) csys_lock_mode {
    csys_lock_shared,
    csys_lock_exclusive,
    csys_lock_release,
};

/// A whole-file flock that never waits: 1 done, 0 another open file description is in the way.
int csys_flock(int fd, enum csys_lock_mode mode);

/// Exchanges two names on one disk atomically. EINVAL or ENOSYS: the file system does not support
/// it.
int csys_exchange(const char *one, const char *other);

/// Gives a file another name unless something has it (EEXIST). EINVAL or ENOSYS as above.
int csys_rename_new(const char *old_name, const char *new_name);

/// Whether any process has the file of `fd`, open for reading, open for writing: 1, 0, or -1 if
/// this user may not know.
int csys_has_writer(int fd);

/// Flushes all written data of the disk that holds the file of `fd`.
int csys_sync_disk(int fd);

/// Opens a file for reading without waiting; refuses a link as the last component (ELOOP).
int csys_open_plain(const char *path);

/// A close-on-exec file in memory that can be sealed; not executable if the kernel supports that.
int csys_memory_file(const char *name);

/// Seals a file in memory against all changes.
int csys_seal(int fd);

/// A non-blocking, close-on-exec inotify descriptor.
int csys_inotify(void);

/// Adds a watch, or adds to the one that the file has; `mask` is of IN_ bits. Returns the watch's
/// number.
int csys_inotify_add(int fd, const char *path, uint32_t mask);

/// Ends a watch.
int csys_inotify_remove(int fd, int watch);

/// A non-blocking, close-on-exec descriptor that becomes readable every `milliseconds`.
int csys_ticks(int milliseconds);

/// When the file was last read, in nanoseconds since 1970; -1 where that cannot be said.
int64_t csys_access_time(int fd);

/// Sets the access time, for any meaning; only the owner may.
int csys_set_access_time(int fd, int64_t nanoseconds);

// Child processes -------------------------------------------------------------------------------

/// A pollable, close-on-exec descriptor of a process.
int csys_pidfd_open(pid_t pid);

/// Sends a signal by pidfd: no other process can ever be hit.
int csys_pidfd_send_signal(int pidfd, int signal);

/// Signals the process group led by the process of the pidfd. Kernels before 6.9 cannot do that;
/// then it signals `group` by number.
int csys_pidfd_signal_group(int pidfd, pid_t group, int signal);

enum __attribute__((enum_extensibility(closed))) csys_exit_kind {
    csys_exit_running,
    csys_exit_code,
    csys_exit_signal,
};

typedef struct {
    enum csys_exit_kind kind;
    int value;
} csys_exit;

/// Reaps the child of a pidfd without waiting; kind is `csys_exit_running` while it lives.
int csys_reap(int pidfd, csys_exit *exit);

/// The child's descriptor `to` becomes a copy of `from`, without close-on-exec; closed if from < 0.
typedef struct {
    int from;
    int to;
} csys_descriptor_copy;

typedef struct {
    const char *path;
    char *_Nullable const *_Nonnull arguments;
    char *_Nullable const *_Nonnull environment;
    const char *_Nullable directory;
    /// Opened for reading and writing as descriptor 0 before the copies; with `new_session` it
    /// becomes the controlling terminal.
    const char *_Nullable terminal;
    const csys_descriptor_copy *_Nullable copies;
    size_t copy_count;
    /// The child closes every descriptor from this number on.
    int close_from;
    /// Whether to start a new process group (ignored with `new_session`, which creates one anyway).
    int new_group;
    int new_session;
    /// The child's soft limit of descriptors; 0 for this process's limit.
    uint64_t descriptor_limit;
} csys_spawn_request;

/// Starts a program with an empty signal mask and all signals at their defaults, no code of ours
/// running between fork and exec. Returns 0 or an errno value (does not set errno).
int csys_spawn(const csys_spawn_request *request, pid_t *pid);

/// How many descriptors this process may have, and how many at most it may allow itself.
int csys_descriptor_limits(uint64_t *soft, uint64_t *hard);

/// Sets the first of them.
int csys_set_descriptor_limit(uint64_t soft);

/// The environment of this process, ended by NULL.
char *_Nullable *_Nonnull csys_environment(void);

/// Names the calling thread, at most 15 bytes.
void csys_name_thread(const char *name);

// Files below a folder --------------------------------------------------------------------------

/// Opens a path below a folder (openat2); `..` and links cannot leave the folder (EXDEV).
int csys_open_beneath(int folder, const char *path, int flags, mode_t mode);

/// The flag for a descriptor that only identifies the path (O_PATH).
extern const int csys_path_only;

/// Renames a file within a folder atomically. Without `replaces` it fails with EEXIST if the new
/// name exists.
int csys_rename_at(int folder, const char *from, const char *to, int replaces);

/// Writes an extended attribute of an open file.
int csys_set_attribute(int fd, const char *name, const void *bytes, size_t count);

/// Reads an extended attribute of an open file; returns how many bytes it has.
ssize_t csys_get_attribute(int fd, const char *name, void *bytes, size_t capacity);

// The network -----------------------------------------------------------------------------------

/// 1 where this machine has a route to the world by a family of addresses (AF_INET, AF_INET6);
/// nothing is sent.
int csys_has_route(int family);

/// A non-blocking, close-on-exec rtnetlink socket, for routes. With `notices` it receives every
/// change of a link, address, route or rule.
int csys_route_socket(int notices);

/// Begins TCP connections to every address that a name has, at most `capacity`, and waits for none
/// of them; blocks while the name is looked up. Gives how many of `sockets` it filled, possibly 0.
int csys_connect_begin(const char *host, const char *port, int *sockets, int capacity);

/// Whether a started connection is established; ask when it is writable.
int csys_is_connected(int socket);

/// A non-blocking, close-on-exec connection to a socket in the file system. ENAMETOOLONG: its path
/// does not fit into an address.
int csys_connect_path(const char *path);

/// A close-on-exec socket for messages in the file system; `@` begins an abstract name. With
/// `listens` it is bound and non-blocking. Otherwise it is connected, and a write without buffer
/// space waits for at most a second.
int csys_message_socket(const char *path, int listens);

/// Writes to a socket; one that is closed at its other side is EPIPE and no signal.
ssize_t csys_send(int socket, const void *bytes, size_t count);

/// Sends written data immediately instead of batching it (TCP_NODELAY).
int csys_send_at_once(int socket);

/// The number of written bytes that the peer has not acknowledged.
int csys_unacknowledged_bytes(int socket);

/// How long ago a TCP socket received something last; -1 where it never did.
int64_t csys_milliseconds_since_received(int socket);

/// Listens on a free port of 127.0.0.1, close-on-exec; the port goes to `port`.
int csys_listen_loopback(uint16_t *port);

/// The same at an IPv4 address of this machine, on the port that `port` names; 0 for a free one.
int csys_listen_at(const char *address, uint16_t *port);

/// Reserves such a port without listening: connections are refused, and no other process gets it.
int csys_bind_at(const char *address, uint16_t *port);

/// Waits for a connection; close-on-exec.
int csys_accept(int listener);

/// Listens at an address or name of this machine, on `port`; 0 selects a free port and stores it
/// there. Non-blocking, close-on-exec. EADDRNOTAVAIL: the name is invalid.
int csys_listen(const char *host, uint16_t *port);

/// A connection that waits, non-blocking and close-on-exec; EAGAIN where none does.
int csys_accept_nonblocking(int listener);

/// Makes the close of a socket break its connection (RST) instead of ending it.
int csys_break_on_close(int socket);

// Terminals -------------------------------------------------------------------------------------

typedef struct {
    struct termios modes;
} csys_terminal_modes;

typedef struct {
    int columns;
    int rows;
} csys_terminal_size;

int csys_terminal_read_modes(int fd, csys_terminal_modes *modes);
int csys_terminal_read_size(int fd, csys_terminal_size *size);
int csys_terminal_write_size(int fd, csys_terminal_size size);

/// Opens a new pseudo terminal's close-on-exec master; its other end's path goes to `path`.
int csys_terminal_open_master(char *path, size_t capacity);

// Signals ---------------------------------------------------------------------------------------

/// From now on `signal` writes one byte, its number, to `fd` (which should not block).
/// The handler is async-signal-safe and keeps errno. Each of up to 16 descriptors gets the byte;
/// EMFILE for more. HUP stays ignored if it was (nohup).
int csys_signal_to_pipe(int signal, int fd);

/// Ends `csys_signal_to_pipe` for `fd`. After the last one `signal` has its former action again.
int csys_signal_restore(int signal, int fd);

/// Ignores (1) or defaults (0) a signal.
int csys_signal_ignore(int signal, int ignored);

/// Prepares what a crash does to the terminal: writes `bytes` (at most 1024) to `fd`, then gives
/// `terminal` the modes (NULL: none). Arms the handlers of ILL TRAP ABRT SEGV BUS FPE: they do
/// this once, put the former action back and let the signal happen again, so that the Swift
/// runtime's own report follows.
int csys_crash_arm(
    int fd, const uint8_t *bytes, size_t count,
    int terminal, const csys_terminal_modes *_Nullable modes);

/// Makes a write beyond the file size limit of this process say so on standard error before the
/// signal ends the process. Children do not inherit this.
int csys_file_size_explain(void);

/// Puts the former actions back; a crash then leaves the terminal alone.
void csys_crash_disarm(void);

// Arguments -------------------------------------------------------------------------------------

/// The number of arguments of this process, including its own name.
int csys_word_count(void);
/// A word, as everybody on the machine can read it.
const char *csys_word(int index);
/// Overwrites an argument with a text no longer than the old one; clears the rest.
void csys_replace_word(int index, const char *text);

#pragma clang assume_nonnull end

#endif
