// Elements of any built-in type as words of their width, for kernels that apply no operator. The host defines
// WORD_BITS and ORDER, 0 for unsigned integers, 1 for signed ones, 2 for floats. No device needs arithmetic in a type
// to order or to move its elements.

#if WORD_BITS == 8
typedef uchar WORD;
#define INFINITY_BITS 0xff
#elif WORD_BITS == 16
typedef ushort WORD;
#define INFINITY_BITS 0x7c00
#elif WORD_BITS == 32
typedef uint WORD;
#define INFINITY_BITS 0x7f800000u
#else
typedef ulong WORD;
#define INFINITY_BITS 0x7ff0000000000000ul
#endif
// The position of element i of a tile in local memory. A gap after every 128 bytes puts neighbours a power of two
// apart into different banks.
#define SPACED(i) ((i) + ((i) >> (WORD_BITS == 64 ? 4 : 5)))
#define TOP_BIT ((WORD)((WORD)1 << (WORD_BITS - 1)))
#define ALL_BITS ((WORD)~(WORD)0)

// Corresponds to sort/sort_order.hpp: images order like their elements. Both zeros have one image; every NaN's is all
// ones.
static inline WORD image(WORD bits) {
#if ORDER == 0
  return bits;
#elif ORDER == 1
  return (WORD)(bits ^ TOP_BIT);
#else
  const WORD magnitude = (WORD)(bits & (WORD)~TOP_BIT);
  const WORD ordered = bits & TOP_BIT ? (WORD)(TOP_BIT - magnitude) : (WORD)(TOP_BIT + magnitude);
  return magnitude > INFINITY_BITS ? ALL_BITS : ordered;
#endif
}

// Equality as by ==.
static inline bool equal(WORD a, WORD b) {
#if ORDER == 2
  return image(a) == image(b) && image(a) != ALL_BITS;
#else
  return a == b;
#endif
}
