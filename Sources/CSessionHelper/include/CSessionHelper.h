/* The libc and libpam calls of boxagent-session that need macros, unions or callbacks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A process, from /proc/PID/stat. */
struct csession_process {
    int process, parent, group, foreground_group;
    /* The state in proc(5), such as 'T'. */
    char state;
    /* The device number of the controlling terminal, or 0 if there is none. */
    unsigned terminal;
    /* The hash of the program's name, which is cut to 15 bytes. Names may contain anything and are only compared. */
    uint64_t name;
};

/* Returns the device number of a character device, or 0 if the path is not one. */
unsigned csession_device(const char *path);
/* Reads a process or thread from /proc. Returns 0, or -1 if it is gone or hidden. */
int csession_look(int process, struct csession_process *found);
/* Returns whether all user ids of a process (real, effective, saved, file system) are `user`, and 0 if it is gone.
   The owner of /proc/PID says less: it is root for every program that may not be dumped (proc(5)). */
int csession_is_of(int process, unsigned user);
/* Returns 1 if a process has a terminal open for reading, 0 if not, or -1 if that is hidden. With `any`, /dev/tty
   counts too, because it may be any terminal for a process that has left its own. */
int csession_reads(int process, unsigned terminal, int any);
/* Returns 1 if a group has members that we may signal, -1 if it has only others, 0 if it is empty. */
int csession_group(int group);
/* Gets the /proc/self/mountinfo line (proc(5)) of the last mount at /proc. Returns 0, or -1 if it is not procfs. */
int csession_mount_of_proc(char *line, size_t limit);

enum csession_display {
    /* Not a virtual terminal: a serial line or a terminal emulator. */
    CSESSION_NO_DISPLAY,
    CSESSION_TEXT,
    /* KD_GRAPHICS: the screen does not show the terminal's text (ioctl_console(2)). */
    CSESSION_PICTURE,
    /* VT_PROCESS: a program decides when this terminal is in the foreground. */
    CSESSION_DRIVEN,
    CSESSION_UNKNOWN,
};
enum csession_display csession_display(const char *path);

/* Returns in a child, and again in a new child whenever a signal ends the last one. The parent forwards SIGTERM and
   similar signals, and ends like the child. */
void csession_supervise(void);
/* Returns whether the session is locked or about to be. A new child inherits this state. */
int csession_keeps_locked(void);
void csession_keep_locked(int locked);
/* Returns the process that leads the session, or 0 if unknown. A new child inherits it too. */
int csession_keeps_leader(void);
void csession_keep_leader(int leader);

/* Opens a terminal, not as controlling terminal, and turns off echo, line editing and signals. Returns a descriptor, or
   -1. If an earlier child took the terminal, its settings from before that are kept, to be restored in the end. */
int csession_take_terminal(const char *path);
/* Restores the terminal's settings and closes it. */
void csession_return_terminal(int descriptor);
/* Reads at most `limit` typed bytes. Returns 0 if there are none, -1 at the terminal's end. */
long csession_typed(int descriptor, uint8_t *bytes, size_t limit);
void csession_show(int descriptor, const char *text);

/* Checks the password with a PAM service. Returns 0, or PAM's error after a delay of seconds. */
int csession_check_password(const char *service, const char *user, const char *terminal, const char *password);

/* Forbids dumps, and tracing by the user's other programs. Returns 0, or -1. */
int csession_harden(void);
