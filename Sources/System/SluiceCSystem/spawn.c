#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

int csys_pidfd_open(pid_t pid) {
    return pidfd_open(pid, 0);
}

int csys_pidfd_send_signal(int pidfd, int signal) {
    return pidfd_send_signal(pidfd, signal, NULL, 0);
}

int csys_pidfd_signal_group(int pidfd, pid_t group, int signal) {
    const unsigned process_group = 1u << 2;
    if (pidfd_send_signal(pidfd, signal, NULL, process_group) == 0) return 0;
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

static int add_actions(posix_spawn_file_actions_t *actions, const csys_spawn_request *request) {
    int error = 0;
    if (request->directory) {
        error = posix_spawn_file_actions_addchdir_np(actions, request->directory);
    }
    if (!error && request->terminal) {
        error = posix_spawn_file_actions_addopen(actions, 0, request->terminal, O_RDWR, 0);
    }
    for (size_t i = 0; !error && i < request->copy_count; i++) {
        csys_descriptor_copy copy = request->copies[i];
        error = copy.from < 0
            ? posix_spawn_file_actions_addclose(actions, copy.to)
            : posix_spawn_file_actions_adddup2(actions, copy.from, copy.to);
    }
    if (!error) {
        error = posix_spawn_file_actions_addclosefrom_np(actions, request->close_from);
    }
    return error;
}

static int set_attributes(posix_spawnattr_t *attributes, const csys_spawn_request *request) {
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (request->new_session) {
        flags |= POSIX_SPAWN_SETSID;
    } else if (request->new_group) {
        flags |= POSIX_SPAWN_SETPGROUP;
        if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    }
    if (!error) error = posix_spawnattr_setflags(attributes, flags);
    return error;
}

int csys_spawn(const csys_spawn_request *request, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = add_actions(&actions, request);
        if (!error) error = set_attributes(&attributes, request);
        if (!error) {
            error = posix_spawn(
                pid, request->path, &actions, &attributes,
                request->arguments, request->environment);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
