/* The libc and libpam calls of boxagent-session that are made of macros, unions and callbacks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A process of a terminal. */
struct csession_process {
    int process, group, foreground_group;
    unsigned user;
    /* The terminal's device number. */
    unsigned terminal;
};

/* The device number of a character device; 0 when it is none. */
unsigned csession_device(const char *path);
/* What /proc says of a process; 0, or -1 when it is gone. */
int csession_look(int process, struct csession_process *found);

/* Opens a terminal without making it ours, reads it without echo, lines and signals. A descriptor, or -1. */
int csession_take_terminal(const char *path);
/* Gives it back as it was, and closes it. */
void csession_return_terminal(int descriptor);
/* At most `limit` bytes that were typed: 0 when there are none, -1 at the terminal's end. */
long csession_typed(int descriptor, uint8_t *bytes, size_t limit);
void csession_show(int descriptor, const char *text);

/* Whether PAM's service lets the user in with this password: 0, or PAM's error. Takes seconds when it does not. */
int csession_check_password(const char *service, const char *user, const char *terminal, const char *password);

/* As pam_exec(8) starts it, as root: goes on as a child of its own session, as the user, with nothing of root's.
   0 in the child; the parent ends here. -1 and a word for what failed otherwise. */
int csession_become(const char *user, const char **failed);
