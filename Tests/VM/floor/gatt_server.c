/* The smallest GATT server that echoes. Its one characteristic is written and notified through BlueZ's sockets.
 *
 *   gatt_server ADAPTER MESSAGE-BYTES VALUE-BYTES [calls]
 *
 * The server advertises, collects MESSAGE-BYTES written bytes, and notifies them in values of VALUE-BYTES. A value of
 * one byte is answered at once with one byte. With `calls`, the server offers no socket for writing. Each value then
 * arrives as a call of WriteValue, as in boxagentd.
 *
 * Links: -lsystemd
 */
#include <poll.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "bluez.h"

static int write_socket = -1, notify_socket = -1;
static sd_bus *bus;
static char adapter[64];

static int text(sd_bus *b, const char *path, const char *interface, const char *property, sd_bus_message *reply,
                void *value, sd_bus_error *error)
{
    (void)b, (void)path, (void)interface, (void)property, (void)error;
    return sd_bus_message_append(reply, "s", value);
}

static int truth(sd_bus *b, const char *path, const char *interface, const char *property, sd_bus_message *reply,
                 void *value, sd_bus_error *error)
{
    (void)b, (void)path, (void)interface, (void)error, (void)value;
    return sd_bus_message_append(reply, "b", !strcmp(property, "Primary"));
}

static int path_of_service(sd_bus *b, const char *path, const char *interface, const char *property,
                           sd_bus_message *reply, void *value, sd_bus_error *error)
{
    (void)b, (void)path, (void)interface, (void)property, (void)value, (void)error;
    return sd_bus_message_append(reply, "o", "/floor/service");
}

static int list(sd_bus *b, const char *path, const char *interface, const char *property, sd_bus_message *reply,
                void *value, sd_bus_error *error)
{
    (void)b, (void)path, (void)interface, (void)value, (void)error;
    if (!strcmp(property, "Flags"))
        return sd_bus_message_append(reply, "as", 2, "write-without-response", "notify");
    return sd_bus_message_append(reply, "as", 1, SERVICE_UUID);
}

