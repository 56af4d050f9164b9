#pragma once
/* What NSS and PAM say of users and groups. Each of these calls may wait for the network, as long as it likes: for a process that may be
 * killed. */
#include <stddef.h>
#include <sys/types.h>

/* 1: there, with its group and the name that the account itself has, cut at `size`; 0: nobody has that name; negative errno: that is
 * not known. */
int cdirectory_user(const char *name, gid_t *group, char *own, size_t size);
int cdirectory_group(const char *name, gid_t *group);
/* All groups of a user, `limit` at most: how many; -1: there are more. */
int cdirectory_groups(const char *name, gid_t group, gid_t *groups, int limit);

/* What the account part of a PAM service says. `why` is PAM's word for it, never freed. */
enum { CDIRECTORY_ALLOWED = 0, CDIRECTORY_REFUSED = 1, CDIRECTORY_UNCLEAR = 2 };
int cdirectory_account(const char *service, const char *name, const char **why);
/* Whether there is a file for this service: else PAM takes the one for `other`, which refuses everybody. */
int cdirectory_has_service(const char *service);
