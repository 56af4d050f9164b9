/* Shows what a program without privileges can see of a terminal and its processes. */
#define _GNU_SOURCE
#include "CSessionHelper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/vt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <unistd.h>

/* Documentation/admin-guide/devices.txt: 4:0 is the foreground terminal, 4:1 to 4:63 are virtual, 5:0 is /dev/tty. */
enum { VIRTUAL_MAJOR = 4, VIRTUAL_LAST = 63 };

unsigned csession_device(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISCHR(status.st_mode) ? (unsigned)status.st_rdev : 0;
}

static ssize_t read_file(int process, const char *name, char *text, size_t limit) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, text, limit - 1);
    close(file);
    if (count >= 0) text[count] = 0;
    return count;
}

int csession_look(int process, struct csession_process *found) {
    char text[512];
    if (read_file(process, "stat", text, sizeof text) <= 0) return -1;
    /* The name may contain anything, even parentheses. The fields begin after the last parenthesis (proc(5)). */
    const char *name = strchr(text, '('), *rest = strrchr(text, ')');
    int terminal = 0, session;
    if (name == NULL || rest == NULL
        || sscanf(rest + 1, " %c %d %d %d %d %d", &found->state, &found->parent, &found->group, &session, &terminal,
                  &found->foreground_group) != 6)
        return -1;
    found->process = process;
    found->terminal = (unsigned)terminal;
    found->name = 14695981039346656037u; /* FNV-1a */
    for (; name < rest; name++) found->name = (found->name ^ (uint8_t)*name) * 1099511628211u;
    return 0;
}

int csession_is_of(int process, unsigned user) {
    char text[2048];
    if (read_file(process, "status", text, sizeof text) <= 0) return 0;
    /* The kernel escapes line feeds in the name (proc(5)). */
    const char *line = strstr(text, "\nUid:");
    unsigned ids[4];
    if (line == NULL || sscanf(line + 5, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4) return 0;
    for (int index = 0; index < 4; index++) {
        if (ids[index] != user) return 0;
    }
    return 1;
}

int csession_reads(int process, unsigned terminal, int any) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *directory = opendir(path);
    if (directory == NULL) return errno == ENOENT || errno == ESRCH ? 0 : -1;
    int reads = 0;
    for (struct dirent *entry; !reads && (entry = readdir(directory)) != NULL;) {
        struct statx target;
        struct stat link;
        if (entry->d_name[0] == '.') continue;
        /* Uses cached attributes, so that a network file system that is down is not queried. */
        if (statx(dirfd(directory), entry->d_name, AT_STATX_DONT_SYNC, STATX_TYPE, &target) != 0
            || !S_ISCHR(target.stx_mode))
            continue;
        unsigned device = (unsigned)makedev(target.stx_rdev_major, target.stx_rdev_minor);
        if (device != terminal && !(any && device == (unsigned)makedev(5, 0))) continue;
        /* The link's permissions are the open mode (proc(5)). */
        reads = fstatat(dirfd(directory), entry->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0
                && (link.st_mode & S_IRUSR) != 0;
    }
    closedir(directory);
    return reads;
}

int csession_group(int group) {
    /* kill(2) takes 0 as our own group and -1 as all processes. A group of another PID namespace appears as 0. */
    if (group <= 1) return -1;
    if (kill(-group, 0) == 0) return 1;
    return errno == ESRCH ? 0 : -1;
}

int csession_mount_of_proc(char *line, size_t limit) {
    struct statfs status;
    if (statfs("/proc", &status) != 0 || status.f_type != PROC_SUPER_MAGIC) return -1;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    if (file == NULL) return -1;
    char *text = NULL, point[8];
    size_t size = 0;
    int found = -1;
    while (getline(&text, &size, file) > 0) {
        if (sscanf(text, "%*s %*s %*s %*s %7s", point) != 1 || strcmp(point, "/proc") != 0) continue;
        found = strlen(text) < limit ? 0 : -1;
        if (found == 0) strcpy(line, text);
    }
    free(text);
    fclose(file);
    return found;
}

enum csession_display csession_display(const char *path) {
    unsigned device = csession_device(path);
    if (device == 0) return CSESSION_UNKNOWN;
    unsigned number = minor(device);
    if (major(device) != VIRTUAL_MAJOR || number > VIRTUAL_LAST) return CSESSION_NO_DISPLAY;
    int descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return CSESSION_UNKNOWN;
    int mode = 0;
    struct vt_mode switching;
    enum csession_display display = CSESSION_TEXT;
    if (number == 0 || ioctl(descriptor, KDGETMODE, &mode) != 0 || ioctl(descriptor, VT_GETMODE, &switching) != 0)
        display = CSESSION_UNKNOWN;
    else if (mode != KD_TEXT)
        display = CSESSION_PICTURE;
    else if (switching.mode != VT_AUTO)
        display = CSESSION_DRIVEN;
    close(descriptor);
    return display;
}