static int acquire(sd_bus_message *call, void *value, sd_bus_error *error)
{
    int *mine = strstr(sd_bus_message_get_member(call), "Write") ? &write_socket : &notify_socket, pair[2], result;
    const char *key;
    uint16_t mtu = 23;

    (void)value, (void)error;
    check("options", sd_bus_message_enter_container(call, 'a', "{sv}"));
    while (check("options", sd_bus_message_enter_container(call, 'e', "sv")) > 0) {
        check("key", sd_bus_message_read(call, "s", &key));
        if (!strcmp(key, "mtu"))
            check("mtu", sd_bus_message_read(call, "v", "q", &mtu));
        else
            check("value", sd_bus_message_skip(call, "v"));
        check("options", sd_bus_message_exit_container(call));
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        fail("socketpair", errno);
    if (*mine >= 0)
        close(*mine);
    *mine = pair[0];
    result = sd_bus_reply_method_return(call, "hq", pair[1], mtu);
    close(pair[1]);
    return result;
}

static size_t message_bytes, value_bytes;
static void take(const uint8_t *value, size_t count);

static int write_value(sd_bus_message *call, void *value, sd_bus_error *error)
{
    const void *bytes;
    size_t count;

    (void)value, (void)error;
    check("value", sd_bus_message_read_array(call, 'y', &bytes, &count));
    take(bytes, count);
    return sd_bus_reply_method_return(call, "");
}

static int ignore(sd_bus_message *call, void *value, sd_bus_error *error)
{
    (void)value, (void)error;
    return sd_bus_reply_method_return(call, "");
}

#define TEXT(name) SD_BUS_PROPERTY(name, "s", text, 0, SD_BUS_VTABLE_PROPERTY_CONST)
static const sd_bus_vtable service[] = {
    SD_BUS_VTABLE_START(0), TEXT("UUID"), SD_BUS_PROPERTY("Primary", "b", truth, 0, 0), SD_BUS_VTABLE_END};
static const sd_bus_vtable characteristic[] = {
    SD_BUS_VTABLE_START(0),
    TEXT("UUID"),
    SD_BUS_PROPERTY("Service", "o", path_of_service, 0, 0),
    SD_BUS_PROPERTY("Flags", "as", list, 0, 0),
    SD_BUS_PROPERTY("WriteAcquired", "b", truth, 0, 0),
    SD_BUS_PROPERTY("NotifyAcquired", "b", truth, 0, 0),
    SD_BUS_METHOD("AcquireWrite", "a{sv}", "hq", acquire, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("AcquireNotify", "a{sv}", "hq", acquire, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};
static const sd_bus_vtable characteristic_by_calls[] = {
    SD_BUS_VTABLE_START(0),
    TEXT("UUID"),
    SD_BUS_PROPERTY("Service", "o", path_of_service, 0, 0),
    SD_BUS_PROPERTY("Flags", "as", list, 0, 0),
    SD_BUS_PROPERTY("NotifyAcquired", "b", truth, 0, 0),
    SD_BUS_METHOD("WriteValue", "aya{sv}", "", write_value, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("AcquireNotify", "a{sv}", "hq", acquire, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};
static const sd_bus_vtable advertisement[] = {
    SD_BUS_VTABLE_START(0), TEXT("Type"), SD_BUS_PROPERTY("ServiceUUIDs", "as", list, 0, 0),
    SD_BUS_METHOD("Release", "", "", ignore, SD_BUS_VTABLE_UNPRIVILEGED), SD_BUS_VTABLE_END};

static int registered(sd_bus_message *reply, void *next, sd_bus_error *error)
{
    (void)error;
    if (sd_bus_message_is_method_error(reply, NULL))
        fail(sd_bus_message_get_error(reply)->message, EINVAL);
    if (next)
        return sd_bus_call_method_async(bus, NULL, BLUEZ, adapter, "org.bluez.LEAdvertisingManager1",
                                        "RegisterAdvertisement", registered, NULL, "oa{sv}", "/advertisement", 0);
    puts("advertising");
    fflush(stdout);
    return 0;
}

/* Takes one written value. A complete message is sent back. */
static void take(const uint8_t *value, size_t count)
{
    static uint8_t message[MESSAGE_BYTES_LIMIT + 1024];
    static size_t collected;

    if (count > 1024)
        fail("a value of so many bytes", EMSGSIZE);
    if (collected == 0 && count == 1) {
        send(notify_socket, value, 1, MSG_NOSIGNAL);
        return;
    }
    memcpy(message + collected, value, count);
    collected += count;
    if (count > 0 && collected < message_bytes)
        return;
    for (size_t at = 0; count > 0 && at < message_bytes; at += value_bytes) {
        size_t rest = message_bytes - at;

        /* Blocks while BlueZ is busy: the socket is the flow control. */
        if (send(notify_socket, message + at, rest < value_bytes ? rest : value_bytes, MSG_NOSIGNAL) < 0)
            break;
    }
    collected = 0;
}

/* Reads a value from the socket for writing. The end of the socket discards an incomplete message. */
static void receive(void)
{
    uint8_t value[1024];
    ssize_t count = recv(write_socket, value, sizeof(value), 0);

    if (count <= 0) {
        close(write_socket);
        write_socket = -1;
        count = 0;
    }
    take(value, count);
}

int main(int argc, char **argv)
{
    if (argc != 4 && (argc != 5 || strcmp(argv[4], "calls")))
        fail("usage: gatt_server ADAPTER MESSAGE-BYTES VALUE-BYTES [calls]", EINVAL);
    message_bytes = number(argv[2]);
    value_bytes = number(argv[3]);
    snprintf(adapter, sizeof(adapter), "/org/bluez/%s", argv[1]);
    check("system bus", sd_bus_open_system(&bus));
    check("manager", sd_bus_add_object_manager(bus, NULL, "/floor"));
    check("service", sd_bus_add_object_vtable(bus, NULL, "/floor/service", "org.bluez.GattService1", service,
                                              SERVICE_UUID));
    check("characteristic", sd_bus_add_object_vtable(bus, NULL, "/floor/service/transfer", CHARACTERISTIC,
                                                     argc == 5 ? characteristic_by_calls : characteristic,
                                                     TRANSFER_UUID));
    check("advertisement", sd_bus_add_object_vtable(bus, NULL, "/advertisement", "org.bluez.LEAdvertisement1",
                                                    advertisement, "peripheral"));
    check("register", sd_bus_call_method_async(bus, NULL, BLUEZ, adapter, "org.bluez.GattManager1",
                                               "RegisterApplication", registered, bus, "oa{sv}", "/floor", 0));
    for (;;) {
        struct pollfd fds[] = {{sd_bus_get_fd(bus), POLLIN, 0}, {write_socket, POLLIN, 0}};

        while (check("bus", sd_bus_process(bus, NULL)) > 0)
            ;
        fds[0].events = sd_bus_get_events(bus);
        fds[1].fd = write_socket;
        if (poll(fds, 2, -1) < 0)
            fail("poll", errno);
        if (fds[1].revents)
            receive();
    }
}
