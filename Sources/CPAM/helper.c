#include "CPAM.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* fork(2) without the handlers of pthread_atfork, which may need locks that other threads of the host program hold.
 * The child may use nothing but system calls. */
static pid_t bare_fork(unsigned long end_signal)
{
    return (pid_t)syscall(SYS_clone, end_signal, NULL, NULL, NULL, NULL);
}

__attribute__((noreturn)) static void become_helper(const char *path, int input)
{
    char *const arguments[] = {(char *)path, NULL}, *const environment[] = {NULL};
    /* In a setuid program such as su(1), the real user is the person who started it, who could signal the helper
     * (kill(2)). So the helper becomes root entirely. Direct system calls are used: libc would change every thread of
     * the program. */
    if (geteuid() == 0 && (syscall(SYS_setresgid, 0, 0, 0) != 0 || syscall(SYS_setresuid, 0, 0, 0) != 0)) _exit(126);
    /* Leaves the terminal, so that its keys send no signals. */
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
    /* The host program's signal handlers must not run in the child. session-hook starts with all signals blocked, and
     * unblocks them. */
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return -1;
    /* The first child sends no SIGCHLD, so wait(2) without __WALL does not see it. Its own child passes to init. */
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
