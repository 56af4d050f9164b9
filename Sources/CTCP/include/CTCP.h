#pragma once
// TCP sockets of Linux over IPv4 and IPv6, non-blocking, close-on-exec. Every function returns a value of zero or more, or the
// negative errno: no caller has to read errno. An address is 4 or 16 bytes, highest first.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CTCP_ADDRESS_BYTES = 16, CTCP_TEXT_BYTES = 46 };

// The bytes of a numeric address: 4 or 16, or 0 where `text` is none.
int ctcp_parse(const char *text, uint8_t *address);
// The numeric address as text, at most CTCP_TEXT_BYTES with the zero at its end.
int ctcp_format(const uint8_t *address, int count, char *text);

int ctcp_socket(int address_count);
// TCP_NODELAY, keep-alive, and the end of the connection when what was sent is not acknowledged for so long.
int ctcp_prepare(int descriptor, int user_timeout_milliseconds);
int ctcp_connect(int descriptor, const uint8_t *address, int count, uint16_t port);
// Binds with SO_REUSEADDR, and an IPv6 socket for IPv6 only; then listens.
int ctcp_listen(int descriptor, const uint8_t *address, int count, uint16_t port, int backlog);
// Of the other end (`is_peer` 1) or of ours: the count of the address's bytes.
int ctcp_name(int descriptor, int is_peer, uint8_t *address, uint16_t *port);
// The error that a connection attempt has come to; 0: none.
int ctcp_error(int descriptor);
ssize_t ctcp_receive(int descriptor, void *bytes, size_t limit);
ssize_t ctcp_send(int descriptor, const void *bytes, size_t count);
// Tells the peer that nothing more is sent.
int ctcp_end_sending(int descriptor);
