#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t csys_realtime_nanoseconds(void) {
    return nanoseconds(CLOCK_REALTIME);
}

uint64_t csys_monotonic_nanoseconds(void) {
    return (uint64_t)nanoseconds(CLOCK_MONOTONIC);
}

uint64_t csys_processor_nanoseconds(void) {
    return (uint64_t)nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t csys_thread_nanoseconds(void) {
    return (uint64_t)nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

int csys_processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

int csys_random(void *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = getrandom((char *)bytes + done, count - done, 0);
        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}
