#pragma once
// Bluetooth sockets of Linux, whose addresses Swift's Glibc module does not know. Every function returns a value of zero
// or more, or the negative errno: no caller has to read errno.
#include <stdint.h>

// L2CAP channels of Bluetooth LE with credits: SOCK_SEQPACKET sockets of AF_BLUETOOTH, non-blocking, close-on-exec. An
// address is 6 bytes in the order in which it is printed; its type is 1 (public) or 2 (random). All zeros is any.
enum { CBLUETOOTH_ADDRESS_BYTES = 6 };
int cbluetooth_l2cap(void);
// PSM 0 asks for one that is free.
int cbluetooth_l2cap_bind(int descriptor, const uint8_t *address, int type, uint16_t psm);
int cbluetooth_l2cap_connect(int descriptor, const uint8_t *address, int type, uint16_t psm);
// After binding: the longest SDU that is received, and the security level of bluetooth.h, 1 (none) to 4.
int cbluetooth_l2cap_prepare(int descriptor, int receive_mtu, int security);
int cbluetooth_l2cap_send_mtu(int descriptor);
int cbluetooth_l2cap_psm(int descriptor);
int cbluetooth_l2cap_peer(int descriptor, uint8_t *address, int *type);
int cbluetooth_l2cap_listen(int descriptor, int backlog);
int cbluetooth_l2cap_set_buffers(int descriptor, int send_bytes, int receive_bytes);
// The error that a connection attempt, or the link, has come to; 0: none.
int cbluetooth_socket_error(int descriptor);

// A raw HCI socket of an adapter, hci0 being 0, that hears nothing but answers to Read RSSI; non-blocking.
int cbluetooth_hci_open(int adapter);
// Asks for the signal of the LE connection with an address, and returns the connection's handle.
int cbluetooth_hci_ask_signal(int descriptor, const uint8_t *address);
// Takes one event: 1, and the signal in dBm (127: the controller does not know), when it is the answer for `handle`; 0
// when it is another.
int cbluetooth_hci_read_signal(int descriptor, int handle, int *dbm);
// The addresses of the machine's adapters, 6 bytes each, of at most `limit`; how many there are.
int cbluetooth_hci_addresses(uint8_t *addresses, int limit);
