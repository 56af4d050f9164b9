/* The smallest programs that echo over an LE credit-based L2CAP channel (Core Specification, vol. 3, part A, 10.1).
 *
 *   l2cap listen ADDRESS PSM MESSAGE-BYTES SDU-BYTES
 *   l2cap echo ADDRESS PSM BYTES SDU-BYTES COUNT OWN-ADDRESS
 *
 * `listen` collects MESSAGE-BYTES and sends them back in SDUs of SDU-BYTES. `echo` sends BYTES, receives the echo at
 * the same time, checks every byte, and prints the milliseconds of the connect and of each echo as JSON. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bluez.h"

/* From the kernel's include/net/bluetooth/; not in libc. */
#define AF_BT 31
#define BTPROTO_L2CAP 0
#define SOL_BT 274
#define BT_SECURITY 4
#define BT_RCVMTU 13
#define BDADDR_LE_PUBLIC 1
struct sockaddr_l2 {
    uint16_t family, psm;
    uint8_t address[6];
    uint16_t channel;
    uint8_t address_type;
};

static uint8_t message[MESSAGE_BYTES_LIMIT], answer[MESSAGE_BYTES_LIMIT];

static struct sockaddr_l2 place(const char *text, uint16_t psm)
{
    struct sockaddr_l2 it = {.family = AF_BT, .psm = psm, .address_type = BDADDR_LE_PUBLIC};
    uint8_t *a = it.address;

    if (sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", a + 5, a + 4, a + 3, a + 2, a + 1, a) != 6)
        fail(text, EINVAL);
    return it;
}

static int opened(const char *address, uint16_t psm, uint16_t mtu)
{
    struct sockaddr_l2 it = place(address, psm);
    uint8_t security[2] = {1, 0};
    int fd = socket(AF_BT, SOCK_SEQPACKET, BTPROTO_L2CAP);

    if (fd < 0 || bind(fd, (struct sockaddr *)&it, sizeof(it)))
        fail("socket", errno);
    /* bind makes the socket one for an LE channel, so the options come after bind. */
    if (setsockopt(fd, SOL_BT, BT_RCVMTU, &mtu, sizeof(mtu)) ||
        setsockopt(fd, SOL_BT, BT_SECURITY, security, sizeof(security)))
        fail("socket option", errno);
    return fd;
}

static void put(int fd, const uint8_t *bytes, size_t count, size_t sdu)
{
    for (size_t at = 0; at < count; at += sdu)
        if (send(fd, bytes + at, count - at < sdu ? count - at : sdu, MSG_NOSIGNAL) < 0)
            fail("send", errno);
}

static int take(int fd, uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        ssize_t n = recv(fd, bytes + at, count - at, 0);

        if (n <= 0)
            return 0;
        at += n;
    }
    return 1;
}

static void echo(int fd, size_t bytes, size_t sdu)
{
    size_t sent = 0, taken = 0;

    while (taken < bytes) {
        struct pollfd ready = {fd, POLLIN | (sent < bytes ? POLLOUT : 0), 0};
        ssize_t n;

        if (poll(&ready, 1, 10000) != 1)
            fail("nothing comes back", ETIMEDOUT);
        if (ready.revents & POLLIN) {
            n = recv(fd, answer + taken, bytes - taken, 0);
            if (n <= 0)
                fail("the channel ended", ECONNRESET);
            taken += n;
        } else if (ready.revents & POLLOUT) {
            n = send(fd, message + sent, bytes - sent < sdu ? bytes - sent : sdu, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n < 0 && errno != EAGAIN)
                fail("send", errno);
            sent += n > 0 ? n : 0;
        } else {
            fail("the channel ended", ECONNRESET);
        }
    }
}

int main(int argc, char **argv)
{
    size_t bytes, sdu;
    int fd;

    if (argc < 6)
        fail("usage: l2cap listen|echo ADDRESS PSM MESSAGE-BYTES SDU-BYTES …", EINVAL);
    bytes = number(argv[4]);
    sdu = number(argv[5]);
    if (!strcmp(argv[1], "listen")) {
        int listener = opened(argv[2], number(argv[3]), sdu);

        if (listen(listener, 1))
            fail("listen", errno);
        puts("listening");
        fflush(stdout);
        for (;;) {
            fd = accept(listener, NULL, NULL);
            if (fd < 0)
                fail("accept", errno);
            while (take(fd, message, bytes))
                put(fd, message, bytes, sdu);
            close(fd);
        }
    }
    if (argc != 8)
        fail("usage: l2cap echo ADDRESS PSM MESSAGE-BYTES SDU-BYTES COUNT OWN-ADDRESS", EINVAL);
    struct sockaddr_l2 there = place(argv[2], number(argv[3]));
    double start = milliseconds();

    fd = opened(argv[7], 0, sdu);
    if (connect(fd, (struct sockaddr *)&there, sizeof(there)))
        fail("connect", errno);
    printf("{\"connected\": %.1f, \"echoes\": [", milliseconds() - start);
    for (size_t i = 0; i < bytes; i++)
        message[i] = i * 7 + i / 256;
    for (size_t i = 0, count = number(argv[6]); i < count; i++) {
        start = milliseconds();
        echo(fd, bytes, sdu);
        if (memcmp(message, answer, bytes))
            fail("the echo differs", EBADMSG);
        printf("%s%.2f", i ? ", " : "", milliseconds() - start);
    }
    puts("]}");
    return 0;
}
