/* A PAM program for tests. The program performs the steps in its arguments with one handle, in order, and reports
 * each step on standard output. Neither root nor /etc/pam.d is needed (pam_start_confdir).
 *
 *     pam_client CONFDIR SERVICE USER|- STEP...
 *
 * Three functions here replace those of other libraries in this process. pam_syslog shows what modules log.
 * getsockopt claims that another user listens (`peer=UID`). munmap looks for data in memory that is freed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <security/pam_appl.h>
#include <security/pam_ext.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pam_client_memory.h"

enum { OUTPUT = 200 };

static const char *confdir, *service, *user;
static const char *typed_password;
static int claimed_peer = -1;
static int conversation_fails;
static pam_handle_t *handle;
static int last_status = PAM_SUCCESS;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vdprintf(OUTPUT, format, arguments);
    va_end(arguments);
}

__attribute__((visibility("default"))) void pam_syslog(
    const pam_handle_t *pamh, int priority, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    (void)pamh;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    say("log %d %s\n", priority, line);
}

__attribute__((visibility("default"))) int getsockopt(
    int descriptor, int level, int name, void *value, socklen_t *size)
{
    int result = (int)syscall(SYS_getsockopt, descriptor, level, name, value, size);
    if (result == 0 && claimed_peer >= 0 && level == SOL_SOCKET && name == SO_PEERCRED)
        ((struct ucred *)value)->uid = (uid_t)claimed_peer;
    return result;
}

__attribute__((visibility("default"))) int munmap(void *memory, size_t size)
{
    size_t left = 0;
    for (size_t i = 0; i < size; i++) left += ((const unsigned char *)memory)[i] != 0;
    say("unmapped %zu\n", left);
    return (int)syscall(SYS_munmap, memory, size);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
    (void)data;
    struct pam_response *answers = calloc((size_t)count, sizeof *answers);
    if (!answers || conversation_fails) {
        free(answers);
        return PAM_CONV_ERR;
    }
    for (int i = 0; i < count; i++) {
        int style = messages[i]->msg_style;
        say("%s %s\n", style == PAM_TEXT_INFO ? "info" : style == PAM_ERROR_MSG ? "error" : "asked",
            messages[i]->msg);
        if (style != PAM_PROMPT_ECHO_OFF && style != PAM_PROMPT_ECHO_ON) continue;
        if (!typed_password) {
            free(answers);
            return PAM_CONV_ERR;
        }
        answers[i].resp = strdup(typed_password);
    }
    *responses = answers;
    return PAM_SUCCESS;
}

static const struct pam_conv conversation = {converse, NULL};

static pam_handle_t *start(void)
{
    pam_handle_t *started = NULL;
    int status = pam_start_confdir(service, user, &conversation, confdir, &started);
    if (status != PAM_SUCCESS) {
        say("start %d\n", status);
        exit(3);
    }
    return started;
}

static void call(const char *name, int (*function)(pam_handle_t *, int), int flags)
{
    double began = milliseconds();
    last_status = function(handle, flags);
    say("%s %d %.1f\n", name, last_status, milliseconds() - began);
}

static void end(int status)
{
    pam_handle_t *ending = handle;
    handle = NULL;
    say("end %d\n", pam_end(ending, status));
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory)) count++;
    if (directory) closedir(directory);
    return count - 3; /* ".", ".." and the directory itself */
}

/* Acts like a daemon: closes all descriptors above standard error, and uses their numbers for other sockets. */
static void reuse_descriptors(void)
{
    int pair[2];
    for (int descriptor = 3; descriptor < 64; descriptor++) close(descriptor);
    for (int count = 0; count < 30; count++) {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) exit(3);
    }
}

/* Returns the number of messages on the sockets of reuse_descriptors, to which this program never writes. */
static int strange_messages(void)
{
    char message[64];
    int count = 0;
    for (int descriptor = 3; descriptor < 64; descriptor++) {
        while (recv(descriptor, message, sizeof message, MSG_DONTWAIT) > 0) count++;
    }
    return count;
}

/* Waits until a process has opened this FIFO for writing and closed it. */
static void wait_at(const char *fifo)
{
    int gate = open(fifo, O_RDONLY | O_CLOEXEC);
    char byte;
    if (gate < 0 || read(gate, &byte, 1) != 0) exit(3);
    close(gate);
}

static void login_cycle(void)
{
    pam_handle_t *mine = start();
    int status = pam_authenticate(mine, 0);
    if (status == PAM_SUCCESS) status = pam_acct_mgmt(mine, 0);
    pam_end(mine, status);
}

static void *login_thread(void *result)
{
    for (int cycle = 0; cycle < 20; cycle++) {
        pam_handle_t *mine = start();
        int status = pam_authenticate(mine, 0);
        if (status == PAM_SUCCESS) ++*(int *)result;
        pam_end(mine, status);
    }
    return NULL;
}

static void threads(int count)
{
    pthread_t thread[64];
    int successes[64] = {0}, total = 0;
    for (int i = 0; i < count && i < 64; i++) pthread_create(&thread[i], NULL, login_thread, &successes[i]);
    for (int i = 0; i < count && i < 64; i++) {
        pthread_join(thread[i], NULL);
        total += successes[i];
    }
    say("threads %d\n", total);
}

static void ignore_signal(int number) { (void)number; }

