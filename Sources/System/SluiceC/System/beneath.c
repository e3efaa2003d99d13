#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

const int csys_path_only = O_PATH;

int csys_open_beneath(int folder, const char *path, int flags, mode_t mode) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC),
        .mode = flags & O_CREAT ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    for (;;) {
        long fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
        // EAGAIN: a component of the path was renamed during the call.
        if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return (int)fd;
    }
}

int csys_rename_at(int folder, const char *from, const char *to, int replaces) {
    if (replaces) return renameat(folder, from, folder, to);
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL) return -1;
    // A file system without that flag: the new name first, never over another file.
    if (linkat(folder, from, folder, to, 0) != 0) return -1;
    return unlinkat(folder, from, 0);
}

int csys_set_attribute(int fd, const char *name, const void *bytes, size_t count) {
    return fsetxattr(fd, name, bytes, count, 0);
}

ssize_t csys_get_attribute(int fd, const char *name, void *bytes, size_t capacity) {
    return fgetxattr(fd, name, bytes, capacity);
}
