#pragma once
// Linux calls that Swift's Glibc module lacks or cannot express. Every function returns zero or more, or the negative
// errno, so callers never read errno. errno.h provides the error numbers to Embedded Swift, which has no Glibc module.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Readiness of descriptors, by edge-triggered epoll.
enum { CLINUX_READABLE = 1, CLINUX_WRITABLE = 2, CLINUX_HANGUP = 4 };
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token);
int clinux_epoll_remove(int epoll, int descriptor);
int clinux_epoll_wait(int epoll, uint32_t *events, uint64_t *tokens, int limit, int forever);

int clinux_eventfd(void);
int clinux_eventfd_signal(int descriptor);

// Timers and time on CLOCK_BOOTTIME, absolute. Zero seconds and nanoseconds disarm a timer.
int clinux_timerfd(void);
int clinux_timerfd_arm(int descriptor, int64_t seconds, int64_t nanoseconds);
void clinux_boottime(int64_t *seconds, int64_t *nanoseconds);
int64_t clinux_monotonic_microseconds(void);

// Blocks the signals in the calling thread. Returns a descriptor that reads them.
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
// Returns the whole size of the message, more than `limit` if it was cut. Returns 0 at the end, after all messages.
ssize_t clinux_receive(int descriptor, void *bytes, size_t limit);
ssize_t clinux_send(int descriptor, const void *bytes, size_t count);
// Waits at most `milliseconds` until the descriptor is CLINUX_READABLE or CLINUX_WRITABLE. Returns 1 if ready, 0 on
// timeout. A negative descriptor is never ready.
int clinux_wait(int descriptor, uint32_t interest, int milliseconds);
void clinux_close(int descriptor);

// Sends one datagram to a Unix address. A leading '@' means the abstract namespace.
int clinux_send_datagram(
    const uint8_t *address, size_t address_count, const void *bytes, size_t count, int may_wait);
int clinux_set_nonblocking_cloexec(int descriptor);

// Renames atomically: without replacing (`exchange` 0), or by swapping both names (`exchange` 1).
int clinux_rename(const char *from, const char *to, int exchange);
// Gets the device and the inode of a file, and sets `is_socket` to 0 or 1. Does not follow a symbolic link at the end
// of the path.
int clinux_inode(const char *path, uint64_t *device, uint64_t *inode, int *is_socket);

// Child processes.
int clinux_pipe(int descriptors[2]);
// Starts `path` in its own process group, with default signals, none blocked, and working directory "/". Only
// descriptors 0, 1 and 2 are open. `output` < 0 discards both outputs.
int clinux_spawn(const char *path, char *const arguments[], char *const environment[], int input, int output);
int clinux_pidfd_open(int process);

// Watches the nearest existing directory above `path` for new names, changed permissions and its removal (inotify(7)).
// The descriptor becomes readable on each of these events and never blocks.
int clinux_watch_above(const char *path);
// Returns 1 if the process ended and was reaped, 0 if it still runs. `exited` tells an exit code from a signal number.
int clinux_reap(int pidfd, int *exited, int *value);
int clinux_kill_group(int group);

// Users. clinux_user returns this process's user. clinux_user_named returns 1 if it finds the user, or else 0.
uint32_t clinux_user(void);
int clinux_user_named(const char *name, uint32_t *user);

// This process.
int clinux_harden(void);
int clinux_is_dumpable(void);
// Releases the pages of code and constants that this process has touched. The kernel reads them from the file again on
// use. Releases only segments that are not writable, because these never differ from the file.
int clinux_release_code(void);
int clinux_lockable_memory(uint64_t *bytes);
// Returns Linux's description of an errno, which is never freed.
const char *clinux_reason(int code);
void clinux_wipe(void *bytes, size_t count);
// Gets the type of a path's file system (statfs(2)) and its device numbers (stat(2)). Returns 0, or -1.
int clinux_file_system(const char *path, long *type, unsigned *major, unsigned *minor);
// Gets the 6 bytes of the address that a network card was made with. Returns 0, or -1.
int clinux_permanent_address(const char *name, uint8_t *address);
