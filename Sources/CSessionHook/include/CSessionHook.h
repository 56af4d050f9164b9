/* Wraps the libc calls that session-hook cannot import: Embedded Swift has no Glibc module, and imports neither
 * variadic functions nor macros with casts. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* setresuid, explicit_bzero */
#endif

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static inline int chook_errno(void) { return errno; }

/* Returns the argument with that number, or null after the last. Embedded Swift has no access to the arguments. */
const char *chook_argument(int number);

/* Call this before reading a secret. Forbids dumps and tracing by the user, resets and unblocks all signals, sends both
 * outputs to /dev/null, and closes every other descriptor except standard input. Returns 0, or -1. */
int chook_prepare(void);

/* Allocates memory that is never swapped, dumped or inherited by a child. Returns null on failure. */
void *chook_secret_memory(size_t bytes);

int chook_pipe(int ends[2]);
int chook_open_to_read(const char *path);

/* Returns a connected, non-blocking socket, or -1. `is_stream` chooses SOCK_STREAM instead of SOCK_DGRAM. */
int chook_connect(const char *path, int is_stream);

int chook_make_blocking(int descriptor);

/* Starts a program in its own session. `arguments` and `environment` end with null pointers. Returns 0, or an errno. */
int chook_spawn(int *process, const char *path, char *const arguments[], char *const environment[],
                int input, int output, int error);
/* Replaces this process with another program. Signals are at their defaults, standard input is /dev/null, and both
 * outputs are `output`, or /dev/null if it is -1. Returns only on failure, with an errno. */
int chook_replace(const char *path, char *const arguments[], char *const environment[], int output);
/* Returns a descriptor that becomes readable when the process ends. */
int chook_watch(int process);
/* Returns 0 while the process runs, 1 if it exited with *value, or 2 if the signal *value ended it. */
int chook_reap(int process, int *value);
/* Signals every process of the group that `process` leads: SIGKILL if `is_last`, or else SIGTERM. */
void chook_signal_group(int process, int is_last);
