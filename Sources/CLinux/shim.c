#define _GNU_SOURCE
#include "CLinux.h"
#include <link.h>
#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int result(int value) { return value < 0 ? -errno : value; }

int clinux_epoll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

int clinux_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token) {
    struct epoll_event event = {.events = EPOLLET | EPOLLRDHUP, .data.u64 = token};
    if (interest & CLINUX_READABLE) event.events |= EPOLLIN;
    if (interest & CLINUX_WRITABLE) event.events |= EPOLLOUT;
    return result(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event));
}

int clinux_epoll_remove(int epoll, int descriptor) {
    return result(epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL));
}

int clinux_epoll_wait(int epoll, uint32_t *events, uint64_t *tokens, int limit, int forever) {
    struct epoll_event ready[64];
    if (limit > 64) limit = 64;
    int count = epoll_wait(epoll, ready, limit, forever ? -1 : 0);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t bits = ready[i].events;
        tokens[i] = ready[i].data.u64;
        // A hang-up or an error shows only at the next read and write, so the caller must try both.
        events[i] = (bits & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? CLINUX_READABLE : 0)
            | (bits & (EPOLLOUT | EPOLLHUP | EPOLLERR) ? CLINUX_WRITABLE : 0)
            | (bits & (EPOLLHUP | EPOLLERR) ? CLINUX_HANGUP : 0);
    }
    return count;
}

int clinux_eventfd(void) { return result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_eventfd_signal(int descriptor) { return result(eventfd_write(descriptor, 1)); }

int clinux_timerfd(void) { return result(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)); }

int clinux_timerfd_arm(int descriptor, int64_t seconds, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return result(timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL));
}

void clinux_boottime(int64_t *seconds, int64_t *nanoseconds) {
    struct timespec now = {0};
    clock_gettime(CLOCK_BOOTTIME, &now);
    *seconds = now.tv_sec;
    *nanoseconds = now.tv_nsec;
}

int64_t clinux_monotonic_microseconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int clinux_signalfd(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    int blocked = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (blocked != 0) return -blocked;
    return result(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int clinux_signalfd_read(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t count = read(descriptor, &info, sizeof info);
    if (count < 0) return -errno;
    return count == sizeof info ? (int)info.ssi_signo : -EIO;
}

int clinux_ignore_sigpipe(void) {
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int clinux_seqpacket(void) {
    return result(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int clinux_seqpacket_pair(int descriptors[2]) {
    return result(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, descriptors));
}

static socklen_t unix_address(struct sockaddr_un *address, const uint8_t *path, size_t count) {
    if (count == 0 || count >= sizeof address->sun_path) return 0;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, count);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + 1);
}

int clinux_unix_bind(int descriptor, const uint8_t *path, size_t count) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, path, count);
    if (length == 0) return -ENAMETOOLONG;
    return result(bind(descriptor, (struct sockaddr *)&address, length));
}

int clinux_unix_connect(int descriptor, const uint8_t *path, size_t count) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, path, count);
    if (length == 0) return -ENAMETOOLONG;
    return result(connect(descriptor, (struct sockaddr *)&address, length));
}

int clinux_listen(int descriptor, int backlog) { return result(listen(descriptor, backlog)); }

int clinux_accept(int descriptor) {
    return result(accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int clinux_is_seqpacket_listener(int descriptor) {
    int domain = 0, type = 0, listening = 0;
    socklen_t length = sizeof(int);
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return -errno;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) < 0) return -errno;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) < 0) return -errno;
    return domain == AF_UNIX && type == SOCK_SEQPACKET && listening;
}

int clinux_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
    *process = peer.pid;
    *user = peer.uid;
    *group = peer.gid;
    return 0;
}

int clinux_wait(int descriptor, uint32_t interest, int milliseconds) {
    struct pollfd entry = {.fd = descriptor};
    if (interest & CLINUX_READABLE) entry.events |= POLLIN;
    if (interest & CLINUX_WRITABLE) entry.events |= POLLOUT;
    int ready = poll(&entry, 1, milliseconds);
    return ready > 0 ? 1 : result(ready);
}

void clinux_close(int descriptor) { close(descriptor); }

uint32_t clinux_user(void) { return getuid(); }

int clinux_user_named(const char *name, uint32_t *user) {
    struct passwd record, *found = NULL;
    char buffer[4096];
    int status = getpwnam_r(name, &record, buffer, sizeof buffer, &found);
    if (status != 0 || found == NULL) return 0;
    *user = record.pw_uid;
    return 1;
}

int clinux_set_buffers(int descriptor, int send_bytes, int receive_bytes) {
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(int)) < 0) return -errno;
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(int)) < 0) return -errno;
    return 0;
}

