/* A PAM module for tests. It writes user name and password, as earlier modules have set them, to FILE in hexadecimal.
 * It then sets PASSWORD, if given, as the password, like a module that has asked for a password.
 *
 *     auth [default=ignore] pam_observe.so FILE [PASSWORD] */
#include <fcntl.h>
#include <stdio.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <unistd.h>

static void note(pam_handle_t *pamh, int file, const char *name, int item)
{
    const void *value = NULL;
    dprintf(file, "%s ", name);
    if (pam_get_item(pamh, item, &value) != PAM_SUCCESS || !value) dprintf(file, "-");
    else for (const unsigned char *at = value; *at; at++) dprintf(file, "%02x", *at);
    dprintf(file, "\n");
}

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)flags;
    int file = argc >= 1 ? open(argv[0], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return PAM_SYSTEM_ERR;
    note(pamh, file, "user", PAM_USER);
    note(pamh, file, "authtok", PAM_AUTHTOK);
    close(file);
    if (argc == 2 && pam_set_item(pamh, PAM_AUTHTOK, argv[1]) != PAM_SUCCESS) return PAM_SYSTEM_ERR;
    return PAM_IGNORE;
}

int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}
