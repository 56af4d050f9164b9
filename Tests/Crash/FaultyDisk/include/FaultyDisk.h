/* A disk for tests: a SQLite VFS over the system's own that counts what is written, loses what was not synced, ends
   the process at a chosen operation, and fills up. Installed once, before the first database is opened, and used by
   one thread at a time. */
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <stdint.h>

typedef struct {
    /* Unsynced writes stay in memory; a few of them, torn ones among them, reach the file early, as a kernel's
       write-back might have it. 0: writes go straight through. */
    int loses_unsynced;
    /* The seed of that choice. */
    uint64_t seed;
    /* SIGKILL instead of the operation with this number, counted from 1; 0: never. */
    uint64_t kill_at;
    /* From the write with this number on, the disk is full; 0: never. */
    uint64_t full_at;
    /* Syncs are counted and not done: for benchmarks that enrol many. */
    int skips_syncs;
} faulty_disk_settings;

/* Makes it the default VFS of this process. 0 when it worked. */
int faulty_disk_install(faulty_disk_settings settings);

/* Operations that change a file so far: writes, truncations, syncs, deletions. */
uint64_t faulty_disk_operations(void);

/* Transactions that were committed to a write-ahead log so far. */
uint64_t faulty_disk_commits(void);

/* Syncs of any file so far. */
uint64_t faulty_disk_syncs(void);

#endif
