#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the descriptor is readable now. libpq reads a bounded amount at a time, and an edge-triggered loop
// does not report the rest.
static inline int cpostgresql_is_readable(int descriptor) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

static inline void cpostgresql_drop_notice(void *argument, const PGresult *result) {
    (void)argument;
    (void)result;
}

// Without this, libpq prints notices on standard error.
static inline void cpostgresql_drop_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, cpostgresql_drop_notice, NULL);
}

// Return a field of an error, or NULL if the server did not send it.
static inline const char *cpostgresql_sql_state(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *cpostgresql_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

// Returns whether the server ends the connection with this error.
static inline int cpostgresql_is_fatal(const PGresult *result) {
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

// Removes every variable whose name begins with PG. No other thread may use the environment during the call.
static inline void cpostgresql_clear_environment(void) {
    extern char **environ;
    char **next = environ;
    while (next != NULL && *next != NULL) {
        const char *equals = strchr(*next, '=');
        if (strncmp(*next, "PG", 2) != 0 || equals == NULL) {
            next++;
            continue;
        }
        char *name = strndup(*next, (size_t)(equals - *next));
        if (name == NULL || unsetenv(name) != 0) { next++; }
        else { next = environ; }
        free(name);
    }
}

#endif
