"""Boxes and phones whose clocks change while they run: the boot clock of all, and their own calendars."""
import os
import subprocess

# A preloaded library. CLOCK_FILE has the seconds that it adds to the boot clock and to the calendar.
SHIM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long shift(int of_calendar) {
    long boot = 0, calendar = 0;
    FILE *file = fopen(CLOCK_FILE, "re");
    if (file) {
        if (fscanf(file, "%ld %ld", &boot, &calendar) != 2) boot = calendar = 0;
        fclose(file);
    }
    return of_calendar ? calendar : boot;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME)) now->tv_sec += shift(clock == CLOCK_REALTIME);
    return result;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
    struct itimerspec value = *new;
    if ((flags & TFD_TIMER_ABSTIME) && (value.it_value.tv_sec || value.it_value.tv_nsec)) {
        value.it_value.tv_sec -= shift(0);
        if (value.it_value.tv_sec < 0) { value.it_value.tv_sec = 0; value.it_value.tv_nsec = 1; }
    }
    return syscall(SYS_timerfd_settime, file, flags, &value, old);
}
"""


class BoxClock:
    """The clocks of the programs that the boxes under `rule` start."""

    def __init__(self, directory):
        self.file = directory / "box-clock"
        source, library = directory / "box-clock.c", directory / "box-clock.so"
        source.write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", '-DCLOCK_FILE="%s"' % self.file, "-o", library, source], check=True)
        self.environment = dict(os.environ, LD_PRELOAD=str(library))
        self.boot = 0
        self.set(0)

    def set(self, boot, calendar=None):
        """Sets the added seconds. The calendar moves with the boot clock unless `calendar` is given."""
        self.boot = boot
        draft = self.file.with_suffix(".new")
        draft.write_text("%d %d\n" % (boot, boot if calendar is None else calendar))
        draft.replace(self.file)

    def rule(self, box):
        """Applies the clock to all programs that `box` and its phones start, except pamtester, which needs no clock."""
        run = box.run_program

        def run_program(argv, name, fds=(), stdin=None, env=None):
            return run(argv, name, fds, stdin, env or self.environment)

        box.run_program = run_program
        return box

    def pass_hours(self, box, count):
        """Lets the box run for `count` hours and do what is due in each."""
        for _ in range(count):
            self.set(self.boot + 3_600)
            # Any request wakes the agent, which then checks what is due.
            box.command("sessions").wait()
