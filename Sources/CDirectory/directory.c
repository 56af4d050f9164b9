#include "CDirectory.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The first and the largest buffer for a record, in bytes: a group may list everyone in an organisation. */
enum { FIRST_BYTES = 4096, LAST_BYTES = 16 * 1024 * 1024 };

/* getpwnam_r(3) lists 0, ENOENT and ESRCH for "not found". It also lists EBADF and EPERM, which may mean anything. */
static int found(int error, const void *record)
{
    if (record != NULL) return 1;
    return error == 0 || error == ENOENT || error == ESRCH ? 0 : -error;
}

int cdirectory_user(const char *name, gid_t *group, char *own, size_t own_size)
{
    for (size_t size = FIRST_BYTES;; size *= 4) {
        struct passwd record, *result = NULL;
        char *buffer = malloc(size);
        if (buffer == NULL) return -ENOMEM;
        int error = getpwnam_r(name, &record, buffer, size, &result);
        if (result != NULL) {
            *group = record.pw_gid;
            snprintf(own, own_size, "%s", record.pw_name);
        }
        free(buffer);
        if (error != ERANGE || size >= LAST_BYTES) return found(error, result);
    }
}

int cdirectory_group(const char *name, gid_t *group)
{
    for (size_t size = FIRST_BYTES;; size *= 4) {
        struct group record, *result = NULL;
        char *buffer = malloc(size);
        if (buffer == NULL) return -ENOMEM;
        int error = getgrnam_r(name, &record, buffer, size, &result);
        if (result != NULL) *group = record.gr_gid;
        free(buffer);
        if (error != ERANGE || size >= LAST_BYTES) return found(error, result);
    }
}

int cdirectory_groups(const char *name, gid_t group, gid_t *groups, int limit)
{
    int count = limit;
    return getgrouplist(name, group, groups, &count) < 0 ? -1 : count;
}

/* Refuses every question, since no user can answer it. */
static int no_answer(int count, const struct pam_message **messages, struct pam_response **responses, void *context)
{
    (void)count, (void)messages, (void)responses, (void)context;
    return PAM_CONV_ERR;
}

int cdirectory_account(const char *service, const char *name, const char **why)
{
    const struct pam_conv conversation = {no_answer, NULL};
    pam_handle_t *handle = NULL;
    int result = pam_start(service, name, &conversation, &handle);
    if (result == PAM_SUCCESS) result = pam_acct_mgmt(handle, PAM_SILENT);
    *why = pam_strerror(handle, result);
    if (handle != NULL) pam_end(handle, result);
    switch (result) {
    case PAM_SUCCESS:
    case PAM_NEW_AUTHTOK_REQD: /* The user must change the password, but is allowed. */
        return CDIRECTORY_ALLOWED;
    case PAM_ACCT_EXPIRED:
    case PAM_PERM_DENIED:
        return CDIRECTORY_REFUSED;
    default:
        return CDIRECTORY_UNCLEAR;
    }
}

int cdirectory_has_service(const char *service)
{
    char path[256];
    int length = snprintf(path, sizeof path, "/etc/pam.d/%s", service);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}
