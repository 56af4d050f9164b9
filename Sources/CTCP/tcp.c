// Sockets of tcp(7), ip(7) and ipv6(7).
#define _GNU_SOURCE
#include "CTCP.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

// A signed status arrives each minute, so keep-alive probes are sent only on silent connections.
enum { KEEPALIVE_IDLE_SECONDS = 120, KEEPALIVE_INTERVAL_SECONDS = 10, IPV4_BYTES = 4 };

union name {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
};

static int result(int value) { return value < 0 ? -errno : value; }

static socklen_t name(union name *made, const uint8_t *address, int count, uint16_t port) {
    memset(made, 0, sizeof *made);
    if (count == IPV4_BYTES) {
        made->ipv4.sin_family = AF_INET;
        made->ipv4.sin_port = htons(port);
        memcpy(&made->ipv4.sin_addr, address, IPV4_BYTES);
        return sizeof made->ipv4;
    }
    made->ipv6.sin6_family = AF_INET6;
    made->ipv6.sin6_port = htons(port);
    memcpy(&made->ipv6.sin6_addr, address, CTCP_ADDRESS_BYTES);
    return sizeof made->ipv6;
}

int ctcp_parse(const char *text, uint8_t *address) {
    if (inet_pton(AF_INET, text, address) == 1) return IPV4_BYTES;
    return inet_pton(AF_INET6, text, address) == 1 ? CTCP_ADDRESS_BYTES : 0;
}

int ctcp_format(const uint8_t *address, int count, char *text) {
    int family = count == IPV4_BYTES ? AF_INET : AF_INET6;
    return inet_ntop(family, address, text, CTCP_TEXT_BYTES) == NULL ? -errno : 0;
}

int ctcp_socket(int address_count) {
    int family = address_count == IPV4_BYTES ? AF_INET : AF_INET6;
    return result(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
}

static int set(int descriptor, int level, int option, int value) {
    return result(setsockopt(descriptor, level, option, &value, sizeof value));
}

int ctcp_prepare(int descriptor, int user_timeout_milliseconds) {
    int failure = set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    if (failure == 0) failure = set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (failure == 0) failure = set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
    if (failure == 0) failure = set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
    if (failure == 0) failure = set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_milliseconds);
    return failure;
}

int ctcp_connect(int descriptor, const uint8_t *address, int count, uint16_t port) {
    union name other;
    socklen_t length = name(&other, address, count, port);
    return result(connect(descriptor, &other.any, length));
}

int ctcp_listen(int descriptor, const uint8_t *address, int count, uint16_t port, int backlog) {
    union name own;
    socklen_t length = name(&own, address, count, port);
    int failure = set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
    // A socket for both versions would show an IPv4 box under a second address, such as ::ffff:192.0.2.1.
    if (failure == 0 && count != IPV4_BYTES) failure = set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (failure == 0) failure = result(bind(descriptor, &own.any, length));
    return failure < 0 ? failure : result(listen(descriptor, backlog));
}

int ctcp_name(int descriptor, int is_peer, uint8_t *address, uint16_t *port) {
    union name found;
    socklen_t length = sizeof found;
    memset(&found, 0, sizeof found);
    int failure = is_peer ? getpeername(descriptor, &found.any, &length) : getsockname(descriptor, &found.any, &length);
    if (failure < 0) return -errno;
    if (found.any.sa_family == AF_INET) {
        memcpy(address, &found.ipv4.sin_addr, IPV4_BYTES);
        *port = ntohs(found.ipv4.sin_port);
        return IPV4_BYTES;
    }
    if (found.any.sa_family != AF_INET6) return -EAFNOSUPPORT;
    memcpy(address, &found.ipv6.sin6_addr, CTCP_ADDRESS_BYTES);
    *port = ntohs(found.ipv6.sin6_port);
    return CTCP_ADDRESS_BYTES;
}

int ctcp_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
    return -error;
}

ssize_t ctcp_receive(int descriptor, void *bytes, size_t limit) {
    ssize_t count;
    do count = recv(descriptor, bytes, limit, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

ssize_t ctcp_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do sent = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int ctcp_end_sending(int descriptor) { return result(shutdown(descriptor, SHUT_WR)); }
