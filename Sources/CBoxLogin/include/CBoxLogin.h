/* The libc calls of boxlogin, which is Embedded Swift: it has no Glibc module and imports neither variadic functions nor
 * errno, so those are wrapped here, and nothing else is. */
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

/* The argument of that number, null behind the last. Embedded Swift does not know them. */
const char *cboxlogin_argument(int number);

static inline int cboxlogin_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

/* How a descriptor is open (F_GETFL), or -1. */
static inline int cboxlogin_flags(int descriptor) { return fcntl(descriptor, F_GETFL); }
static inline int cboxlogin_set_flags(int descriptor, int flags) { return fcntl(descriptor, F_SETFL, flags); }

/* Columns and rows of the terminal. 0, or -1. */
static inline int cboxlogin_size(int descriptor, struct winsize *size) { return ioctl(descriptor, TIOCGWINSZ, size); }

/* No dump of this process' memory. 0, or -1. */
static inline int cboxlogin_no_core(void)
{
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

/* write(2), for a type that has a method of that name. */
static inline ssize_t cboxlogin_write(int descriptor, const void *bytes, size_t count)
{
    return write(descriptor, bytes, count);
}
