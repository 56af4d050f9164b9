/* A disk for tests that run side by side in one process: a SQLite VFS over the system's own that writes down, below
   chosen directories, every operation that changes a file. What a crash leaves is then made of that record, for every
   place at which one may come. Syncs are written down and not done. All other files are the system's. */
#ifndef RECORDING_DISK_H
#define RECORDING_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct recording_disk recording_disk;

enum recorded_kind {
    recorded_write,
    /* To `offset`. */
    recorded_truncation,
    recorded_sync,
    recorded_creation,
    recorded_deletion,
    /* With the directory synced. */
    recorded_durable_deletion,
};

enum recorded_file { recorded_database, recorded_log, recorded_journal, recorded_other };

typedef struct {
    enum recorded_kind kind;
    enum recorded_file file;
    int64_t offset;
    size_t count;
    /* Valid until the disk ends. */
    const unsigned char *bytes;
} recorded_operation;

/* From now on databases below `directory` are recorded. NULL when there is no memory, or SQLite takes no VFS. */
recording_disk *recording_disk_begin(const char *directory);

/* Every database below it must be closed. */
void recording_disk_end(recording_disk *disk);

size_t recording_disk_count(recording_disk *disk);

/* `index` is below the count. */
recorded_operation recording_disk_operation(recording_disk *disk, size_t index);

#endif
