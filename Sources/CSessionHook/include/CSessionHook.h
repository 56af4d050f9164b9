/* The libc calls of session-hook. Embedded Swift has no Glibc module and imports neither variadic functions nor macros
 * with casts, so those are wrapped here, and nothing else is. */
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

/* The argument of that number, null behind the last. Embedded Swift does not know them. */
const char *chook_argument(int number);

/* Before anything secret is read: no dumps, no tracing by the user, default signals, none blocked, standard output and
 * error at /dev/null, nothing else open but standard input. 0, or -1. */
int chook_prepare(void);

/* Memory that is never swapped, in no dump and in no child; null when it cannot be had. */
void *chook_secret_memory(size_t bytes);

int chook_pipe(int ends[2]);
int chook_open_to_read(const char *path);

/* A connected socket, or -1. `is_stream`: SOCK_STREAM instead of SOCK_DGRAM. Nothing waits for the other side. */
int chook_connect(const char *path, int is_stream);

int chook_make_blocking(int descriptor);

/* Starts a program in a session of its own. `arguments` and `environment` end with null pointers. 0, or an errno. */
int chook_spawn(int *process, const char *path, char *const arguments[], char *const environment[],
                int input, int output, int error);
/* Goes on as another program, with every signal at its default, nothing on standard input, and its output where `output`
 * says: at /dev/null when that is -1. An errno; otherwise it does not return. */
int chook_replace(const char *path, char *const arguments[], char *const environment[], int output);
/* A descriptor that becomes readable when the process ends. */
int chook_watch(int process);
/* 0: still running. 1: it ended with *value. 2: a signal, *value, ended it. */
int chook_reap(int process, int *value);
/* Signals every process of the group that `process` leads. */
void chook_signal_group(int process, int is_last);
