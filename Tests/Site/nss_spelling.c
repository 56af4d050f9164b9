/* An NSS module (nss(5)) that also knows the account `anna` as `anna@corp.example`, as SSSD does. The tests mount this
 * module over an unused one, because the processes that look users up have a plain environment. */
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <string.h>

enum nss_status _nss_hesiod_getpwnam_r(const char *asked, struct passwd *record, char *buffer, size_t size, int *error)
{
    static const char name[] = "anna";
    if (strcmp(asked, "anna@corp.example") != 0) return NSS_STATUS_NOTFOUND;
    if (size < sizeof name) {
        *error = ERANGE;
        return NSS_STATUS_TRYAGAIN;
    }
    memset(record, 0, sizeof *record);
    record->pw_name = memcpy(buffer, name, sizeof name);
    record->pw_passwd = record->pw_gecos = record->pw_dir = record->pw_shell = "";
    record->pw_uid = record->pw_gid = 20001;
    return NSS_STATUS_SUCCESS;
}
