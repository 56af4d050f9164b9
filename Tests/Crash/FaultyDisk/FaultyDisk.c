#include "FaultyDisk.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One write or truncation that was not synced yet. */
typedef struct pending {
    struct pending *next;
    sqlite3_int64 offset;
    int count; /* -1: a truncation to `offset` */
    unsigned char bytes[];
} pending;

typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
    int is_log;
    /* With loses_unsynced: the file as the program sees it, and the changes that the disk may not have. */
    unsigned char *content;
    sqlite3_int64 size, room;
    pending *first, **last;
} faulty_file;

static faulty_disk_settings settings;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs faulty_vfs;
static uint64_t operations, writes, commits, syncs, state;

uint64_t faulty_disk_operations(void) { return operations; }
uint64_t faulty_disk_commits(void) { return commits; }
uint64_t faulty_disk_syncs(void) { return syncs; }

/* Counts an operation that changes a file, and kills the process at the chosen operation. */
static void operation(void) {
    operations += 1;
    if (operations == settings.kill_at) {
        kill(getpid(), SIGKILL);
        for (;;) { pause(); }
    }
}

static uint64_t draw(void) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717ULL;
}

/* Returns our file. The system's file follows it in the memory that SQLite provides. */
static faulty_file *own(sqlite3_file *file) { return (faulty_file *)file; }

static int grow(faulty_file *file, sqlite3_int64 size) {
    if (size > file->room) {
        sqlite3_int64 room = size * 2;
        unsigned char *content = realloc(file->content, (size_t)room);
        if (content == NULL) { return SQLITE_NOMEM; }
        memset(content + file->room, 0, (size_t)(room - file->room));
        file->content = content;
        file->room = room;
    }
    return SQLITE_OK;
}

static int apply(faulty_file *file, const pending *item, int count) {
    if (item->count < 0) { return file->real->pMethods->xTruncate(file->real, item->offset); }
    return file->real->pMethods->xWrite(file->real, item->bytes, count, item->offset);
}

/* Writes everything to the disk, in order. Changes that reached the disk early are written again. */
static int flush(faulty_file *file) {
    int code = SQLITE_OK;
    while (file->first != NULL) {
        pending *item = file->first;
        if (code == SQLITE_OK) { code = apply(file, item, item->count); }
        file->first = item->next;
        free(item);
    }
    file->last = &file->first;
    return code;
}

static int keep(faulty_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    pending *item = malloc(sizeof(pending) + (count > 0 ? (size_t)count : 0));
    if (item == NULL) { return SQLITE_NOMEM; }
    item->next = NULL;
    item->offset = offset;
    item->count = count;
    if (count > 0) { memcpy(item->bytes, bytes, (size_t)count); }
    *file->last = item;
    file->last = &item->next;
    /* One write in four reaches the disk early, and every second of those only in part. An early truncation would
       add no new state, because the later part of the file may be lost anyway. */
    if (count > 0 && draw() % 4 == 0) {
        int part = draw() % 2 == 0 ? count : (int)(draw() % (uint64_t)(count + 1));
        if (part > 0) { return apply(file, item, part); }
    }
    return SQLITE_OK;
}

static int faulty_close(sqlite3_file *base) {
    faulty_file *file = own(base);
    int code = flush(file);
    int closed = file->real->pMethods->xClose(file->real);
    free(file->content);
    return code != SQLITE_OK ? code : closed;
}

static int faulty_read(sqlite3_file *base, void *target, int count, sqlite3_int64 offset) {
    faulty_file *file = own(base);
    if (!settings.loses_unsynced) { return file->real->pMethods->xRead(file->real, target, count, offset); }
    sqlite3_int64 there = file->size - offset;
    if (there >= count) {
        memcpy(target, file->content + offset, (size_t)count);
        return SQLITE_OK;
    }
    if (there < 0) { there = 0; }
    if (there > 0) { memcpy(target, file->content + offset, (size_t)there); }
    memset((char *)target + there, 0, (size_t)(count - there));
    return SQLITE_IOERR_SHORT_READ;
}

static int faulty_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    faulty_file *file = own(base);
    operation();
    writes += 1;
    if (settings.full_at != 0 && writes >= settings.full_at) { return SQLITE_FULL; }
    /* 24 bytes are the header of a frame. Its second word is not zero in the last frame of a transaction
       (sqlite.org/fileformat2.html#the_write_ahead_log). */
    if (file->is_log && count == 24) {
        static const unsigned char none[4];
        if (memcmp((const unsigned char *)bytes + 4, none, 4) != 0) { commits += 1; }
    }
    if (!settings.loses_unsynced) { return file->real->pMethods->xWrite(file->real, bytes, count, offset); }
    int code = grow(file, offset + count);
    if (code != SQLITE_OK) { return code; }
    memcpy(file->content + offset, bytes, (size_t)count);
    if (offset + count > file->size) { file->size = offset + count; }
    return keep(file, bytes, count, offset);
}

