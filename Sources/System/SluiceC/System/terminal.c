#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int csys_terminal_read_modes(int fd, csys_terminal_modes *modes) {
    return tcgetattr(fd, &modes->modes);
}

int csys_terminal_read_size(int fd, csys_terminal_size *size) {
    struct winsize window = {0};
    if (ioctl(fd, TIOCGWINSZ, &window) != 0) return -1;
    size->columns = window.ws_col;
    size->rows = window.ws_row;
    return 0;
}

int csys_terminal_write_size(int fd, csys_terminal_size size) {
    struct winsize window = {
        .ws_col = (unsigned short)size.columns, .ws_row = (unsigned short)size.rows,
    };
    return ioctl(fd, TIOCSWINSZ, &window);
}

int csys_terminal_open_master(char *path, size_t capacity) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -1;
    int error = 0;
    if (grantpt(master) != 0 || unlockpt(master) != 0) {
        error = errno;
    } else {
        error = ptsname_r(master, path, capacity);
    }
    if (error) {
        close(master);
        errno = error;
        return -1;
    }
    return master;
}
