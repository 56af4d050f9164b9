#pragma once
// Linux calls that Swift's Glibc module lacks or cannot express. Every function returns a value of zero or more,
// or the negative errno: no caller has to read errno.
// For those who have no Glibc module, since they are compiled as Embedded Swift too: the numbers of errors.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// epoll: readiness of descriptors. Events are edge-triggered.
enum { CLINUX_READABLE = 1, CLINUX_WRITABLE = 2, CLINUX_HANGUP = 4 };
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token);
int clinux_epoll_remove(int epoll, int descriptor);
int clinux_epoll_wait(int epoll, uint32_t *events, uint64_t *tokens, int limit, int forever);

int clinux_eventfd(void);
int clinux_eventfd_signal(int descriptor);

// Timers and time on CLOCK_BOOTTIME, absolute. Zero and zero disarm.
int clinux_timerfd(void);
int clinux_timerfd_arm(int descriptor, int64_t seconds, int64_t nanoseconds);
void clinux_boottime(int64_t *seconds, int64_t *nanoseconds);
int64_t clinux_monotonic_microseconds(void);

// Blocks the signals in the calling thread and returns a descriptor that reads them.
int clinux_signalfd(const int *signals, size_t count);
int clinux_signalfd_read(int descriptor);
int clinux_ignore_sigpipe(void);

// SOCK_SEQPACKET sockets of AF_UNIX, non-blocking, close-on-exec.
enum { CLINUX_SUN_PATH_BYTES = 108 };
int clinux_seqpacket(void);
int clinux_seqpacket_pair(int descriptors[2]);
int clinux_unix_bind(int descriptor, const uint8_t *path, size_t count);
int clinux_unix_connect(int descriptor, const uint8_t *path, size_t count);
int clinux_listen(int descriptor, int backlog);
int clinux_accept(int descriptor);
int clinux_is_seqpacket_listener(int descriptor);
int clinux_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group);
int clinux_set_buffers(int descriptor, int send_bytes, int receive_bytes);
// The message's whole size, which is more than `limit` when it did not fit and was cut; 0 at the end, after every message.
ssize_t clinux_receive(int descriptor, void *bytes, size_t limit);
ssize_t clinux_send(int descriptor, const void *bytes, size_t count);
// Waits at most `milliseconds` for CLINUX_READABLE or CLINUX_WRITABLE: 1 ready, 0 not in time. A negative descriptor never is.
int clinux_wait(int descriptor, uint32_t interest, int milliseconds);
void clinux_close(int descriptor);

// One datagram to a Unix address; a leading '@' means the abstract namespace.
int clinux_send_datagram(
    const uint8_t *address, size_t address_count, const void *bytes, size_t count, int may_wait);
int clinux_set_nonblocking_cloexec(int descriptor);

// Renames without replacing (`exchange` 0) or by swapping both names (`exchange` 1), atomically.
int clinux_rename(const char *from, const char *to, int exchange);
// `is_socket` 0 or 1. The last part of the path is not followed when it is a symbolic link.
int clinux_inode(const char *path, uint64_t *device, uint64_t *inode, int *is_socket);

// Child processes.
int clinux_pipe(int descriptors[2]);
// Starts `path` in a process group of its own, with default signals, nothing blocked, the working directory "/" and no
// descriptors but 0, 1 and 2. `output` < 0 discards both outputs.
int clinux_spawn(const char *path, char *const arguments[], char *const environment[], int input, int output);
int clinux_pidfd_open(int process);

// Tells of names that appear in the nearest directory above `path` that exists, of changed permissions there, and of its end
// (inotify(7)). The descriptor is readable then, without blocking.
int clinux_watch_above(const char *path);
// 1 when the process has ended and was reaped: `exited` then tells an exit code from a signal number. 0: still running.
int clinux_reap(int pidfd, int *exited, int *value);
int clinux_kill_group(int group);

// Users: this process' own, and the one of that name (1 found, 0 there is none).
uint32_t clinux_user(void);
int clinux_user_named(const char *name, uint32_t *user);

// This process.
int clinux_harden(void);
int clinux_is_dumpable(void);
// Gives back the pages of program code that this process has touched so far; they come back from the file as they are
// needed. Only segments that are executable and not writable: these never differ from the file.
int clinux_release_code(void);
int clinux_lockable_memory(uint64_t *bytes);
// Linux's words for an errno; never freed.
const char *clinux_reason(int code);
void clinux_wipe(void *bytes, size_t count);
// The file system of a path: its type (statfs(2)), and the numbers of its device (stat(2)). 0, or -1.
int clinux_file_system(const char *path, long *type, unsigned *major, unsigned *minor);
