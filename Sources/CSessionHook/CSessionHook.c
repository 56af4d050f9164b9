#include "CSessionHook.h"

#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

static int argument_count;
static char **argument_values;

/* glibc passes constructors the arguments of main. */
__attribute__((constructor)) static void keep_arguments(int count, char **values)
{
    argument_count = count;
    argument_values = values;
}

const char *chook_argument(int number)
{
    return number >= 0 && number < argument_count ? argument_values[number] : NULL;
}

/* The structure of rt_sigaction(2) in every Linux kernel. All zeros are SIG_DFL without flags. */
struct kernel_action {
    unsigned long words[4];
};

/* Resets all signals by system calls. signal(3) refuses the two numbers that glibc reserves for its threads, but a
 * parent may have ignored these signals too. The kernel refuses SIGKILL and SIGSTOP, which have no disposition. */
static void forget_dispositions(void)
{
    const struct kernel_action none = {{0}};
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, &none, NULL, (NSIG - 1) / CHAR_BIT);
}

int chook_prepare(void)
{
    sigset_t none;
    struct rlimit core;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || getrlimit(RLIMIT_CORE, &core) != 0) return -1;
    core.rlim_cur = 0; /* the program inherits this limit, and the user may raise it up to the hard limit */
    if (setrlimit(RLIMIT_CORE, &core) != 0) return -1;
    forget_dispositions();
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return -1;
    /* Ambient capabilities from pam_cap(8) are for the user's programs, not for this one. */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    umask(077);
    if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0) return -1;
    /* If a user started this program with standard input closed, /dev/null becomes standard input and stays open. */
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) return -1;
    if (null > 2) close(null);
    return 0;
}

void *chook_secret_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (mlock(memory, bytes) != 0) return NULL;
    /* Ignores errors: an old kernel may refuse advice that it does not know, and PR_SET_DUMPABLE still applies. */
    madvise(memory, bytes, MADV_DONTDUMP);
    madvise(memory, bytes, MADV_DONTFORK);
    return memory;
}

int chook_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int chook_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

int chook_connect(const char *path, int is_stream)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, (is_stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

int chook_make_blocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
}

int chook_spawn(int *process, const char *path, char *const arguments[], char *const environment[],
                int input, int output, int error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    int problem = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, error, 2);
    if (problem == 0) problem = posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (problem == 0) problem = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    if (problem == 0) problem = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

int chook_replace(const char *path, char *const arguments[], char *const environment[], int output)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0) return errno;
    if (null > 2) close(null);
    if (output >= 0 && (dup2(output, 1) < 0 || dup2(output, 2) < 0)) return errno;
    if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0) return errno;
    signal(SIGPIPE, SIG_DFL);
    execve(path, arguments, environment);
    return errno;
}

int chook_watch(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int chook_reap(int process, int *value)
{
    int status;
    if (waitpid(process, &status, WNOHANG) != process) return 0;
    *value = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    return WIFEXITED(status) ? 1 : 2;
}

void chook_signal_group(int process, int is_last) { kill(-process, is_last ? SIGKILL : SIGTERM); }
