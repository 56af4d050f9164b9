/* A user database that knows several spellings of a name, as SSSD and winbind do. When preloaded, the library answers
 * getpwnam_r(3) from the file in $USER_NAMES. Each line has a spelling, the account's name and the account's number.
 * An account named "-" never gets an answer, like an account of a directory that is cut off. */
#define _GNU_SOURCE
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int getpwnam_r(
    const char *restrict asked, struct passwd *restrict record, char *restrict buffer, size_t size,
    struct passwd **restrict result)
{
    *result = NULL;
    const char *path = getenv("USER_NAMES");
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file) return EIO;
    char spelling[256], name[256];
    unsigned number;
    while (fscanf(file, "%255s %255s %u", spelling, name, &number) == 3) {
        if (strcmp(spelling, asked) != 0) continue;
        while (strcmp(name, "-") == 0) pause();
        if (strlen(name) >= size) break;
        memset(record, 0, sizeof *record);
        record->pw_name = strcpy(buffer, name);
        record->pw_passwd = record->pw_gecos = record->pw_dir = record->pw_shell = "";
        record->pw_uid = number;
        record->pw_gid = number;
        *result = record;
        break;
    }
    fclose(file);
    return 0;
}
