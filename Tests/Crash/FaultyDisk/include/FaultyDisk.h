/* A disk for tests: a SQLite VFS over the system's own. It counts writes, loses unsynced changes, ends the process
   at a chosen operation, and fills up. Install it once, before the first database opens. Use it from one thread at a
   time. */
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <stdint.h>

typedef struct {
    /* Unsynced writes stay in memory. A few of these writes, some torn, reach the file early, as a kernel's
       write-back may do. With 0, writes go straight through. */
    int loses_unsynced;
    /* The seed of the choice of early writes. */
    uint64_t seed;
    /* SIGKILL ends the process instead of the operation with this number, counted from 1. With 0, never. */
    uint64_t kill_at;
    /* The disk is full from the write with this number on. With 0, never. */
    uint64_t full_at;
    /* Counts syncs without performing them, for benchmarks that enrol thousands of devices. */
    int skips_syncs;
} faulty_disk_settings;

/* Makes the faulty disk the default VFS of this process. Returns 0 on success. */
int faulty_disk_install(faulty_disk_settings settings);

/* The operations that changed a file so far: writes, truncations, syncs, deletions. */
uint64_t faulty_disk_operations(void);

/* The transactions that were committed to a write-ahead log so far. */
uint64_t faulty_disk_commits(void);

/* The syncs of any file so far. */
uint64_t faulty_disk_syncs(void);

#endif