static int faulty_truncate(sqlite3_file *base, sqlite3_int64 size) {
    faulty_file *file = own(base);
    operation();
    if (!settings.loses_unsynced) { return file->real->pMethods->xTruncate(file->real, size); }
    int code = grow(file, size);
    if (code != SQLITE_OK) { return code; }
    if (size < file->size) { memset(file->content + size, 0, (size_t)(file->size - size)); }
    file->size = size;
    return keep(file, NULL, -1, size);
}

static int faulty_sync(sqlite3_file *base, int flags) {
    faulty_file *file = own(base);
    operation();
    syncs += 1;
    int code = flush(file);
    if (code != SQLITE_OK || settings.skips_syncs) { return code; }
    return file->real->pMethods->xSync(file->real, flags);
}

static int faulty_size(sqlite3_file *base, sqlite3_int64 *size) {
    faulty_file *file = own(base);
    if (!settings.loses_unsynced) { return file->real->pMethods->xFileSize(file->real, size); }
    *size = file->size;
    return SQLITE_OK;
}

static int faulty_lock(sqlite3_file *base, int lock) { return own(base)->real->pMethods->xLock(own(base)->real, lock); }
static int faulty_unlock(sqlite3_file *base, int lock) {
    return own(base)->real->pMethods->xUnlock(own(base)->real, lock);
}
static int faulty_reserved(sqlite3_file *base, int *result) {
    return own(base)->real->pMethods->xCheckReservedLock(own(base)->real, result);
}
static int faulty_control(sqlite3_file *base, int what, void *argument) {
    /* These operations would change the file without passing through this VFS. */
    if (what == SQLITE_FCNTL_SIZE_HINT || what == SQLITE_FCNTL_CHUNK_SIZE) { return SQLITE_OK; }
    return own(base)->real->pMethods->xFileControl(own(base)->real, what, argument);
}
static int faulty_sector(sqlite3_file *base) { return own(base)->real->pMethods->xSectorSize(own(base)->real); }
static int faulty_characteristics(sqlite3_file *base) {
    return own(base)->real->pMethods->xDeviceCharacteristics(own(base)->real);
}

/* Version 1 has no shared memory. The vault needs none, because it holds the file's lock. */
static const sqlite3_io_methods methods = {
    1, faulty_close, faulty_read, faulty_write, faulty_truncate, faulty_sync, faulty_size, faulty_lock,
    faulty_unlock, faulty_reserved, faulty_control, faulty_sector, faulty_characteristics,
    0, 0, 0, 0, 0, 0,
};

static int load(faulty_file *file) {
    sqlite3_int64 size = 0;
    int code = file->real->pMethods->xFileSize(file->real, &size);
    if (code == SQLITE_OK) { code = grow(file, size > 0 ? size : 1); }
    for (sqlite3_int64 offset = 0; code == SQLITE_OK && offset < size; offset += 65536) {
        int count = size - offset < 65536 ? (int)(size - offset) : 65536;
        code = file->real->pMethods->xRead(file->real, file->content + offset, count, offset);
    }
    file->size = size;
    return code;
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out) {
    faulty_file *file = own(base);
    (void)vfs;
    memset(file, 0, sizeof *file);
    file->last = &file->first;
    file->real = (sqlite3_file *)(file + 1);
    file->is_log = (flags & SQLITE_OPEN_WAL) != 0;
    int code = system_vfs->xOpen(system_vfs, name, file->real, flags, out);
    if (code != SQLITE_OK) { return code; }
    file->base.pMethods = &methods;
    if (settings.loses_unsynced) { code = load(file); }
    if (code != SQLITE_OK) {
        faulty_close(base);
        file->base.pMethods = NULL;
    }
    return code;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int sync_directory) {
    (void)vfs;
    operation();
    return system_vfs->xDelete(system_vfs, name, sync_directory);
}

int faulty_disk_install(faulty_disk_settings chosen) {
    if (sqlite3_initialize() != SQLITE_OK) { return 1; }
    settings = chosen;
    state = chosen.seed != 0 ? chosen.seed : 1;
    system_vfs = sqlite3_vfs_find(NULL);
    if (system_vfs == NULL) { return 1; }
    /* Only the operations on files are replaced. */
    faulty_vfs = *system_vfs;
    faulty_vfs.iVersion = 1;
    faulty_vfs.szOsFile = (int)sizeof(faulty_file) + system_vfs->szOsFile;
    faulty_vfs.zName = "faulty";
    faulty_vfs.xOpen = faulty_open;
    faulty_vfs.xDelete = faulty_delete;
    return sqlite3_vfs_register(&faulty_vfs, 1) == SQLITE_OK ? 0 : 1;
}
