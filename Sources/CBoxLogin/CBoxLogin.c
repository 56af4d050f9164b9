#include "CBoxLogin.h"

static int argument_count;
static char **argument_values;

/* glibc passes constructors the arguments of main. */
__attribute__((constructor)) static void keep_arguments(int count, char **values)
{
    argument_count = count;
    argument_values = values;
}

const char *cboxlogin_argument(int number)
{
    return number >= 0 && number < argument_count ? argument_values[number] : NULL;
}
