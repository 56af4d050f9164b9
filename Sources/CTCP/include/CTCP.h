#pragma once
// TCP sockets of Linux over IPv4 and IPv6, non-blocking, close-on-exec. Every function returns zero or more, or the
// negative errno, so callers never read errno. An address is 4 or 16 bytes, highest first.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CTCP_ADDRESS_BYTES = 16, CTCP_TEXT_BYTES = 46 };

// Parses a numeric address. Returns its length, 4 or 16 bytes, or 0 if `text` is not valid.
int ctcp_parse(const char *text, uint8_t *address);
// Writes the numeric address as text, at most CTCP_TEXT_BYTES with the closing zero.
int ctcp_format(const uint8_t *address, int count, char *text);

int ctcp_socket(int address_count);
// Sets TCP_NODELAY, keep-alive, and how long sent data may stay unacknowledged before the connection ends.
int ctcp_prepare(int descriptor, int user_timeout_milliseconds);
int ctcp_connect(int descriptor, const uint8_t *address, int count, uint16_t port);
// Binds with SO_REUSEADDR, an IPv6 socket for IPv6 only, and listens.
int ctcp_listen(int descriptor, const uint8_t *address, int count, uint16_t port, int backlog);
// Gets address and port of the peer (`is_peer` 1) or of our side. Returns the length of the address.
int ctcp_name(int descriptor, int is_peer, uint8_t *address, uint16_t *port);
// Returns the negative error of the connection attempt, or 0 if there is none.
int ctcp_error(int descriptor);
ssize_t ctcp_receive(int descriptor, void *bytes, size_t limit);
ssize_t ctcp_send(int descriptor, const void *bytes, size_t count);
// Tells the peer that we send nothing more.
int ctcp_end_sending(int descriptor);
