#include "CFuzzer.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_promise_broken(const char *what)
{
    fprintf(stderr, "promise broken: %s\n", what);
    abort();
}