static ssize_t receive(int descriptor, void *bytes, size_t limit) {
    ssize_t count;
    do count = recv(descriptor, bytes, limit, MSG_DONTWAIT | MSG_TRUNC);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

// A peer that closes with unread messages causes ECONNRESET, which Linux reports before earlier messages
// (net/core/datagram.c, __skb_try_recv_datagram), and on L2CAP as an end (net/bluetooth/af_bluetooth.c,
// bt_sock_recvmsg). Linux reports this once, so a second error or end is the real end.
ssize_t clinux_receive(int descriptor, void *bytes, size_t limit) {
    ssize_t count = receive(descriptor, bytes, limit);
    if (count == 0 || count == -ECONNRESET) count = receive(descriptor, bytes, limit);
    return count == -ECONNRESET ? 0 : count;
}

ssize_t clinux_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int clinux_send_datagram(
    const uint8_t *address, size_t address_count, const void *bytes, size_t count, int may_wait) {
    struct sockaddr_un to;
    socklen_t length = unix_address(&to, address, address_count);
    if (length == 0) return -ENAMETOOLONG;
    if (to.sun_path[0] == '@') {
        to.sun_path[0] = 0;
        length--;  // An abstract name has no closing NUL.
    }
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    ssize_t sent = sendto(
        descriptor, bytes, count, MSG_NOSIGNAL | (may_wait ? 0 : MSG_DONTWAIT), (struct sockaddr *)&to, length);
    int failure = sent < 0 ? -errno : 0;
    close(descriptor);
    return failure;
}

int clinux_set_nonblocking_cloexec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    return result(fcntl(descriptor, F_SETFD, FD_CLOEXEC));
}

int clinux_rename(const char *from, const char *to, int exchange) {
    return result(renameat2(AT_FDCWD, from, AT_FDCWD, to, exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE));
}

int clinux_inode(const char *path, uint64_t *device, uint64_t *inode, int *is_socket) {
    struct stat status;
    if (lstat(path, &status) < 0) return -errno;
    *device = status.st_dev;
    *inode = status.st_ino;
    *is_socket = S_ISSOCK(status.st_mode);
    return 0;
}

int clinux_pipe(int descriptors[2]) { return result(pipe2(descriptors, O_CLOEXEC)); }

static int spawn_actions(posix_spawn_file_actions_t *actions, int input, int output) {
    int failure = input >= 0
        ? posix_spawn_file_actions_adddup2(actions, input, 0)
        : posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (failure == 0)
        failure = output >= 0
            ? posix_spawn_file_actions_adddup2(actions, output, 1)
            : posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    if (failure == 0) failure = posix_spawn_file_actions_adddup2(actions, 1, 2);
    if (failure == 0) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (failure == 0) failure = posix_spawn_file_actions_addchdir_np(actions, "/");
    return failure;
}

static int spawn_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int failure = posix_spawnattr_setsigmask(attributes, &none);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (failure == 0) failure = posix_spawnattr_setpgroup(attributes, 0);
    if (failure == 0)
        failure = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return failure;
}

int clinux_spawn(const char *path, char *const arguments[], char *const environment[], int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) return -failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -failure;
    }
    pid_t child = 0;
    failure = spawn_actions(&actions, input, output);
    if (failure == 0) failure = spawn_attributes(&attributes);
    if (failure == 0) failure = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure == 0 ? child : -failure;
}

int clinux_pidfd_open(int process) { return result(pidfd_open(process, 0)); }

int clinux_watch_above(const char *path) {
    char directory[PATH_MAX];
    if (path[0] != '/' || strlen(path) >= sizeof directory) return -EINVAL;
    strcpy(directory, path);
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0) return -errno;
    for (;;) {
        char *last = strrchr(directory, '/');
        last[last == directory] = '\0'; // "/" stays
        const uint32_t events = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
        if (inotify_add_watch(watch, directory, events) >= 0) return watch;
        int problem = errno;
        if (problem != ENOENT || last == directory) {
            close(watch);
            return -problem;
        }
    }
}

int clinux_reap(int pidfd, int *exited, int *value) {
    siginfo_t info = {0};
    if (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0) return -errno;
    if (info.si_pid == 0) return 0;
    *exited = info.si_code == CLD_EXITED;
    *value = info.si_status;
    return 1;
}

int clinux_kill_group(int group) { return group > 1 ? result(kill(-group, SIGKILL)) : -EINVAL; }

int clinux_harden(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) return -errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    umask(077);
    return 0;
}

static int release_segments(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        // Skips writable segments. They hold relocations and written data, which the file does not have.
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t low = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t high = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (high > low) madvise((void *)low, high - low, MADV_DONTNEED);
    }
    return 0;
}

int clinux_release_code(void) { return dl_iterate_phdr(release_segments, NULL); }

int clinux_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int clinux_lockable_memory(uint64_t *bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0) return -errno;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0) return -errno;
    *bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
    return 0;
}

void clinux_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

const char *clinux_reason(int code) {
    const char *reason = strerrordesc_np(code);
    return reason ? reason : "unknown error";
}

int clinux_file_system(const char *path, long *type, unsigned *major_number, unsigned *minor_number) {
    struct statfs system;
    struct stat info;
    if (statfs(path, &system) != 0 || stat(path, &info) != 0) return -1;
    *type = (long)system.f_type;
    *major_number = major(info.st_dev);
    *minor_number = minor(info.st_dev);
    return 0;
}

int clinux_permanent_address(const char *name, uint8_t *address) {
    enum { ADDRESS_BYTES = 6, LONGEST = 32 };
    struct {
        struct ethtool_perm_addr head;
        uint8_t bytes[LONGEST];
    } answer = {.head = {.cmd = ETHTOOL_GPERMADDR, .size = LONGEST}};
    struct ifreq request = {.ifr_data = (char *)&answer};
    if (strlen(name) >= sizeof request.ifr_name) return -1;
    strcpy(request.ifr_name, name);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int result = ioctl(descriptor, SIOCETHTOOL, &request);
    close(descriptor);
    if (result != 0 || answer.head.size != ADDRESS_BYTES) return -1;
    memcpy(address, answer.bytes, ADDRESS_BYTES);
    return 0;
}
