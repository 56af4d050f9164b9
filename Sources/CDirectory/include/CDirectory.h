#pragma once
/* Looks up users and groups in NSS and PAM. Each call may wait for the network without limit, so call it in a process
 * that may be killed. */
#include <stddef.h>
#include <sys/types.h>

/* Returns 1 with the user's group and the account's own name, cut at `size`. Returns 0 if there is no such user, or a
 * negative errno if the lookup failed. */
int cdirectory_user(const char *name, gid_t *group, char *own, size_t size);
int cdirectory_group(const char *name, gid_t *group);
/* Gets all groups of a user. Returns their number, or -1 if there are more than `limit`. */
int cdirectory_groups(const char *name, gid_t group, gid_t *groups, int limit);

/* Returns the result of a PAM service's account check. Sets `why` to PAM's description, which is never freed. */
enum { CDIRECTORY_ALLOWED = 0, CDIRECTORY_REFUSED = 1, CDIRECTORY_UNCLEAR = 2 };
int cdirectory_account(const char *service, const char *name, const char **why);
/* Returns whether the service has a file. Without one, PAM uses the service `other`, which refuses everyone. */
int cdirectory_has_service(const char *service);
