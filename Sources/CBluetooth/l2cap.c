// Sockets of l2cap(7). Their headers belong to BlueZ, not libc, so this file defines the constants of the kernel's
// include/net/bluetooth/bluetooth.h and l2cap.h.
#define _GNU_SOURCE
#include "CBluetooth.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { PROTOCOL_L2CAP = 0, LEVEL_BLUETOOTH = 274, OPTION_SECURITY = 4, OPTION_SEND_MTU = 12, OPTION_RECEIVE_MTU = 13 };

struct l2cap_address {
    sa_family_t family;
    uint16_t psm;                           // little-endian
    uint8_t address[CBLUETOOTH_ADDRESS_BYTES];  // in reverse of the printed order
    uint16_t channel;                       // little-endian
    uint8_t type;
};

struct security {
    uint8_t level;
    uint8_t key_size;
};

static int result(int value) { return value < 0 ? -errno : value; }

static void reverse(uint8_t *to, const uint8_t *from) {
    for (int i = 0; i < CBLUETOOTH_ADDRESS_BYTES; i++) to[i] = from[CBLUETOOTH_ADDRESS_BYTES - 1 - i];
}

static struct l2cap_address l2cap_address(const uint8_t *address, int type, uint16_t psm) {
    struct l2cap_address made;
    memset(&made, 0, sizeof made);
    made.family = AF_BLUETOOTH;
    made.psm = htole16(psm);
    made.type = (uint8_t)type;
    reverse(made.address, address);
    return made;
}

int cbluetooth_l2cap(void) {
    return result(socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_L2CAP));
}

int cbluetooth_l2cap_bind(int descriptor, const uint8_t *address, int type, uint16_t psm) {
    struct l2cap_address own = l2cap_address(address, type, psm);
    return result(bind(descriptor, (struct sockaddr *)&own, sizeof own));
}

int cbluetooth_l2cap_connect(int descriptor, const uint8_t *address, int type, uint16_t psm) {
    struct l2cap_address other = l2cap_address(address, type, psm);
    return result(connect(descriptor, (struct sockaddr *)&other, sizeof other));
}

int cbluetooth_l2cap_prepare(int descriptor, int receive_mtu, int security) {
    uint16_t mtu = (uint16_t)receive_mtu;
    struct security wanted = {.level = (uint8_t)security};
    if (setsockopt(descriptor, LEVEL_BLUETOOTH, OPTION_RECEIVE_MTU, &mtu, sizeof mtu) < 0) return -errno;
    return result(setsockopt(descriptor, LEVEL_BLUETOOTH, OPTION_SECURITY, &wanted, sizeof wanted));
}

int cbluetooth_l2cap_send_mtu(int descriptor) {
    uint16_t mtu = 0;
    socklen_t length = sizeof mtu;
    if (getsockopt(descriptor, LEVEL_BLUETOOTH, OPTION_SEND_MTU, &mtu, &length) < 0) return -errno;
    return mtu;
}

int cbluetooth_l2cap_psm(int descriptor) {
    struct l2cap_address own;
    socklen_t length = sizeof own;
    memset(&own, 0, sizeof own);
    if (getsockname(descriptor, (struct sockaddr *)&own, &length) < 0) return -errno;
    return le16toh(own.psm);
}

int cbluetooth_l2cap_peer(int descriptor, uint8_t *address, int *type) {
    struct l2cap_address other;
    socklen_t length = sizeof other;
    memset(&other, 0, sizeof other);
    if (getpeername(descriptor, (struct sockaddr *)&other, &length) < 0) return -errno;
    reverse(address, other.address);
    *type = other.type;
    return 0;
}

int cbluetooth_l2cap_listen(int descriptor, int backlog) { return result(listen(descriptor, backlog)); }

int cbluetooth_l2cap_set_buffers(int descriptor, int send_bytes, int receive_bytes) {
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes) < 0) return -errno;
    return result(setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes));
}

int cbluetooth_socket_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
    return -error;
}
