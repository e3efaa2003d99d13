#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define SIGNAL_LIMIT 65
#define LEAVE_LIMIT 1024

// Signals to pipes. A slot holds a descriptor plus one, so that zero means none. A mutex orders
// changes; the handler only reads.

#define PIPE_LIMIT 16

static _Atomic int pipes_of[SIGNAL_LIMIT][PIPE_LIMIT];
static struct sigaction before_pipes[SIGNAL_LIMIT];
static pthread_mutex_t pipes_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_signal(int signal) {
    int kept = errno;
    unsigned char byte = (unsigned char)signal;
    for (int slot = 0; slot < PIPE_LIMIT; slot++) {
        int fd = atomic_load(&pipes_of[signal][slot]) - 1;
        // A full pipe drops the byte: the reader has unread bytes and will wake anyway.
        if (fd >= 0) (void)!write(fd, &byte, 1);
    }
    errno = kept;
}

static int is_signal(int signal) {
    if (signal > 0 && signal < SIGNAL_LIMIT) return 1;
    errno = EINVAL;
    return 0;
}

// The slot that holds a value; -1 without one.
static int slot_of(int signal, int value) {
    for (int slot = 0; slot < PIPE_LIMIT; slot++) {
        if (atomic_load(&pipes_of[signal][slot]) == value) return slot;
    }
    return -1;
}

static int has_pipes(int signal) {
    for (int slot = 0; slot < PIPE_LIMIT; slot++) {
        if (atomic_load(&pipes_of[signal][slot]) != 0) return 1;
    }
    return 0;
}

static int add_pipe(int signal, int fd) {
    int slot = slot_of(signal, 0);
    if (slot < 0) {
        errno = EMFILE;
        return -1;
    }
    if (!has_pipes(signal)) {
        struct sigaction action = {
            .sa_handler = write_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        if (sigaction(signal, NULL, &before_pipes[signal]) != 0) return -1;
        // nohup: the program ignores HUP as before.
        if (signal == SIGHUP && before_pipes[signal].sa_handler == SIG_IGN) return 0;
        atomic_store(&pipes_of[signal][slot], fd + 1);
        if (sigaction(signal, &action, NULL) == 0) return 0;
        atomic_store(&pipes_of[signal][slot], 0);
        return -1;
    }
    atomic_store(&pipes_of[signal][slot], fd + 1);
    return 0;
}

static int remove_pipe(int signal, int fd) {
    int slot = slot_of(signal, fd + 1);
    if (slot < 0) return 0;
    atomic_store(&pipes_of[signal][slot], 0);
    return has_pipes(signal) ? 0 : sigaction(signal, &before_pipes[signal], NULL);
}

int csys_signal_to_pipe(int signal, int fd) {
    if (!is_signal(signal)) return -1;
    pthread_mutex_lock(&pipes_lock);
    int result = add_pipe(signal, fd);
    pthread_mutex_unlock(&pipes_lock);
    return result;
}

int csys_signal_restore(int signal, int fd) {
    if (!is_signal(signal)) return -1;
    pthread_mutex_lock(&pipes_lock);
    int result = remove_pipe(signal, fd);
    pthread_mutex_unlock(&pipes_lock);
    return result;
}

int csys_signal_ignore(int signal, int ignored) {
    struct sigaction action = {.sa_handler = ignored ? SIG_IGN : SIG_DFL};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, NULL);
}

// The terminal after a crash.

static const int crash_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
#define CRASH_COUNT (sizeof crash_signals / sizeof crash_signals[0])

static struct {
    uint8_t bytes[LEAVE_LIMIT];
    size_t count;
    int fd;
    int terminal;
    int has_modes;
    csys_terminal_modes modes;
} leave;

static struct sigaction before_crash[CRASH_COUNT];
static _Atomic int armed;
static _Atomic int leave_pending;

static void leave_terminal(void) {
    if (atomic_exchange(&leave_pending, 0) == 0) return;
    size_t done = 0;
    while (done < leave.count) {
        ssize_t put = write(leave.fd, leave.bytes + done, leave.count - done);
        if (put > 0) {
            done += (size_t)put;
        } else if (errno != EINTR) {
            break;
        }
    }
    if (leave.has_modes) tcsetattr(leave.terminal, TCSANOW, &leave.modes.modes);
}

static void crash(int signal, siginfo_t *info, void *context) {
    (void)context;
    int kept = errno;
    leave_terminal();
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        if (crash_signals[i] == signal) sigaction(signal, &before_crash[i], NULL);
    }
    // After the runtime's report, a signal from outside would have no effect, and the program would
    // continue without its terminal: no fault recurs.
    if (info->si_code == SI_USER) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        sigaction(signal, &standard, NULL);
    }
    // A fault recurs when its instruction runs again. A sent signal (abort, kill), or one after its
    // instruction (a breakpoint), needs this to recur.
    if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
    errno = kept;
}

int csys_crash_arm(
    int fd, const uint8_t *bytes, size_t count,
    int terminal, const csys_terminal_modes *modes) {
    if (count > LEAVE_LIMIT) {
        errno = E2BIG;
        return -1;
    }
    atomic_store(&leave_pending, 0);
    memcpy(leave.bytes, bytes, count);
    leave.count = count;
    leave.fd = fd;
    leave.terminal = terminal;
    leave.has_modes = modes != NULL;
    if (modes) leave.modes = *modes;
    atomic_store(&leave_pending, 1);
    if (atomic_exchange(&armed, 1)) return 0;
    struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        if (sigaction(crash_signals[i], &action, &before_crash[i]) != 0) return -1;
    }
    return 0;
}

static void exceed_file_size(int signal) {
    static const char text[] =
        "sluice: a file would exceed the file size limit of this process; raise it (ulimit -f)\n";
    leave_terminal();
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    csys_signal_ignore(signal, 0);
    raise(signal);
}

int csys_file_size_explain(void) {
    struct sigaction action = {.sa_handler = exceed_file_size, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGXFSZ, &action, NULL);
}

void csys_crash_disarm(void) {
    atomic_store(&leave_pending, 0);
    if (!atomic_exchange(&armed, 0)) return;
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        sigaction(crash_signals[i], &before_crash[i], NULL);
    }
}
