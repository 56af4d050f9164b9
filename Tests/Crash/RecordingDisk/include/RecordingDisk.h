/* A disk for tests that run in parallel in one process: a SQLite VFS over the system's own. Below chosen
   directories, it records every operation that changes a file. From the record, a test builds the state after a
   crash at any operation. Syncs are recorded and not performed. All other files go to the system's VFS. */
#ifndef RECORDING_DISK_H
#define RECORDING_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct recording_disk recording_disk;

enum recorded_kind {
    recorded_write,
    /* The new size is `offset`. */
    recorded_truncation,
    recorded_sync,
    recorded_creation,
    recorded_deletion,
    /* A deletion after which the directory is synced. */
    recorded_durable_deletion,
};

enum recorded_file { recorded_database, recorded_log, recorded_journal, recorded_other };

typedef struct {
    enum recorded_kind kind;
    enum recorded_file file;
    int64_t offset;
    size_t count;
    /* Valid until recording_disk_end. */
    const unsigned char *bytes;
} recorded_operation;

/* Records databases below `directory` from now on. Returns NULL if memory is short or SQLite rejects the VFS. */
recording_disk *recording_disk_begin(const char *directory);

/* Ends the recording. Every database below the directory must be closed. */
void recording_disk_end(recording_disk *disk);

size_t recording_disk_count(recording_disk *disk);

/* `index` must be below the count. */
recorded_operation recording_disk_operation(recording_disk *disk, size_t index);

#endif
