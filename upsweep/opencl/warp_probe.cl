// All functions of opencl/warp.cl in one kernel, which is built to test whether the driver accepts them.
kernel void warp_probe(global uint* out, ulong at, global ulong* words, ulong words_at) {
  uint x = (uint)get_local_id(0);
  warp_barrier();
  device_fence();
  const uint2 two = load_two_words(out);
  x ^= lanes_below() + lanes_with_digit(x) + (all_of_warp(x < 7) ? 1 : 0) + shuffled(x, 3) + two.x + two.y;
  store_two_words(words + words_at, load_long_word(words), x);
  store_long_word(words, x);
  store_word(out, x);
  out[at + get_global_id(0)] = warp_sum(x) + warp_sum_to(x) + (uint)long_warp_sum_to(x);
}
