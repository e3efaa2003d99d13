#define _GNU_SOURCE
#include <termios.h>
#include "CCurses.h"

#include <signal.h>

void ccur_stop_group(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction former;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGTSTP, &action, &former) != 0) return;
    // The whole group, as the terminal would: a shell that waits for a script must see it stop.
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &former, NULL);
}

void ccur_discard_input(int descriptor) { tcflush(descriptor, TCIFLUSH); }
