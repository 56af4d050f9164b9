#pragma once
// Bluetooth sockets of Linux, whose address types Swift's Glibc module lacks. Every function returns zero or more, or
// the negative errno, so callers never read errno.
#include <stdint.h>

// L2CAP channels of Bluetooth LE with credits: SOCK_SEQPACKET sockets of AF_BLUETOOTH, non-blocking, close-on-exec. An
// address is 6 bytes in printed order, of type 1 (public) or 2 (random). All zeros is any address.
enum { CBLUETOOTH_ADDRESS_BYTES = 6 };
int cbluetooth_l2cap(void);
// PSM 0 asks the kernel for a free one.
int cbluetooth_l2cap_bind(int descriptor, const uint8_t *address, int type, uint16_t psm);
int cbluetooth_l2cap_connect(int descriptor, const uint8_t *address, int type, uint16_t psm);
// Call this after bind. Sets the longest SDU received, and the security level of bluetooth.h, from 1 (none) to 4.
int cbluetooth_l2cap_prepare(int descriptor, int receive_mtu, int security);
int cbluetooth_l2cap_send_mtu(int descriptor);
int cbluetooth_l2cap_psm(int descriptor);
int cbluetooth_l2cap_peer(int descriptor, uint8_t *address, int *type);
int cbluetooth_l2cap_listen(int descriptor, int backlog);
int cbluetooth_l2cap_set_buffers(int descriptor, int send_bytes, int receive_bytes);
// Returns the negative error of the connection attempt or the link, or 0 if there is none.
int cbluetooth_socket_error(int descriptor);

// Opens a non-blocking raw HCI socket of an adapter (0 is hci0) that receives only answers to Read RSSI.
int cbluetooth_hci_open(int adapter);
// Requests the signal of the LE connection with an address. Returns the connection's handle.
int cbluetooth_hci_ask_signal(int descriptor, const uint8_t *address);
// Reads one event. If it is the answer for `handle`, returns 1 and the signal in dBm, where 127 means unknown. Returns
// 0 for any other event.
int cbluetooth_hci_read_signal(int descriptor, int handle, int *dbm);
// Writes the addresses of at most `limit` adapters, 6 bytes each. Returns their number.
int cbluetooth_hci_addresses(uint8_t *addresses, int limit);
