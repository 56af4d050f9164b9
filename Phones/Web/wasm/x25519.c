/* X25519 with one way of multiplying. libsodium makes public keys with a table of multiples of Ed25519's base point: 30
   KB that do not compress. A public key is also X25519(private key, 9) (RFC 7748, section 6.1), by the ladder that a
   handshake needs anyway. Both multiplications take the same time for every key. */
#define crypto_scalarmult_curve25519_ref10_implementation libsodium_implementation
#include "crypto_scalarmult/curve25519/ref10/x25519_ref10.c"
#undef crypto_scalarmult_curve25519_ref10_implementation

static int public_key(unsigned char *q, const unsigned char *n) {
    static const unsigned char base[crypto_scalarmult_curve25519_BYTES] = {9};
    return crypto_scalarmult_curve25519_ref10(q, n, base);
}

/* Called by libsodium's scalarmult_curve25519.c. */
struct crypto_scalarmult_curve25519_implementation crypto_scalarmult_curve25519_ref10_implementation = {
    .mult = crypto_scalarmult_curve25519_ref10, .mult_base = public_key};