static void interrupt_every(int microseconds)
{
    struct sigaction action = {.sa_handler = ignore_signal}; /* without SA_RESTART */
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Sets the ids as in a setuid root program that the user `real_user` has started. */
static void become_setuid(int real_user)
{
    if (setresgid((gid_t)real_user, (gid_t)real_user, 0) != 0 || setresuid((uid_t)real_user, 0, 0) != 0) exit(3);
}

static int step(const char *name);

static volatile sig_atomic_t children_ended;

static void note_child(int number)
{
    (void)number;
    children_ended++;
}

/* Returns the number of children that this program did not start but would have noticed. */
static int strange_children(void)
{
    return children_ended + (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD);
}

/* Runs the step in a child process. The child then exits without pam_end, as after an exec. */
static void in_child(const char *name)
{
    pid_t child = fork();
    if (child == 0) {
        step(name);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    say("child %d\n", status);
}

static void show_user(void)
{
    const void *value = NULL;
    pam_get_item(handle, PAM_USER, &value);
    say("user ");
    for (const unsigned char *at = value; at && *at; at++) say("%02x", *at);
    say("\n");
}

static const char *after(const char *text, const char *start_of)
{
    size_t length = strlen(start_of);
    return strncmp(text, start_of, length) == 0 ? text + length : NULL;
}

static int step_with_value(const char *name)
{
    const char *value;
    if ((value = after(name, "rhost="))) pam_set_item(handle, PAM_RHOST, value);
    else if ((value = after(name, "tty="))) pam_set_item(handle, PAM_TTY, value);
    else if ((value = after(name, "user="))) pam_set_item(handle, PAM_USER, value);
    else if ((value = after(name, "putenv="))) pam_putenv(handle, value);
    else if ((value = after(name, "real-user="))) become_setuid(atoi(value));
    else if ((value = after(name, "type="))) typed_password = value;
    else if ((value = after(name, "peer="))) claimed_peer = atoi(value);
    else if ((value = after(name, "end="))) end(atoi(value));
    else if ((value = after(name, "interrupt="))) interrupt_every(atoi(value));
    else if ((value = after(name, "threads="))) threads(atoi(value));
    else if ((value = after(name, "gate="))) wait_at(value);
    else if ((value = after(name, "child:"))) in_child(value);
    else if ((value = after(name, "scan="))) say("found %d\n", memory_holds(value));
    else if ((value = after(name, "cycles="))) for (int left = atoi(value); left > 0; left--) login_cycle();
    else return 0;
    return 1;
}

static int step(const char *name)
{
    if (step_with_value(name)) return 1;
    if (!strcmp(name, "start")) handle = start();
    else if (!strcmp(name, "auth")) call("auth", pam_authenticate, 0);
    else if (!strcmp(name, "auth-silent")) call("auth", pam_authenticate, PAM_SILENT);
    else if (!strcmp(name, "acct")) call("acct", pam_acct_mgmt, 0);
    else if (!strcmp(name, "setcred")) call("setcred", pam_setcred, PAM_ESTABLISH_CRED);
    else if (!strcmp(name, "recred")) call("recred", pam_setcred, PAM_REINITIALIZE_CRED);
    else if (!strcmp(name, "refresh")) call("refresh", pam_setcred, PAM_REFRESH_CRED);
    else if (!strcmp(name, "delcred")) call("delcred", pam_setcred, PAM_DELETE_CRED);
    else if (!strcmp(name, "open")) call("open", pam_open_session, 0);
    else if (!strcmp(name, "close")) call("close", pam_close_session, 0);
    else if (!strcmp(name, "chauthtok")) call("chauthtok", pam_chauthtok, 0);
    else if (!strcmp(name, "expired")) call("expired", pam_chauthtok, PAM_CHANGE_EXPIRED_AUTHTOK);
    else if (!strcmp(name, "end")) end(last_status);
    else if (!strcmp(name, "end-silent")) end(last_status | PAM_DATA_SILENT);
    else if (!strcmp(name, "user")) show_user();
    else if (!strcmp(name, "descriptors")) say("descriptors %d\n", open_descriptors());
    else if (!strcmp(name, "resident")) say("resident %ld\n", resident_kib());
    else if (!strcmp(name, "conversation-fails")) conversation_fails = 1;
    else if (!strcmp(name, "close-standard")) for (int i = 0; i < 3; i++) close(i);
    else if (!strcmp(name, "no-more-descriptors")) setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    else if (!strcmp(name, "reuse-descriptors")) reuse_descriptors();
    else if (!strcmp(name, "strange-messages")) say("strange %d\n", strange_messages());
    else if (!strcmp(name, "watch-children")) signal(SIGCHLD, note_child);
    else if (!strcmp(name, "children")) say("children %d\n", strange_children());
    else if (!strcmp(name, "die")) raise(SIGKILL);
    else return 0;
    return 1;
}

int main(int count, char **arguments)
{
    if (count < 4 || dup3(1, OUTPUT, O_CLOEXEC) < 0) return 64;
    confdir = arguments[1];
    service = arguments[2];
    user = strcmp(arguments[3], "-") ? arguments[3] : NULL;
    handle = start();
    for (int i = 4; i < count; i++) {
        if (!step(arguments[i])) {
            say("unknown step %s\n", arguments[i]);
            return 64;
        }
    }
    return 0;
}
