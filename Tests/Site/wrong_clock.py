"""A site whose clocks are wrong by the same amount: PostgreSQL's and its servers' calendars. The amount changes at run time."""
import os
import subprocess

# Replaces time(2), which boxsited calls. SHIFT_FILE has the seconds to add.
SHIM = r"""
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
time_t time(time_t *out) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    long shift = 0;
    FILE *file = fopen(SHIFT_FILE, "r");
    if (file) {
        if (fscanf(file, "%ld", &shift) != 1) shift = 0;
        fclose(file);
    }
    time_t value = now.tv_sec + shift;
    if (out) *out = value;
    return value;
}
"""


class WrongClock:
    def __init__(self, site, directory, is_founded=True):
        self.site, self.file = site, directory / "shift"
        source, library = directory / "shift.c", directory / "shift.so"
        source.write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", '-DSHIFT_FILE="%s"' % self.file, "-o", library, source], check=True)
        # Puts a schema before pg_catalog in the search path, because nothing else changes the clock of a running PostgreSQL.
        site.database.sql("CREATE SCHEMA wrong")
        site.database.sql("CREATE TABLE wrong.shift (seconds bigint NOT NULL)")
        site.database.sql("INSERT INTO wrong.shift VALUES (0)")
        site.database.sql("CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ "
                          "SELECT pg_catalog.clock_timestamp() + (SELECT seconds FROM wrong.shift) * interval '1 second' $$")
        site.database.sql("ALTER ROLE boxsite SET search_path = public, wrong, pg_catalog")
        self.set(0)
        for server in site.servers:
            server.environment = dict(os.environ, LD_PRELOAD=str(library))
            if is_founded:
                server.stop()
                server.start()

    def set(self, seconds):
        self.site.database.sql("UPDATE wrong.shift SET seconds = %d" % seconds)
        self.file.write_text("%d\n" % seconds)

    def jump(self, seconds):
        """Sets the clocks, waits until the servers notice, and accepts the new time as an administrator."""
        self.set(seconds)
        for server in self.site.servers:
            server.wait_until(lambda server=server: "clock" in (server.status()["doubt"] or ""))
            server.ok("clock", "accept")
