/* Functions that libsodium and Swift need: random bytes from the page, and memory that is wiped when freed. The rest of
   libc comes from Debian's wasi-libc. */
#include <stddef.h>
#include <stdint.h>
#include <sodium.h>

/* The module's one import. The host fills `count` bytes at `to` with random bytes, or throws. */
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

/* The only source of random bytes that libsodium is built with. */
struct randombytes_implementation host_random = {.implementation_name = name, .random = word, .buf = fill};

/* Seeds Swift's hashing. */
void arc4random_buf(void *to, size_t count) { fill(to, count); }

/* Memory. wasi-libc's malloc has 12 KB, a tenth of the module. An instance lives for one operation and asks for few
   sizes. So each block has one of a few sizes, and a freed block waits for the next request of its size. Blocks are
   never split or joined: at most half of a block is unused. Each free wipes the block: it may hold secrets, and
   libsodium does not wipe them without mmap. */
#define KINDS 40

struct head {
    struct head *next; /* the next waiting block */
    uint32_t kind;
    uint32_t before; /* bytes from the block's beginning to the head */
    uint32_t unused;
};

_Static_assert(sizeof(struct head) == 16, "what follows it is aligned for everything");

extern unsigned char __heap_base;
static struct head *waiting[KINDS];
static uintptr_t edge, limit;

/* 32, 48, 64, 96, 128 and so on: all multiples of 16. */
static size_t room(uint32_t kind) { return (size_t)(32 + 16 * (kind & 1)) << (kind >> 1); }

static struct head *take(size_t count) {
    uint32_t kind = 0;
    while (kind < KINDS && room(kind) < count) kind++;
    if (kind == KINDS) return NULL;
    struct head *found = waiting[kind];
    if (found != NULL) {
        waiting[kind] = found->next;
        return found;
    }
    const size_t bytes = sizeof *found + room(kind);
    if (edge == 0) {
        edge = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
        limit = __builtin_wasm_memory_size(0) << 16;
    }
    if (limit - edge < bytes) {
        const size_t pages = (bytes + 65535) >> 16;
        if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return NULL;
        limit += pages << 16;
    }
    found = (struct head *)edge;
    edge += bytes;
    found->kind = kind;
    found->before = 0;
    return found;
}

void *malloc(size_t count) {
    struct head *found = take(count);
    return found == NULL ? NULL : found + 1;
}

size_t malloc_usable_size(void *block) {
    const struct head *head = (struct head *)block - 1;
    return room(head->kind) - head->before;
}

void free(void *block) {
    if (block == NULL) return;
    sodium_memzero(block, malloc_usable_size(block));
    struct head *head = (struct head *)block - 1;
    const uint32_t kind = head->kind;
    head = (struct head *)((uintptr_t)head - head->before);
    head->kind = kind;
    head->before = 0;
    head->next = waiting[kind];
    waiting[kind] = head;
}

void *calloc(size_t each, size_t count) {
    size_t bytes;
    if (__builtin_mul_overflow(each, count, &bytes)) return NULL;
    void *block = malloc(bytes);
    return block == NULL ? NULL : __builtin_memset(block, 0, bytes);
}

void *realloc(void *block, size_t count) {
    if (block == NULL) return malloc(count);
    const size_t had = malloc_usable_size(block);
    if (had >= count) return block;
    void *larger = malloc(count);
    if (larger == NULL) return NULL;
    __builtin_memcpy(larger, block, had);
    free(block);
    return larger;
}

/* `alignment` is a power of two. */
int posix_memalign(void **place, size_t alignment, size_t count) {
    if (alignment <= 16) alignment = 0;
    if (count > SIZE_MAX / 2 || alignment > SIZE_MAX / 4) return 12;
    struct head *found = take(count + alignment);
    if (found == NULL) return 12;
    uintptr_t block = (uintptr_t)(found + 1);
    if (alignment > 0 && block % alignment > 0) {
        const uint32_t kind = found->kind;
        const uintptr_t moved = (block + alignment - 1) & ~(uintptr_t)(alignment - 1);
        found = (struct head *)moved - 1;
        found->kind = kind;
        found->before = (uint32_t)(moved - block);
        block = moved;
    }
    *place = (void *)block;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t count) {
    void *block = NULL;
    return posix_memalign(&block, alignment, count) == 0 ? block : NULL;
}

/* Replaces wasi-libc's functions, which print; a page has no output. A trap ends the instance, and no input from a host
   may cause one. */
void abort(void) { __builtin_trap(); }
int raise(int signal) { (void)signal; __builtin_trap(); }
_Noreturn void __assert_fail(const char *text, const char *file, int line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    __builtin_trap();
}
int putchar(int character) { return character; }
