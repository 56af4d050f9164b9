/* Shared names and helpers of the floor programs. Each program gives up at the first failure. */
#ifndef FLOOR_BLUEZ_H
#define FLOOR_BLUEZ_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERVICE_UUID "5a1e0001-7e57-4b1e-9d2c-3f0d5c6b7a80"
#define TRANSFER_UUID "5a1e0002-7e57-4b1e-9d2c-3f0d5c6b7a80"
#define BLUEZ "org.bluez"
#define CHARACTERISTIC "org.bluez.GattCharacteristic1"
/* The largest message of the echo, in bytes. No message or MTU in the tests comes near this limit. */
#define MESSAGE_BYTES_LIMIT (1 << 18)

__attribute__((noreturn, unused)) static void fail(const char *what, int error)
{
    fprintf(stderr, "floor: %s: %s\n", what, strerror(error < 0 ? -error : error));
    exit(1);
}

static inline int check(const char *what, int result)
{
    if (result < 0)
        fail(what, result);
    return result;
}

static inline double milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static inline size_t number(const char *text)
{
    size_t value = strtoul(text, NULL, 10);

    if (value < 1 || value > MESSAGE_BYTES_LIMIT)
        fail(text, ERANGE);
    return value;
}

#endif
