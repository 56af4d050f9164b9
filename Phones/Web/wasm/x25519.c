/* X25519 with one way of multiplying. libsodium makes public keys by a table of multiples of Ed25519's base point, 30 KB that no
   compression makes smaller. A public key is X25519(private key, 9) as well (RFC 7748, section 6.1), by the ladder that a handshake
   needs anyway; both take the same time for every key. */
#define crypto_scalarmult_curve25519_ref10_implementation libsodium_implementation
#include "crypto_scalarmult/curve25519/ref10/x25519_ref10.c"
#undef crypto_scalarmult_curve25519_ref10_implementation

static int public_key(unsigned char *q, const unsigned char *n) {
    static const unsigned char base[crypto_scalarmult_curve25519_BYTES] = {9};
    return crypto_scalarmult_curve25519_ref10(q, n, base);
}

/* What libsodium's scalarmult_curve25519.c calls. */
struct crypto_scalarmult_curve25519_implementation crypto_scalarmult_curve25519_ref10_implementation = {
    .mult = crypto_scalarmult_curve25519_ref10, .mult_base = public_key};
