/* Included before every file of libsodium. */
#pragma once
struct randombytes_implementation;
extern struct randombytes_implementation host_random;
