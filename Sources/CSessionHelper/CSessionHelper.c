#define _GNU_SOURCE
#include "CSessionHelper.h"

#include <errno.h>
#include <fcntl.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <termios.h>
#include <unistd.h>

/* The state that outlives a child. */
struct kept {
    int locked, leader, has_terminal;
    struct termios terminal;
};

static struct kept *kept;

/* Never uses TCSADRAIN or TCSAFLUSH, which wait for output: forever, if the other side of a serial line stalls. */
static int set_terminal(int descriptor, const struct termios *settings) {
    int status = tcsetattr(descriptor, TCSANOW, settings);
    /* Discards earlier input, which is not meant for the next reader. */
    tcflush(descriptor, TCIFLUSH);
    /* Control-S or Scroll Lock may have stopped the terminal (console_codes(4)). TCOOFF and TCOON restart it. */
    tcflow(descriptor, TCOOFF);
    tcflow(descriptor, TCOON);
    return status;
}

int csession_take_terminal(const char *path) {
    int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -1;
    if (!kept->has_terminal && tcgetattr(descriptor, &kept->terminal) != 0) {
        close(descriptor);
        return -1;
    }
    kept->has_terminal = 1;
    struct termios raw = kept->terminal;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHOE | ECHOK | ECHONL | ISIG | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR);
    raw.c_iflag |= ICRNL;
    raw.c_oflag |= OPOST | ONLCR;
    if (set_terminal(descriptor, &raw) != 0) {
        csession_return_terminal(descriptor);
        return -1;
    }
    return descriptor;
}

void csession_return_terminal(int descriptor) {
    set_terminal(descriptor, &kept->terminal);
    kept->has_terminal = 0;
    close(descriptor);
}

long csession_typed(int descriptor, uint8_t *bytes, size_t limit) {
    ssize_t count = read(descriptor, bytes, limit);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

void csession_show(int descriptor, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t count = write(descriptor, text, left);
        /* Drops the rest: nobody reads a terminal that accepts no output. */
        if (count <= 0) return;
        text += count;
        left -= (size_t)count;
    }
}

static int answer(int count, const struct pam_message **messages, struct pam_response **responses, void *password) {
    if (count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
    struct pam_response *made = calloc((size_t)count, sizeof *made);
    if (made == NULL) return PAM_BUF_ERR;
    for (int index = 0; index < count; index++) {
        if (messages[index]->msg_style == PAM_PROMPT_ECHO_OFF) made[index].resp = strdup(password);
    }
    *responses = made;
    return PAM_SUCCESS;
}

int csession_check_password(const char *service, const char *user, const char *terminal, const char *password) {
    struct pam_conv conversation = { answer, (void *)password };
    pam_handle_t *handle = NULL;
    int status = pam_start(service, user, &conversation, &handle);
    if (status != PAM_SUCCESS) return status;
    pam_set_item(handle, PAM_TTY, terminal);
    status = pam_authenticate(handle, 0);
    if (status == PAM_SUCCESS) status = pam_acct_mgmt(handle, 0);
    pam_end(handle, status);
    return status;
}

int csession_harden(void) {
    struct rlimit core;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || getrlimit(RLIMIT_CORE, &core) != 0) return -1;
    core.rlim_cur = 0; /* a desktop's locker inherits this limit and may raise it */
    return setrlimit(RLIMIT_CORE, &core);
}

int csession_keeps_locked(void) { return kept->locked; }
void csession_keep_locked(int locked) { kept->locked = locked; }
int csession_keeps_leader(void) { return kept->leader; }
void csession_keep_leader(int leader) { kept->leader = leader; }

/* Ends this process by the signal, as if there had been no child process. */
static void end_by(int number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}

/* Returns the status of the child. Sets `asked` to the signal that asked for the end, if there was one. */
static int wait_for(pid_t child, const sigset_t *heard, int *asked) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) != child) {
        int number = sigwaitinfo(heard, NULL);
        if (number <= 0 || number == SIGCHLD) continue;
        *asked = number;
        kill(child, number);
    }
    return status;
}

void csession_supervise(void) {
    void *page = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) _exit(EX_OSERR);
    const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    sigset_t heard, mask, end;
    sigemptyset(&end);
    for (size_t index = 0; index < sizeof ends / sizeof *ends; index++) sigaddset(&end, ends[index]);
    heard = end;
    sigaddset(&heard, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &heard, &mask);
    kept = page;
    /* Pauses between children, because the cause of the last end may still be there. */
    const struct timespec pause = { 1, 0 };
    int asked = 0;
    while (asked == 0) {
        pid_t child = fork();
        if (child == 0) {
            sigprocmask(SIG_SETMASK, &mask, NULL);
            return;
        }
        if (child > 0) {
            int status = wait_for(child, &heard, &asked);
            if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
        }
        if (asked == 0) {
            int number = sigtimedwait(&end, NULL, &pause);
            if (number > 0) asked = number;
        }
    }
    end_by(asked);
}
