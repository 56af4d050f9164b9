/* The smallest GATT client that finds the server, connects, sends messages, and checks every byte of their echo.
 *
 *   gatt_client ADAPTER MESSAGE-BYTES VALUE-BYTES COUNT
 *
 * Prints one JSON object: the milliseconds from the start of the scan to each step, and those of each echo.
 *
 * Links: -lsystemd
 */
#include <poll.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "bluez.h"

static sd_bus *bus;
static char adapter[64], device[128], characteristic[192];
static sd_bus_error error = SD_BUS_ERROR_NULL;

static int checked(const char *what, int result)
{
    if (result < 0 && sd_bus_error_is_set(&error))
        fail(error.message, result);
    return check(what, result);
}

/* Returns 1 for a device that our adapter has found and that shows the service. */
static int is_wanted(const char *path)
{
    char **uuids = NULL;
    int found = 0;

    if (strncmp(path, adapter, strlen(adapter)) || !strstr(path, "/dev_"))
        return 0;
    if (sd_bus_get_property_strv(bus, BLUEZ, path, "org.bluez.Device1", "UUIDs", NULL, &uuids) < 0)
        return 0;
    for (char **uuid = uuids; *uuid; uuid++) {
        found |= !strcmp(*uuid, SERVICE_UUID);
        free(*uuid);
    }
    free(uuids);
    return found;
}

static int seen(sd_bus_message *signal, void *value, sd_bus_error *e)
{
    const char *path = sd_bus_message_get_path(signal);

    (void)value, (void)e;
    if (!strcmp(sd_bus_message_get_member(signal), "InterfacesAdded"))
        check("path", sd_bus_message_read(signal, "o", &path));
    if (!device[0] && is_wanted(path))
        snprintf(device, sizeof(device), "%s", path);
    return 0;
}

static int changed(sd_bus_message *signal, void *value, sd_bus_error *e)
{
    (void)signal, (void)value, (void)e;
    return 0;
}

static void wait_on_bus(void)
{
    if (check("bus", sd_bus_process(bus, NULL)) == 0)
        check("wait", sd_bus_wait(bus, 10000000));
}

/* Calls `found` with each object of BlueZ that has `interface`, until `found` returns 1. */
static void each_object(const char *interface, int (*found)(const char *path))
{
    sd_bus_message *reply;
    const char *path, *name;
    int done = 0;

    checked("objects", sd_bus_call_method(bus, BLUEZ, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
                                          &error, &reply, ""));
    check("objects", sd_bus_message_enter_container(reply, 'a', "{oa{sa{sv}}}"));
    while (check("object", sd_bus_message_enter_container(reply, 'e', "oa{sa{sv}}")) > 0) {
        check("path", sd_bus_message_read(reply, "o", &path));
        check("interfaces", sd_bus_message_enter_container(reply, 'a', "{sa{sv}}"));
        while (check("interface", sd_bus_message_enter_container(reply, 'e', "sa{sv}")) > 0) {
            check("name", sd_bus_message_read(reply, "s", &name));
            if (!done && !strcmp(name, interface))
                done = found(path);
            check("properties", sd_bus_message_skip(reply, "a{sv}"));
            sd_bus_message_exit_container(reply);
        }
        sd_bus_message_exit_container(reply);
        sd_bus_message_exit_container(reply);
    }
    sd_bus_message_unref(reply);
}

/* Removes a device that BlueZ still knows from an earlier run, so that this run starts cold. */
static int forget(const char *path)
{
    if (!strncmp(path, adapter, strlen(adapter)))
        sd_bus_call_method(bus, BLUEZ, adapter, "org.bluez.Adapter1", "RemoveDevice", NULL, NULL, "o", path);
    return 0;
}

static int is_transfer(const char *path)
{
    char *uuid;

    if (strncmp(path, device, strlen(device)))
        return 0;
    if (sd_bus_get_property_string(bus, BLUEZ, path, CHARACTERISTIC, "UUID", NULL, &uuid) < 0)
        return 0;
    if (!strcmp(uuid, TRANSFER_UUID))
        snprintf(characteristic, sizeof(characteristic), "%s", path);
    free(uuid);
    return characteristic[0];
}

static int acquired(const char *method)
{
    sd_bus_message *reply;
    uint16_t mtu;
    int fd;

    checked(method, sd_bus_call_method(bus, BLUEZ, characteristic, CHARACTERISTIC, method, &error, &reply, "a{sv}", 0));
    check("descriptor", sd_bus_message_read(reply, "hq", &fd, &mtu));
    fd = dup(fd);
    sd_bus_message_unref(reply);
    return fd;
}

