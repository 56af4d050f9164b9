/* Wraps the libc calls that boxlogin cannot import: Embedded Swift has no Glibc module, and imports neither variadic
 * functions nor errno. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int cboxlogin_errno(void) { return errno; }

/* Returns the argument with that number, or null after the last. Embedded Swift has no access to the arguments. */
const char *cboxlogin_argument(int number);

static inline int cboxlogin_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

/* Returns the open flags of a descriptor (F_GETFL), or -1. */
static inline int cboxlogin_flags(int descriptor) { return fcntl(descriptor, F_GETFL); }
static inline int cboxlogin_set_flags(int descriptor, int flags) { return fcntl(descriptor, F_SETFL, flags); }

/* Gets columns and rows of the terminal. Returns 0, or -1. */
static inline int cboxlogin_size(int descriptor, struct winsize *size) { return ioctl(descriptor, TIOCGWINSZ, size); }

/* Forbids core dumps of this process. Returns 0, or -1. */
static inline int cboxlogin_no_core(void)
{
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

/* write(2), for a type that has its own method of that name. */
static inline ssize_t cboxlogin_write(int descriptor, const void *bytes, size_t count)
{
    return write(descriptor, bytes, count);
}
