/* What libsodium and Swift need of a host that is a page: random bytes, and memory that is wiped when it is freed. The rest of
   libc comes from Debian's wasi-libc. */
#include <stddef.h>
#include <stdint.h>
#include <sodium.h>

/* The module's one import. The host fills `count` bytes at `to` with random ones, or throws. */
__attribute__((import_module("env"), import_name("random_bytes"))) void host_random_bytes(void *to, size_t count);

static const char *name(void) { return "host"; }

static void fill(void *const to, const size_t count) {
    if (count > 0) host_random_bytes(to, count);
}

static uint32_t word(void) {
    uint32_t value;
    host_random_bytes(&value, sizeof value);
    return value;
}

/* libsodium is built with this as its only source of random bytes. */
struct randombytes_implementation host_random = {.implementation_name = name, .random = word, .buf = fill};

/* What Swift seeds its hashing with. */
void arc4random_buf(void *to, size_t count) { fill(to, count); }

/* libsodium frees without wiping where there is no mmap, and what it frees are secrets. The linker sends every call of
   free and realloc here (--wrap). */
size_t malloc_usable_size(void *block);
void __real_free(void *block);
void *malloc(size_t count);

void __wrap_free(void *block) {
    if (block == NULL) return;
    sodium_memzero(block, malloc_usable_size(block));
    __real_free(block);
}

void *__wrap_realloc(void *block, size_t count) {
    if (block == NULL) return malloc(count);
    size_t had = malloc_usable_size(block);
    if (had >= count) return block;
    void *larger = malloc(count);
    if (larger == NULL) return NULL;
    __builtin_memcpy(larger, block, had);
    __wrap_free(block);
    return larger;
}

/* In place of wasi-libc's, which print: there is nothing to print to. A trap ends the instance, and nothing that a host hands in may
   cause one. */
void abort(void) { __builtin_trap(); }
int raise(int signal) { (void)signal; __builtin_trap(); }
_Noreturn void __assert_fail(const char *text, const char *file, int line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    __builtin_trap();
}
int putchar(int character) { return character; }
