#include "RecordingDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct recording_disk {
    recording_disk *next;
    char *directory;
    recorded_operation *operations;
    size_t count, room;
};

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    recording_disk *disk;
    enum recorded_file which;
} recorded_sqlite_file;

/* One mutex guards everything here: disks are few, and their operations are short. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static recording_disk *disks;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs recording_vfs;

static recording_disk *disk_of(const char *path) {
    if (path == NULL) { return NULL; }
    pthread_mutex_lock(&mutex);
    recording_disk *disk = disks;
    for (; disk != NULL; disk = disk->next) {
        size_t length = strlen(disk->directory);
        if (strncmp(path, disk->directory, length) == 0 && path[length] == '/') { break; }
    }
    pthread_mutex_unlock(&mutex);
    return disk;
}

static int ends_with(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

static enum recorded_file file_of(const char *path) {
    if (ends_with(path, "-wal")) { return recorded_log; }
    if (ends_with(path, "-journal")) { return recorded_journal; }
    return ends_with(path, ".sqlite3") ? recorded_database : recorded_other;
}

static int record(
    recording_disk *disk, enum recorded_kind kind, enum recorded_file which, int64_t offset, const void *bytes,
    size_t count) {
    unsigned char *kept = NULL;
    if (count > 0) {
        kept = malloc(count);
        if (kept == NULL) { return SQLITE_NOMEM; }
        memcpy(kept, bytes, count);
    }
    int code = SQLITE_OK;
    pthread_mutex_lock(&mutex);
    if (disk->count == disk->room) {
        size_t room = disk->room == 0 ? 256 : 2 * disk->room;
        recorded_operation *operations = realloc(disk->operations, room * sizeof *operations);
        if (operations == NULL) {
            code = SQLITE_NOMEM;
        } else {
            disk->operations = operations;
            disk->room = room;
        }
    }
    if (code == SQLITE_OK) {
        disk->operations[disk->count] = (recorded_operation){kind, which, offset, count, kept};
        disk->count += 1;
    } else {
        free(kept);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Returns our file. The system's file follows it in the memory that SQLite provides. */
static recorded_sqlite_file *own(sqlite3_file *file) { return (recorded_sqlite_file *)file; }
static const sqlite3_io_methods *real_of(sqlite3_file *file) { return own(file)->real->pMethods; }

static int recording_close(sqlite3_file *base) { return real_of(base)->xClose(own(base)->real); }

static int recording_read(sqlite3_file *base, void *target, int count, sqlite3_int64 offset) {
    return real_of(base)->xRead(own(base)->real, target, count, offset);
}

static int recording_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    recorded_sqlite_file *file = own(base);
    int code = record(file->disk, recorded_write, file->which, offset, bytes, (size_t)count);
    return code != SQLITE_OK ? code : real_of(base)->xWrite(file->real, bytes, count, offset);
}

static int recording_truncate(sqlite3_file *base, sqlite3_int64 size) {
    recorded_sqlite_file *file = own(base);
    int code = record(file->disk, recorded_truncation, file->which, size, NULL, 0);
    return code != SQLITE_OK ? code : real_of(base)->xTruncate(file->real, size);
}

static int recording_sync(sqlite3_file *base, int flags) {
    (void)flags;
    return record(own(base)->disk, recorded_sync, own(base)->which, 0, NULL, 0);
}

static int recording_size(sqlite3_file *base, sqlite3_int64 *size) {
    return real_of(base)->xFileSize(own(base)->real, size);
}
static int recording_lock(sqlite3_file *base, int lock) { return real_of(base)->xLock(own(base)->real, lock); }
static int recording_unlock(sqlite3_file *base, int lock) { return real_of(base)->xUnlock(own(base)->real, lock); }
static int recording_reserved(sqlite3_file *base, int *result) {
    return real_of(base)->xCheckReservedLock(own(base)->real, result);
}
static int recording_control(sqlite3_file *base, int what, void *argument) {
    /* These operations would change the file without passing through this VFS. */
    if (what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE) { return SQLITE_OK; }
    return real_of(base)->xFileControl(own(base)->real, what, argument);
}
static int recording_sector(sqlite3_file *base) { return real_of(base)->xSectorSize(own(base)->real); }
static int recording_characteristics(sqlite3_file *base) {
    return real_of(base)->xDeviceCharacteristics(own(base)->real);
}

