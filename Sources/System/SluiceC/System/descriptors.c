#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

int csys_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int csys_pipe2(int *ends, int flags) {
    return pipe2(ends, flags | O_CLOEXEC);
}

static int set_flag(int fd, int get, int set, int flag, int on) {
    int flags = fcntl(fd, get);
    if (flags < 0) return -1;
    return fcntl(fd, set, on ? flags | flag : flags & ~flag);
}

int csys_set_nonblocking(int fd, int on) {
    return set_flag(fd, F_GETFL, F_SETFL, O_NONBLOCK, on);
}

int csys_set_close_on_exec(int fd, int on) {
    return set_flag(fd, F_GETFD, F_SETFD, FD_CLOEXEC, on);
}

int csys_duplicate_above(int fd, int minimum) {
    return fcntl(fd, F_DUPFD_CLOEXEC, minimum);
}

int csys_flock(int fd, enum csys_lock_mode mode) {
    int operation = mode == csys_lock_shared ? LOCK_SH
        : mode == csys_lock_exclusive ? LOCK_EX : LOCK_UN;
    for (;;) {
        if (flock(fd, operation | LOCK_NB) == 0) return 1;
        if (errno == EWOULDBLOCK) return 0;
        if (errno != EINTR) return -1;
    }
}

int csys_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int csys_rename_new(const char *old_name, const char *new_name) {
    return renameat2(AT_FDCWD, old_name, AT_FDCWD, new_name, RENAME_NOREPLACE);
}

int csys_has_writer(int fd) {
    // The kernel grants a read lease only if no process has the file open for writing. A process
    // that opens the file during the lease waits for its release. The lease-break signal is one
    // that is ignored by default.
    if (fcntl(fd, F_SETSIG, SIGURG) != 0) return -1;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN ? 1 : -1;
    return fcntl(fd, F_SETLEASE, F_UNLCK) == 0 ? 0 : -1;
}

int csys_sync_disk(int fd) {
    return syncfs(fd);
}

int csys_open_plain(const char *path) {
    int fd;
    do {
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

int csys_memory_file(const char *name) {
    const unsigned not_executable = 8u;
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | not_executable);
    // The flag came with Linux 6.3.
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

int csys_seal(int fd) {
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int csys_inotify(void) {
    return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

int csys_inotify_add(int fd, const char *path, uint32_t mask) {
    return inotify_add_watch(fd, path, mask | IN_MASK_ADD);
}

int csys_inotify_remove(int fd, int watch) {
    return inotify_rm_watch(fd, watch);
}

int csys_ticks(int milliseconds) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -1;
    struct timespec step = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    struct itimerspec ticks = {step, step};
    if (timerfd_settime(fd, 0, &ticks, NULL) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int64_t csys_access_time(int fd) {
    struct stat found;
    if (fstat(fd, &found) != 0) return -1;
    return (int64_t)found.st_atim.tv_sec * 1000000000 + found.st_atim.tv_nsec;
}

int csys_set_access_time(int fd, int64_t nanoseconds) {
    struct timespec times[2] = {
        {nanoseconds / 1000000000, nanoseconds % 1000000000}, {0, UTIME_OMIT}};
    return futimens(fd, times);
}
