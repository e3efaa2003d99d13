#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc has functions for these since 2.36; the program also starts with 2.34.
static int send_signal(int pidfd, int signal, unsigned flags) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, flags);
}

int csys_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int csys_pidfd_send_signal(int pidfd, int signal) {
    return send_signal(pidfd, signal, 0);
}

int csys_pidfd_signal_group(int pidfd, pid_t group, int signal) {
    const unsigned process_group = 1u << 2;
    if (send_signal(pidfd, signal, process_group) == 0) return 0;
    if (errno != EINVAL) return -1;
    return kill(-group, signal);
}

char **csys_environment(void) {
    return environ;
}

void csys_name_thread(const char *name) {
    char cut[16] = {0};
    strncpy(cut, name, sizeof cut - 1);
    pthread_setname_np(pthread_self(), cut);
}

int csys_reap(int pidfd, csys_exit *exit) {
    siginfo_t info = {0};
    exit->kind = csys_exit_running;
    exit->value = 0;
    while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) != 0) {
        if (errno != EINTR) return -1;
    }
    if (info.si_pid == 0) return 0;
    exit->kind = info.si_code == CLD_EXITED ? csys_exit_code : csys_exit_signal;
    exit->value = info.si_status;
    return 0;
}

static int set_up(const csys_spawn_request *request) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    // Signals that cannot be set (KILL, STOP, the library's own) need no change.
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &usual, NULL);
    if (request->new_session) {
        if (setsid() < 0) return -1;
    } else if (request->new_group) {
        if (setpgid(0, 0) != 0) return -1;
    }
    if (request->directory && chdir(request->directory) != 0) return -1;
    if (request->terminal) {
        int fd = open(request->terminal, O_RDWR);
        if (fd < 0) return -1;
        if (fd != 0 && (dup2(fd, 0) < 0 || close(fd) != 0)) return -1;
    }
    for (size_t i = 0; i < request->copy_count; i++) {
        csys_descriptor_copy copy = request->copies[i];
        if (copy.from < 0) {
            close(copy.to);
        } else if (copy.from == copy.to) {
            if (csys_set_close_on_exec(copy.to, 0) != 0) return -1;
        } else if (dup2(copy.from, copy.to) < 0) {
            return -1;
        }
    }
    closefrom(request->close_from);
    if (request->descriptor_limit == 0) return 0;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = request->descriptor_limit;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

// The child shares the memory of the parent, which continues after exec. So it writes only the
// error.
static _Noreturn void be_child(const csys_spawn_request *request, volatile int *error) {
    sigset_t none;
    sigemptyset(&none);
    if (set_up(request) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0) {
        execve(request->path, request->arguments, request->environment);
    }
    *error = errno;
    _exit(127);
}

int csys_spawn(const csys_spawn_request *request, pid_t *pid) {
    volatile int error = 0;
    sigset_t all, former;
    sigfillset(&all);
    // No handler of ours runs in the child, and no cancellation of the parent in between.
    int code = pthread_sigmask(SIG_BLOCK, &all, &former);
    if (code) return code;
    pid_t child = vfork();
    if (child == 0) be_child(request, &error);
    if (child < 0) error = errno;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (child > 0 && error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (!error) *pid = child;
    return error;
}

int csys_descriptor_limits(uint64_t *soft, uint64_t *hard) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    *soft = limit.rlim_cur;
    *hard = limit.rlim_max;
    return 0;
}

int csys_set_descriptor_limit(uint64_t soft) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = soft;
    return setrlimit(RLIMIT_NOFILE, &limit);
}
