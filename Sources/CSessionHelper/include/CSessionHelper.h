/* The libc and libpam calls of boxagent-session that are made of macros, unions and callbacks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A process, as /proc/PID/stat has it. */
struct csession_process {
    int process, parent, group, foreground_group;
    /* As in proc(5), such as 'T'. */
    char state;
    /* The device number of its controlling terminal; 0 when it has none. */
    unsigned terminal;
    /* The program's name, cut to 15 bytes; hashed, since it may hold anything and is compared only. */
    uint64_t name;
};

/* The device number of a character device; 0 when it is none. */
unsigned csession_device(const char *path);
/* What /proc says of a process, or of a thread; 0, or -1 when it is gone or hidden. */
int csession_look(int process, struct csession_process *found);
/* Whether every user id of a process, real, effective, saved and of the file system, is `user`; 0 when it is gone. The
   owner of /proc/PID says less: it is root's for every program that may not be dumped (proc(5)). */
int csession_is_of(int process, unsigned user);
/* Whether a process holds a terminal open for reading: 1, or 0, or -1 when that cannot be seen. /dev/tty counts when
   `any`: of a process that has left its terminal nobody can tell which one that was. */
int csession_reads(int process, unsigned terminal, int any);
/* Whether a process group has members: 1 some that we may signal, -1 others' only, 0 none. */
int csession_group(int group);
/* The line of /proc/self/mountinfo (proc(5)) for what is mounted at /proc last; 0, or -1 when that is no procfs. */
int csession_mount_of_proc(char *line, size_t limit);

enum csession_display {
    /* No virtual terminal: a serial line, or somebody's terminal emulator. */
    CSESSION_NO_DISPLAY,
    CSESSION_TEXT,
    /* KD_GRAPHICS: what is on the screen is not the terminal's (ioctl_console(2)). */
    CSESSION_PICTURE,
    /* VT_PROCESS: a program decides when this terminal is shown. */
    CSESSION_DRIVEN,
    CSESSION_UNKNOWN,
};
enum csession_display csession_display(const char *path);

/* Goes on as a child, and as another one whenever a signal has ended it. The parent passes SIGTERM and its kind on, and
   ends as the child does. */
void csession_supervise(void);
/* Whether the session is, or is about to be, locked: what the next child is told of the one before. */
int csession_keeps_locked(void);
void csession_keep_locked(int locked);
/* The process that leads the session, 0 while it is not known; the same. */
int csession_keeps_leader(void);
void csession_keep_leader(int leader);

/* Opens a terminal without making it ours, reads it without echo, lines and signals. A descriptor, or -1. One that a
   child before this one has taken is given back as it was before that. */
int csession_take_terminal(const char *path);
/* Gives it back as it was, and closes it. */
void csession_return_terminal(int descriptor);
/* At most `limit` bytes that were typed: 0 when there are none, -1 at the terminal's end. */
long csession_typed(int descriptor, uint8_t *bytes, size_t limit);
void csession_show(int descriptor, const char *text);

/* Whether PAM's service lets the user in with this password: 0, or PAM's error. Takes seconds when it does not. */
int csession_check_password(const char *service, const char *user, const char *terminal, const char *password);

/* No dumps, and no tracing by the user's other programs. 0, or -1. */
int csession_harden(void);
