#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift does not call. Sets a flag and reads it back: SQLITE_OK when it holds. */
static inline int csqlite_set_flag(sqlite3 *connection, int option, int value) {
    int now = -1;
    int code = sqlite3_db_config(connection, option, value, &now);
    if (code != SQLITE_OK) { return code; }
    return now == value ? SQLITE_OK : SQLITE_ERROR;
}
