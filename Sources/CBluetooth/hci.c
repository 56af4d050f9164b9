// Queries Bluetooth controllers: their addresses, and the signal strength of a connection. The kernel lets every user
// send Read RSSI on a raw HCI socket (hci_sec_filter in net/bluetooth/hci_sock.c), but bluetoothd's management socket
// needs CAP_NET_ADMIN. The constants come from Linux: include/net/bluetooth/hci_sock.h and hci.h.
#define _GNU_SOURCE
#include "CBluetooth.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROTOCOL_HCI = 1, LEVEL_HCI = 0, OPTION_FILTER = 2, CHANNEL_RAW = 0, LINK_LE = 0x80 };
enum { PACKET_COMMAND = 0x01, PACKET_EVENT = 0x04, EVENT_COMMAND_COMPLETE = 0x0E, EVENT_COMMAND_STATUS = 0x0F, READ_RSSI = 0x1405 };

struct hci_address {
    sa_family_t family;
    uint16_t device;
    uint16_t channel;
};

struct hci_filter {
    uint32_t types;
    uint32_t events[2];
    uint16_t opcode;  // little-endian
};

struct connection {
    uint16_t handle;
    uint8_t address[CBLUETOOTH_ADDRESS_BYTES];
    uint8_t type;
    uint8_t is_out;
    uint16_t state;
    uint32_t mode;
};

struct connection_request {
    uint8_t address[CBLUETOOTH_ADDRESS_BYTES];
    uint8_t type;
    struct connection found;
};

// The kernel's request number contains the size of an int, not that of the structure.
static const unsigned long GET_CONNECTION = _IOR('H', 213, int);

int cbluetooth_hci_open(int adapter) {
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_HCI);
    if (descriptor < 0) return -errno;
    struct hci_filter filter;
    memset(&filter, 0, sizeof filter);
    filter.types = 1u << PACKET_EVENT;
    filter.events[0] = 1u << EVENT_COMMAND_COMPLETE | 1u << EVENT_COMMAND_STATUS;
    filter.opcode = htole16(READ_RSSI);
    struct hci_address address = {.family = AF_BLUETOOTH, .device = (uint16_t)adapter, .channel = CHANNEL_RAW};
    if (setsockopt(descriptor, LEVEL_HCI, OPTION_FILTER, &filter, sizeof filter) < 0
        || bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

int cbluetooth_hci_ask_signal(int descriptor, const uint8_t *address) {
    struct connection_request request;
    memset(&request, 0, sizeof request);
    for (int i = 0; i < CBLUETOOTH_ADDRESS_BYTES; i++) request.address[i] = address[CBLUETOOTH_ADDRESS_BYTES - 1 - i];
    request.type = LINK_LE;
    if (ioctl(descriptor, GET_CONNECTION, &request) < 0) return -errno;
    uint16_t handle = request.found.handle;
    const uint8_t command[] = {
        PACKET_COMMAND, READ_RSSI & 0xFF, READ_RSSI >> 8, 2, (uint8_t)(handle & 0xFF), (uint8_t)(handle >> 8)};
    ssize_t sent = write(descriptor, command, sizeof command);
    return sent < 0 ? -errno : handle;
}

int cbluetooth_hci_read_signal(int descriptor, int handle, int *dbm) {
    uint8_t event[260];
    ssize_t count = read(descriptor, event, sizeof event);
    if (count < 0) return -errno;
    // A controller that lacks the command answers with Command Status: length, status, commands allowed, opcode.
    if (count >= 7 && event[0] == PACKET_EVENT && event[1] == EVENT_COMMAND_STATUS)
        return (event[5] | event[6] << 8) == READ_RSSI ? -EOPNOTSUPP : 0;
    // The fields are packet type, event, length, commands allowed, opcode, status, handle and RSSI.
    if (count < 10 || event[0] != PACKET_EVENT || event[1] != EVENT_COMMAND_COMPLETE) return 0;
    if ((event[4] | event[5] << 8) != READ_RSSI || (event[7] | event[8] << 8) != handle) return 0;
    if (event[6] != 0) return -EIO;
    *dbm = (int8_t)event[9];
    return 1;
}

enum { MOST_ADAPTERS = 16 };

struct adapter_list {
    uint16_t count;
    struct {
        uint16_t device;
        uint32_t options;
    } found[MOST_ADAPTERS];
};

// The fields after the address are not used. The kernel writes fewer bytes than this structure has.
struct adapter {
    uint16_t device;
    char name[8];
    uint8_t address[CBLUETOOTH_ADDRESS_BYTES];
    uint8_t rest[128];
};

static const unsigned long GET_ADAPTERS = _IOR('H', 210, int), GET_ADAPTER = _IOR('H', 211, int);

int cbluetooth_hci_addresses(uint8_t *addresses, int limit) {
    int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_HCI);
    if (descriptor < 0) return -errno;
    struct adapter_list list;
    memset(&list, 0, sizeof list);
    list.count = MOST_ADAPTERS;
    int count = 0;
    if (ioctl(descriptor, GET_ADAPTERS, &list) < 0) count = -errno;
    for (int i = 0; count >= 0 && i < list.count && i < MOST_ADAPTERS && count < limit; i++) {
        struct adapter adapter;
        memset(&adapter, 0, sizeof adapter);
        adapter.device = list.found[i].device;
        if (ioctl(descriptor, GET_ADAPTER, &adapter) < 0) continue;
        for (int byte = 0; byte < CBLUETOOTH_ADDRESS_BYTES; byte++)
            addresses[count * CBLUETOOTH_ADDRESS_BYTES + byte] = adapter.address[CBLUETOOTH_ADDRESS_BYTES - 1 - byte];
        count++;
    }
    close(descriptor);
    return count;
}
