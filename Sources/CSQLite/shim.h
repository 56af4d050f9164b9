#include <sqlite3.h>

/* Wraps sqlite3_db_config, which is variadic. Sets a flag, and returns SQLITE_OK if it reads back as set. */
static inline int csqlite_set_flag(sqlite3 *connection, int option, int value) {
    int now = -1;
    int code = sqlite3_db_config(connection, option, value, &now);
    if (code != SQLITE_OK) { return code; }
    return now == value ? SQLITE_OK : SQLITE_ERROR;
}
