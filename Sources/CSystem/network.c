#define _GNU_SOURCE
#include "CSystem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Connecting a datagram socket only looks up the route.
static int reaches(const struct sockaddr *address, socklen_t size) {
    int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    int found = connect(fd, address, size) == 0;
    close(fd);
    return found;
}

int csys_has_route(void) {
    // Addresses that are reserved for documentation: nobody has them, the default route leads there.
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(9)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
    inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
    return reaches((struct sockaddr *)&four, sizeof four)
        || reaches((struct sockaddr *)&six, sizeof six);
}

int csys_unacknowledged_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

int csys_listen_loopback(uint16_t *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 128) != 0
        || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        int kept = errno;
        close(fd);
        errno = kept;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

int csys_accept(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 || (errno != EINTR && errno != ECONNABORTED)) return fd;
    }
}

int csys_break_on_close(int socket) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
