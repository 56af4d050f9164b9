#include "CPAM.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* fork(2) as the kernel has it: no handlers of pthread_atfork run, which other threads of the host program may hold
 * locks for. The child of such a call may use nothing but system calls. */
static pid_t bare_fork(unsigned long end_signal)
{
    return (pid_t)syscall(SYS_clone, end_signal, NULL, NULL, NULL, NULL);
}

__attribute__((noreturn)) static void become_helper(const char *path, int input)
{
    char *const arguments[] = {(char *)path, NULL}, *const environment[] = {NULL};
    /* In a setuid program such as su(1) the real user is the one who has started it, who may signal it for that (kill(2)).
     * Not by libc, which has every thread of the program take part. */
    if (geteuid() == 0 && (syscall(SYS_setresgid, 0, 0, 0) != 0 || syscall(SYS_setresuid, 0, 0, 0) != 0)) _exit(126);
    /* Away from the terminal and its keys. */
    if (setsid() < 0) _exit(126);
    int moved = fcntl(input, F_DUPFD, 3);
    if (moved < 0 || dup2(moved, 0) < 0 || chdir("/") != 0) _exit(126);
    if (syscall(SYS_close_range, 1U, ~0U, 0U) != 0) _exit(126);
    execve(path, arguments, environment);
    _exit(127);
}

int cpam_start_helper(const char *path, int input)
{
    sigset_t all, before;
    int status = -1;
    sigfillset(&all);
    /* The program's own handlers must not run in a copy of it. session-hook starts with everything blocked, and unblocks. */
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return -1;
    /* A child that ends without SIGCHLD, which wait(2) without __WALL does not see. Its own child is given to init. */
    pid_t first = bare_fork(0);
    if (first == 0) {
        pid_t second = bare_fork(SIGCHLD);
        if (second == 0) become_helper(path, input);
        _exit(second < 0);
    }
    if (first > 0)
        while (waitpid(first, &status, __WALL) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return first > 0 && status == 0 ? 0 : -1;
}