/* Version 1 has no shared memory and no mapping. The vault needs neither, because it holds the file's lock. */
static const sqlite3_io_methods methods = {
    1, recording_close, recording_read, recording_write, recording_truncate, recording_sync, recording_size,
    recording_lock, recording_unlock, recording_reserved, recording_control, recording_sector,
    recording_characteristics, 0, 0, 0, 0, 0, 0,
};

static int recording_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out) {
    (void)vfs;
    recording_disk *disk = disk_of(name);
    if (disk == NULL) { return system_vfs->xOpen(system_vfs, name, base, flags, out); }
    recorded_sqlite_file *file = own(base);
    int exists = 0;
    int code = system_vfs->xAccess(system_vfs, name, SQLITE_ACCESS_EXISTS, &exists);
    if (code != SQLITE_OK) { return code; }
    memset(file, 0, sizeof *file);
    file->real = (sqlite3_file *)(file + 1);
    file->disk = disk;
    file->which = file_of(name);
    code = system_vfs->xOpen(system_vfs, name, file->real, flags, out);
    if (code != SQLITE_OK) { return code; }
    if (!exists) { code = record(disk, recorded_creation, file->which, 0, NULL, 0); }
    if (code != SQLITE_OK) {
        recording_close(base);
        return code;
    }
    file->base.pMethods = &methods;
    return SQLITE_OK;
}

static int recording_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
    (void)vfs;
    recording_disk *disk = disk_of(name);
    if (disk != NULL) {
        enum recorded_kind kind = sync_directory ? recorded_durable_deletion : recorded_deletion;
        int code = record(disk, kind, file_of(name), 0, NULL, 0);
        if (code != SQLITE_OK) { return code; }
    }
    return system_vfs->xDelete(system_vfs, name, sync_directory);
}

/* The caller must hold the mutex. */
static int install(void) {
    if (system_vfs != NULL) { return SQLITE_OK; }
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) { return code; }
    sqlite3_vfs *found = sqlite3_vfs_find(NULL);
    if (found == NULL) { return SQLITE_ERROR; }
    recording_vfs = *found;
    recording_vfs.iVersion = 1;
    recording_vfs.szOsFile = (int)sizeof(recorded_sqlite_file) + found->szOsFile;
    recording_vfs.zName = "recording";
    recording_vfs.xOpen = recording_open;
    recording_vfs.xDelete = recording_delete;
    system_vfs = found;
    code = sqlite3_vfs_register(&recording_vfs, 1);
    if (code != SQLITE_OK) { system_vfs = NULL; }
    return code;
}

recording_disk *recording_disk_begin(const char *directory) {
    recording_disk *disk = calloc(1, sizeof *disk);
    char *copy = strdup(directory);
    if (disk == NULL || copy == NULL) {
        free(disk);
        free(copy);
        return NULL;
    }
    disk->directory = copy;
    pthread_mutex_lock(&mutex);
    int code = install();
    if (code == SQLITE_OK) {
        disk->next = disks;
        disks = disk;
    }
    pthread_mutex_unlock(&mutex);
    if (code != SQLITE_OK) {
        free(disk->directory);
        free(disk);
        return NULL;
    }
    return disk;
}

void recording_disk_end(recording_disk *disk) {
    pthread_mutex_lock(&mutex);
    recording_disk **place = &disks;
    while (*place != disk) { place = &(*place)->next; }
    *place = disk->next;
    pthread_mutex_unlock(&mutex);
    for (size_t index = 0; index < disk->count; index++) { free((void *)disk->operations[index].bytes); }
    free(disk->operations);
    free(disk->directory);
    free(disk);
}

size_t recording_disk_count(recording_disk *disk) {
    pthread_mutex_lock(&mutex);
    size_t count = disk->count;
    pthread_mutex_unlock(&mutex);
    return count;
}

recorded_operation recording_disk_operation(recording_disk *disk, size_t index) {
    pthread_mutex_lock(&mutex);
    recorded_operation operation = disk->operations[index];
    pthread_mutex_unlock(&mutex);
    return operation;
}
