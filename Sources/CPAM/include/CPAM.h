/* Wraps libpam and the libc calls that the PAM module cannot import: Embedded Swift has no Glibc module, and imports
 * neither variadic functions nor errno. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* struct ucred, explicit_bzero */
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_modules.h>
#include <security/pam_ext.h>

static inline int cpam_errno(void) { return errno; }

/* Logs one line through libpam, which adds service and function. The text is an argument, never the format. */
static inline void cpam_log(const pam_handle_t *pamh, int priority, const char *text)
{
    pam_syslog(pamh, priority, "%s", text);
}

/* Shows one line to the user through the program's conversation. */
static inline int cpam_show(pam_handle_t *pamh, const char *text)
{
    return pam_prompt(pamh, PAM_TEXT_INFO, NULL, "%s", text);
}

/* Connects to a Unix socket. `length` is the length of the path, without NUL. */
static inline int cpam_connect(int descriptor, const void *path, size_t length)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    return connect(descriptor, (const struct sockaddr *)&address, sizeof address);
}

/* Gets the user who listens at the other end. */
static inline int cpam_peer_user(int descriptor, uid_t *user)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    if (size != sizeof peer) {
        errno = EINVAL;
        return -1;
    }
    *user = peer.uid;
    return 0;
}

/* Returns null instead of MAP_FAILED, because Swift does not import macros with casts. */
static inline void *cpam_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Returns a close-on-exec descriptor above 2, even if the program has closed standard input, output or error.
 * Otherwise the program's output could go into it. */
static inline int cpam_move_above_standard(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

/* Makes a close-on-exec pipe whose writing end never blocks. */
static inline int cpam_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[1], F_SETFL, O_NONBLOCK);
}

static inline int cpam_may_run(const char *path) { return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0; }

/* Starts `path` without arguments and environment. Only `input` is open, as its standard input. init adopts the
 * process, because the host program must not find it among its own children. Returns 0, or -1. */
int cpam_start_helper(const char *path, int input);
