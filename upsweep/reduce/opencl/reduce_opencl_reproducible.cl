// The counterpart of reduce_exact.hpp in OpenCL C. It uses only integers: a double is read as its bits, so the device
// need not support doubles. Options: FORMAT_f32 or FORMAT_f64, and GROUP, the size of a work-group.

#if defined(FORMAT_f32)
typedef uint bits_t;
#define MANTISSA 23
#define MAX_EXPONENT 255
#define DIGITS 10
#else
typedef ulong bits_t;
#define MANTISSA 52
#define MAX_EXPONENT 2047
#define DIGITS 68
#endif
#define SIGN_PLACE (8 * (int)sizeof(bits_t) - 1)
#define ONE ((bits_t)1)

#define EXACT_NAN 1u
#define EXACT_PLUS_INFINITY 2u
#define EXACT_MINUS_INFINITY 4u

static uint exact_flag(bits_t b) {
  if ((b & ((ONE << MANTISSA) - 1)) != 0) return EXACT_NAN;
  return (b >> SIGN_PLACE) != 0 ? EXACT_MINUS_INFINITY : EXACT_PLUS_INFINITY;
}

static uint exact_add(local long* digit, int stride, bits_t b) {
  const int exponent = (int)(b >> MANTISSA) & MAX_EXPONENT;
  if (exponent == MAX_EXPONENT) return exact_flag(b);
  const ulong fraction = b & ((ONE << MANTISSA) - 1);
  const ulong m = exponent != 0 ? fraction | 1ul << MANTISSA : fraction;
  const int offset = exponent != 0 ? exponent - 1 : 0, shift = offset & 31;
  const long sign = -(long)(b >> SIGN_PLACE);
  local long* place = digit + (offset >> 5) * stride;
  const ulong above = shift != 0 ? m >> (32 - shift) : m >> 32;
  place[0] += ((long)((m << shift) & 0xffffffffUL) ^ sign) - sign;
  place[stride] += ((long)(above & 0xffffffffUL) ^ sign) - sign;
#if DIGITS == 68
  place[2 * stride] += ((long)(above >> 32) ^ sign) - sign;
#endif
  return 0;
}

static void exact_normalise(local long* digit, int stride) {
  long carry = 0;
  for (int i = 0; i < DIGITS - 1; ++i) {
    const long t = digit[i * stride] + carry;
    digit[i * stride] = t & 0xffffffffL;
    carry = t >> 32;
  }
  digit[(DIGITS - 1) * stride] += carry;
}

static ulong digit_at(local const long* digit, int k) { return k < DIGITS ? (ulong)digit[k] : 0; }

static bits_t exact_round(local long* digit, uint flags) {
  const bits_t infinity = (bits_t)MAX_EXPONENT << MANTISSA, minus = ONE << SIGN_PLACE;
  if ((flags & EXACT_NAN) != 0 || ((flags & EXACT_PLUS_INFINITY) != 0 && (flags & EXACT_MINUS_INFINITY) != 0))
    return infinity | ONE << (MANTISSA - 1);
  if ((flags & EXACT_PLUS_INFINITY) != 0) return infinity;
  if ((flags & EXACT_MINUS_INFINITY) != 0) return infinity | minus;

  exact_normalise(digit, 1);
  const bits_t sign = digit[DIGITS - 1] < 0 ? minus : 0;
  if (sign != 0) {
    for (int i = 0; i < DIGITS; ++i) digit[i] = -digit[i];
    exact_normalise(digit, 1);
  }
  int top = DIGITS - 1;
  while (top > 0 && digit[top] == 0) --top;
  if (digit[top] == 0) return 0;
  if ((digit[top] >> 32) != 0) return sign | infinity;
  int highest = 32 * top;
  for (long d = digit[top]; d > 1; d >>= 1) ++highest;
  if (highest <= MANTISSA) return sign | (bits_t)((ulong)digit[0] | (ulong)digit[1] << 32);

  const int drop = highest - MANTISSA;
  const int word = drop >> 5, s = drop & 31;
  const ulong low = digit_at(digit, word) | digit_at(digit, word + 1) << 32;
  const ulong window = s != 0 ? low >> s | digit_at(digit, word + 2) << (64 - s) : low;
  const ulong mantissa = window & ((2ul << MANTISSA) - 1);
  const int i = (drop - 1) >> 5, below = (drop - 1) & 31;
  int half_bit = (int)(digit[i] >> below) & 1;
  if (half_bit != 0 && (mantissa & 1) == 0) {
    half_bit = (digit[i] & ((1l << below) - 1)) != 0;
    for (int k = 0; k < i && half_bit == 0; ++k) half_bit = digit[k] != 0;
  }
  if (drop + 1 >= MAX_EXPONENT) return sign | infinity;
  return sign | (bits_t)(((ulong)drop << MANTISSA) + mantissa + (ulong)half_bit);
}

// Every work-item adds into a column of its own. The group stores its sum as row `group` of sums, and the flags in the
// last element of the row.
kernel void add_columns(global const bits_t* in, ulong in_at, ulong n, global long* sums, ulong sums_at) {
  local long column[DIGITS * GROUP];
  local uint seen[GROUP];
  const int me = (int)get_local_id(0);
  local long* mine = column + me;
  for (int d = 0; d < DIGITS; ++d) mine[d * GROUP] = 0;

  uint flags = 0;
  const ulong stride = get_global_size(0);
  ulong added = 0;
  for (ulong i = get_global_id(0); i < n; i += stride) {
    flags |= exact_add(mine, GROUP, in[in_at + i]);
    if (++added == 1ul << 30) {
      exact_normalise(mine, GROUP);
      added = 0;
    }
  }
  exact_normalise(mine, GROUP);
  seen[me] = flags;
  barrier(CLK_LOCAL_MEM_FENCE);  // every column and flag is complete

  global long* row = sums + sums_at + get_group_id(0) * (DIGITS + 1);
  for (int d = me; d < DIGITS; d += GROUP) {
    long sum = 0;
    for (int t = 0; t < GROUP; ++t) sum += column[d * GROUP + (t + d) % GROUP];
    row[d] = sum;
  }
  if (me == 0) {
    uint all = 0;
    for (int t = 0; t < GROUP; ++t) all |= seen[t];
    row[DIGITS] = all;
  }
}

// One group adds the rows, stores the total as row `rows`, and its value, after init, in out if there is one.
kernel void add_rows(global long* sums, ulong sums_at, uint rows, uint has_out, bits_t init, global bits_t* out, ulong out_at) {
  local long total[DIGITS + 1];
  const int me = (int)get_local_id(0);
  global long* all = sums + sums_at;
  for (int d = me; d <= DIGITS; d += GROUP) {
    long sum = 0;
    for (uint r = 0; r < rows; ++r) {
      const long x = all[r * (DIGITS + 1) + d];
      sum = d < DIGITS ? sum + x : sum | x;
    }
    total[d] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // the total is complete
  if (me == 0) {
    exact_normalise(total, 1);
    for (int d = 0; d <= DIGITS; ++d) all[rows * (DIGITS + 1) + d] = total[d];
    if (has_out != 0) {
      const uint flags = (uint)total[DIGITS] | exact_add(total, 1, init);
      out[out_at] = exact_round(total, flags);
    }
  }
}
