/* philox.h: Philox 4x32-10, the counter-based generator of Salmon and others (SC 2011): 128 random bits as a
   function of a counter and a key, computed in 32-bit words, which every device has. C11 and OpenCL C. */
#ifndef STREW_PHILOX_H
#define STREW_PHILOX_H

#ifndef __OPENCL_VERSION__
#include <stdint.h>
#endif

struct philox {
  uint32_t words[4];
};

static inline struct philox philox(struct philox counter, uint32_t key0, uint32_t key1) {
  uint32_t a = counter.words[0], b = counter.words[1], c = counter.words[2], d = counter.words[3];
  for (int round = 0; round < 10; round++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u) {
    uint64_t left = (uint64_t)a * 0xd2511f53u, right = (uint64_t)c * 0xcd9e8d57u;
    a = (uint32_t)(right >> 32) ^ b ^ key0;
    c = (uint32_t)(left >> 32) ^ d ^ key1;
    b = (uint32_t)right;
    d = (uint32_t)left;
  }
  return (struct philox){{a, b, c, d}};
}

/* Block number `block` in the stream of a seed. */
static inline struct philox philox_block(uint64_t seed, uint64_t block) {
  struct philox counter = {{(uint32_t)block, (uint32_t)(block >> 32), 0, 0}};
  return philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

#endif
