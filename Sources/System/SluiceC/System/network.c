#define _GNU_SOURCE
#include "CSystem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Connecting a datagram socket only looks up the route.
static int reaches(const struct sockaddr *address, socklen_t size) {
    int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    int found = connect(fd, address, size) == 0;
    close(fd);
    return found;
}

int csys_has_route(int family) {
    // Root name servers: they are in no private network, so the route to them is the route to the
    // internet.
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(53)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
    if (family == AF_INET6) {
        inet_pton(AF_INET6, "2001:503:ba3e::2:30", &six.sin6_addr);
        return reaches((struct sockaddr *)&six, sizeof six);
    }
    inet_pton(AF_INET, "198.41.0.4", &four.sin_addr);
    return reaches((struct sockaddr *)&four, sizeof four);
}

int csys_route_socket(int notices) {
    // Without these groups the kernel does not report IPv4 routes removed with their link or
    // address.
    unsigned groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
        | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_RULE | 1u << (RTNLGRP_IPV6_RULE - 1);
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = notices ? groups : 0};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int kept = errno;
    close(fd);
    errno = kept;
    return -1;
}

int csys_connect_begin(const char *host, const char *port, int *sockets, int capacity) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) return 0;
    int count = 0;
    for (struct addrinfo *one = found; one && count < capacity; one = one->ai_next) {
        int fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) continue;
        if (connect(fd, one->ai_addr, one->ai_addrlen) == 0 || errno == EINPROGRESS) {
            sockets[count++] = fd;
        } else {
            close(fd);
        }
    }
    freeaddrinfo(found);
    return count;
}

int csys_is_connected(int socket) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

int csys_connect_path(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int kept = errno;
    close(fd);
    errno = kept;
    return -1;
}

int csys_message_socket(const char *path, int listens) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = 0;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | (listens ? SOCK_NONBLOCK : 0), 0);
    if (fd < 0) return -1;
    struct timeval patience = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const struct sockaddr *at = (const struct sockaddr *)&address;
    if ((listens ? bind(fd, at, size) : connect(fd, at, size)) == 0) return fd;
    int kept = errno;
    close(fd);
    errno = kept;
    return -1;
}

ssize_t csys_send(int socket, const void *bytes, size_t count) {
    for (;;) {
        ssize_t put = send(socket, bytes, count, MSG_NOSIGNAL);
        if (put >= 0 || errno != EINTR) return put;
    }
}

int csys_listen_loopback(uint16_t *port) {
    *port = 0;
    return csys_listen_at("127.0.0.1", port);
}

int csys_bind_at(const char *name, uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    if (inet_pton(AF_INET, name, &address.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    socklen_t size = sizeof address;
    if (bind(fd, (struct sockaddr *)&address, size) != 0
        || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        int kept = errno;
        close(fd);
        errno = kept;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

int csys_listen_at(const char *name, uint16_t *port) {
    int fd = csys_bind_at(name, port);
    if (fd < 0 || listen(fd, 128) == 0) return fd;
    int kept = errno;
    close(fd);
    errno = kept;
    return -1;
}

int csys_accept(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 || (errno != EINTR && errno != ECONNABORTED)) return fd;
    }
}

int csys_listen(const char *host, uint16_t *port) {
    char service[8];
    snprintf(service, sizeof service, "%u", *port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, service, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int fd = -1;
    int kept = EADDRNOTAVAIL;
    for (struct addrinfo *one = found; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) {
            kept = errno;
            continue;
        }
        int on = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (one->ai_family == AF_INET6) {
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        }
        struct sockaddr_storage address;
        socklen_t size = sizeof address;
        if (bind(fd, one->ai_addr, one->ai_addrlen) != 0 || listen(fd, 128) != 0
            || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
            kept = errno;
            close(fd);
            fd = -1;
            continue;
        }
        *port = ntohs(
            address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                          : ((struct sockaddr_in *)&address)->sin_port);
    }
    freeaddrinfo(found);
    errno = kept;
    return fd;
}

int csys_accept_nonblocking(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0 || (errno != EINTR && errno != ECONNABORTED)) return fd;
    }
}

int csys_break_on_close(int socket) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
