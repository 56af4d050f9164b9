#ifndef CDBUS_SHIM_H
#define CDBUS_SHIM_H

#include <dbus/dbus.h>
#include <poll.h>

// Type codes as constants, because Swift does not import macros with casts.
static const int cdbus_invalid = DBUS_TYPE_INVALID;
static const int cdbus_byte = DBUS_TYPE_BYTE;
static const int cdbus_boolean = DBUS_TYPE_BOOLEAN;
static const int cdbus_int16 = DBUS_TYPE_INT16;
static const int cdbus_uint16 = DBUS_TYPE_UINT16;
static const int cdbus_int32 = DBUS_TYPE_INT32;
static const int cdbus_uint32 = DBUS_TYPE_UINT32;
static const int cdbus_int64 = DBUS_TYPE_INT64;
static const int cdbus_uint64 = DBUS_TYPE_UINT64;
static const int cdbus_double = DBUS_TYPE_DOUBLE;
static const int cdbus_string = DBUS_TYPE_STRING;
static const int cdbus_object_path = DBUS_TYPE_OBJECT_PATH;
static const int cdbus_signature = DBUS_TYPE_SIGNATURE;
static const int cdbus_unix_fd = DBUS_TYPE_UNIX_FD;
static const int cdbus_array = DBUS_TYPE_ARRAY;
static const int cdbus_variant = DBUS_TYPE_VARIANT;
static const int cdbus_struct = DBUS_TYPE_STRUCT;
static const int cdbus_dict_entry = DBUS_TYPE_DICT_ENTRY;

static const int cdbus_method_call = DBUS_MESSAGE_TYPE_METHOD_CALL;
static const int cdbus_method_return = DBUS_MESSAGE_TYPE_METHOD_RETURN;
static const int cdbus_error = DBUS_MESSAGE_TYPE_ERROR;
static const int cdbus_signal = DBUS_MESSAGE_TYPE_SIGNAL;

// Returns whether the descriptor has data to read now. libdbus reads a bounded amount at a time, and an edge-triggered
// loop must read until nothing is left.
static inline int cdbus_is_readable(int descriptor) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

#endif