static void receive(int fd, uint8_t *message, size_t bytes)
{
    struct pollfd readable = {fd, POLLIN, 0};
    ssize_t count;

    for (size_t at = 0; at < bytes; at += count) {
        if (poll(&readable, 1, 10000) != 1)
            fail("no notification", ETIMEDOUT);
        count = recv(fd, message + at, bytes - at, 0);
        if (count <= 0)
            fail("the link ended", ECONNRESET);
    }
}

static double echo(int writing, int notified, const uint8_t *out, size_t message_bytes, size_t value_bytes)
{
    static uint8_t in[MESSAGE_BYTES_LIMIT];
    double start = milliseconds();

    for (size_t at = 0; at < message_bytes; at += value_bytes) {
        size_t rest = message_bytes - at;

        if (send(writing, out + at, rest < value_bytes ? rest : value_bytes, MSG_NOSIGNAL) < 0)
            fail("send", errno);
    }
    receive(notified, in, message_bytes);
    if (memcmp(in, out, message_bytes))
        fail("the echo differs", EBADMSG);
    return milliseconds() - start;
}

int main(int argc, char **argv)
{
    static uint8_t message[MESSAGE_BYTES_LIMIT];
    double start, found, connected, resolved, subscribed, first;
    size_t message_bytes, value_bytes, count;
    int is_resolved = 0, writing, notified;

    if (argc != 5)
        fail("usage: gatt_client ADAPTER MESSAGE-BYTES VALUE-BYTES COUNT", EINVAL);
    message_bytes = number(argv[2]);
    value_bytes = number(argv[3]);
    count = number(argv[4]);
    snprintf(adapter, sizeof(adapter), "/org/bluez/%s", argv[1]);
    for (size_t i = 0; i < message_bytes; i++)
        message[i] = i * 7 + i / 256;
    check("system bus", sd_bus_open_system(&bus));
    each_object("org.bluez.Device1", forget);
    check("match", sd_bus_match_signal(bus, NULL, BLUEZ, NULL, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                                       seen, NULL));
    check("match", sd_bus_match_signal(bus, NULL, BLUEZ, NULL, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                       changed, NULL));
    checked("filter", sd_bus_call_method(bus, BLUEZ, adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", &error, NULL,
                                         "a{sv}", 2, "Transport", "s", "le", "UUIDs", "as", 1, SERVICE_UUID));
    start = milliseconds();
    checked("scan", sd_bus_call_method(bus, BLUEZ, adapter, "org.bluez.Adapter1", "StartDiscovery", &error, NULL, ""));
    while (!device[0])
        wait_on_bus();
    found = milliseconds();
    checked("scan", sd_bus_call_method(bus, BLUEZ, adapter, "org.bluez.Adapter1", "StopDiscovery", &error, NULL, ""));
    checked("connect", sd_bus_call_method(bus, BLUEZ, device, "org.bluez.Device1", "Connect", &error, NULL, ""));
    connected = milliseconds();
    for (;;) {
        checked("resolved", sd_bus_get_property_trivial(bus, BLUEZ, device, "org.bluez.Device1", "ServicesResolved",
                                                        &error, 'b', &is_resolved));
        if (is_resolved)
            break;
        wait_on_bus();
    }
    resolved = milliseconds();
    each_object(CHARACTERISTIC, is_transfer);
    if (!characteristic[0])
        fail("the server has no such characteristic", ENOENT);
    writing = acquired("AcquireWrite");
    notified = acquired("AcquireNotify");
    subscribed = milliseconds();
    echo(writing, notified, message, 1, 1);
    first = milliseconds();
    printf("{\"found\": %.1f, \"connected\": %.1f, \"resolved\": %.1f, \"subscribed\": %.1f, \"first\": %.1f, "
           "\"echoes\": [", found - start, connected - start, resolved - start, subscribed - start, first - start);
    for (size_t i = 0; i < count; i++)
        printf("%s%.2f", i ? ", " : "", echo(writing, notified, message, message_bytes, value_bytes));
    puts("]}");
    checked("disconnect", sd_bus_call_method(bus, BLUEZ, device, "org.bluez.Device1", "Disconnect", &error, NULL, ""));
    return 0;
}
