// Classes of elements by user-defined predicates or an equality, one byte an element. The source before this file
// defines
//   T                     the elements' type
//   first, second         predicates of an element; SECOND where there are two
//   same                  whether two elements are equal; EQUALITY, and there are no predicates
// Each element is evaluated once: counting and moving then read the classes.

#ifdef EQUALITY

// firsts[i] = `first` where a run begins, `rest` elsewhere.
kernel void note_runs(global const T* in, ulong in_at, global uchar* firsts, ulong firsts_at, ulong n, uint first, uint rest) {
  const ulong i = get_global_id(0);
  in += in_at;
  if (i < n) firsts[firsts_at + i] = i == 0 || !same(in[i - 1], in[i]) ? first : rest;
}

#else

// classes[i] = `passing`, or `failing`; of two tests 0, 1 or 2.
kernel void note_classes(global const T* in, ulong in_at, global uchar* classes, ulong classes_at, ulong n, uint passing, uint failing) {
  const ulong i = get_global_id(0);
  if (i >= n) return;
  const T x = in[in_at + i];
#ifdef SECOND
  classes[classes_at + i] = first(x) ? 0 : second(x) ? 1 : 2;
#else
  classes[classes_at + i] = first(x) ? passing : failing;
#endif
}

#endif
