/* What the static library of GCC's C++ expects of a newer C library than the one a wheel is linked against. */
#include <stdint.h>
#include <sys/random.h>

#pragma GCC visibility push(hidden)

/* From 2.32: whether there is one thread only. To deny it is always right, and costs an atomic operation. */
char __libc_single_threaded = 0;

/* From 2.36, for std::random_device. */
uint32_t arc4random(void) {
    uint32_t number;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {
    }
    return number;
}
