/* Measures and searches the memory of this process. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the pages of this process's own. The kernel counts them one by one here; since Linux 6.2, statm estimates, and its figure
 * contains pages of files, which come and go. 0 if the kernel does not say. */
static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Anonymous: %ld kB", &kib) != 1) continue;
    if (file) fclose(file);
    return kib;
}

/* Returns how often a byte string occurs in all readable memory. The string is in hexadecimal, with each byte XORed
 * with 0x5a. The search thus does not find its own argument, and never writes the plain bytes. */
static int memory_holds(const char *hidden)
{
    static unsigned char wanted[1024];
    static char line[512];
    size_t length = strlen(hidden) / 2;
    int found = 0;
    if (length == 0 || length > sizeof wanted) exit(64);
    for (size_t i = 0; i < length; i++) sscanf(hidden + 2 * i, "%2hhx", &wanted[i]);
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) exit(3);
    while (fgets(line, sizeof line, maps)) {
        unsigned long first, last;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &first, &last, rights) != 3 || rights[0] != 'r') continue;
        if (strstr(line, "[v")) continue; /* vvar, vsyscall: the kernel's */
        for (unsigned long at = first; at + length <= last; at++) {
            const volatile unsigned char *bytes = (const volatile unsigned char *)at;
            size_t same = 0;
            while (same < length && (bytes[same] ^ 0x5a) == wanted[same]) same++;
            if (same == length) found++;
        }
    }
    fclose(maps);
    return found;
}
