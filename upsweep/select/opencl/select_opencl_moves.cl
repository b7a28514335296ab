// One item an element, or a few neighbours: the moves after a selection. The host defines WORD, INDEX and LANES.

// Computes the lengths of `count` runs among n elements from their starts.
kernel void lengths_of(global const ulong* starts, ulong starts_at, global const ulong* count, ulong count_at, global ulong* lengths, ulong lengths_at,
                       ulong n) {
  const ulong i = get_global_id(0), runs = count[count_at];
  starts += starts_at;
  if (i < runs) lengths[lengths_at + i] = (i + 1 < runs ? starts[i + 1] : n) - starts[i];
}

// `ends` are the lengths' inclusive sums: element i belongs to the first run that ends behind it. An item has EXPANDED
// neighbours.
#define EXPANDED 8
kernel void expand(global const WORD* in, ulong in_at, global const ulong* ends, ulong ends_at, global WORD* out, ulong out_at, ulong n, ulong m) {
  const ulong first = get_global_id(0) * EXPANDED, last = min(first + EXPANDED, m);
  if (first >= last) return;
  ends += ends_at;
  ulong low = 0, high = n;
  while (low < high) {
    const ulong middle = (low + high) / 2;
    if (ends[middle] <= first) low = middle + 1; else high = middle;
  }
  for (ulong i = first; i < last; ++i) {
    while (low + 1 < n && ends[low] <= i) ++low;
    out[out_at + i] = in[in_at + low];
  }
}

// out[places[p] + k] = in[starts[p] + k] for piece p; `following`: the pieces follow each other in out.
kernel void batched_copy(global const WORD* in, ulong in_at, global const ulong* starts, ulong starts_at, global const ulong* lengths,
                        ulong lengths_at, global const ulong* ends, ulong ends_at, global const ulong* places, ulong places_at, uint following,
                        global WORD* out, ulong out_at, ulong n, ulong m) {
  ends += ends_at;
  const ulong first = get_global_id(0) * EXPANDED, last = min(min(first + EXPANDED, m), ends[n - 1]);
  if (first >= last) return;
  ulong low = 0, high = n;
  while (low < high) {
    const ulong middle = (low + high) / 2;
    if (ends[middle] <= first) low = middle + 1; else high = middle;
  }
  for (ulong i = first; i < last; ++i) {
    while (ends[low] <= i) ++low;
    const ulong begin = ends[low] - lengths[lengths_at + low];
    out[out_at + (following ? i : places[places_at + low] + (i - begin))] = in[in_at + starts[starts_at + low] + (i - begin)];
  }
}

kernel void gather(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + i] = in[in_at + index[index_at + i]];
}

kernel void gather_if(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global const uchar* flags, ulong flags_at,
                      global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n && flags[flags_at + i]) out[out_at + i] = in[in_at + index[index_at + i]];
}

kernel void scatter(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n) out[out_at + index[index_at + i]] = in[in_at + i];
}

kernel void scatter_if(global const WORD* in, ulong in_at, global const INDEX* index, ulong index_at, global const uchar* flags, ulong flags_at,
                       global WORD* out, ulong out_at, ulong n) {
  const ulong i = get_global_id(0);
  if (i < n && flags[flags_at + i]) out[out_at + index[index_at + i]] = in[in_at + i];
}
