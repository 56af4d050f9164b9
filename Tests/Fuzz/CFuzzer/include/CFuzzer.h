#ifndef BOXAGENT_CFUZZER_H
#define BOXAGENT_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer as a library; see its manual, "Using libFuzzer as a library". The runtime is in the toolchain. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

/* Prints the promise that the input has broken, and ends the process. libFuzzer keeps the input. */
_Noreturn void fuzz_promise_broken(const char *what);

#endif
