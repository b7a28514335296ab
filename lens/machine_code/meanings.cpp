// The effect of each instruction on the lane that executes it.
#include <algorithm>
#include <functional>
#include <set>

#include "lens/machine_code/lane.hpp"
#include "upsweep/half.hpp"

namespace upsweep::lens::machine_code {

namespace {

// The operands behind the first register written and the predicates that follow it.
std::size_t sources_of(const instruction& i) {
  std::size_t k = 1;
  while (k < i.with.size() && is_truth(i.with[k])) ++k;
  return k;
}

template <class T>
bool compares(const std::string& how, T a, T b) {
  const bool unordered = a != a || b != b;
  if (how == "NEU") return a != b;
  if (how.size() == 3 && how.back() == 'U') return unordered || compares<T>(how.substr(0, 2), a, b);
  if (how == "EQ") return a == b;
  if (how == "NE") return !unordered && a != b;
  if (how == "LT") return a < b;
  if (how == "LE") return a <= b;
  if (how == "GT") return a > b;
  if (how == "GE") return a >= b;
  throw std::runtime_error("comparison " + how);
}

// The result goes out with the other predicate, and its opposite with that as well.
void tell(lane_of& l, const instruction& i, bool found) {
  const bool other = l.truth(i.with[4]);
  const auto joined = [&](bool v) { return i.has("OR") ? v || other : i.has("XOR") ? v != other : v && other; };
  l.set_truth(i.with[0], joined(found)), l.set_truth(i.with[1], joined(!found));
}

void isetp(lane_of& l, const instruction& i) {
  const std::uint32_t a = l.word(i.with[2]), b = l.word(i.with[3]);
  const std::string& how = i.forms[0];
  const bool plain = i.has("U32"), lower = i.has("EX") && l.truth(i.with[5]);
  bool found;
  if (!i.has("EX")) {
    found = plain ? compares(how, a, b) : compares(how, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  } else if (how == "EQ") {
    found = a == b && lower;
  } else if (how == "NE") {
    found = a != b || lower;
  } else {  // of the upper words; where they are equal the lower ones decide
    const std::string strictly = how.substr(0, 1) + "T";
    found = (plain ? compares(strictly, a, b)
                   : compares(strictly, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b))) ||
            (a == b && lower);
  }
  tell(l, i, found);
}

void iadd3(lane_of& l, const instruction& i) {
  const std::size_t k = sources_of(i);
  std::uint64_t sum = l.addend(i.with[k]) + l.addend(i.with[k + 1]) + l.addend(i.with[k + 2]);
  for (std::size_t carry = k + 3; i.has("X") && carry < i.with.size(); ++carry) sum += l.truth(i.with[carry]);
  l.set(i.with[0], static_cast<std::uint32_t>(sum));
  for (std::size_t out = 1; out < k; ++out) l.set_truth(i.with[out], (sum >> 32) >= out);
}

void viadd(lane_of& l, const instruction& i) { l.set(i.with[0], l.word(i.with[1]) + l.word(i.with[2])); }

void imad(lane_of& l, const instruction& i) {
  const std::size_t k = sources_of(i);
  const std::uint32_t a = l.word(i.with[k]), b = l.word(i.with[k + 1]);
  const std::uint64_t product =
      i.has("U32")
          ? std::uint64_t{a} * b
          : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b));
  const std::uint64_t carried = i.has("X") && k + 3 < i.with.size() && l.truth(i.with[k + 3]);
  if (i.has("WIDE")) {
    const unsigned __int128 sum = static_cast<unsigned __int128>(product) + l.pair(i.with[k + 2]) + carried;
    l.set_pair(i.with[0], static_cast<std::uint64_t>(sum));
    if (k > 1) l.set_truth(i.with[1], (sum >> 64) != 0);
  } else if (i.has("HI")) {
    l.set(i.with[0], static_cast<std::uint32_t>((product + l.pair(i.with[k + 2])) >> 32));
  } else {
    l.set(i.with[0], static_cast<std::uint32_t>(product) + l.word(i.with[k + 2]) + static_cast<std::uint32_t>(carried));
  }
}

void lea(lane_of& l, const instruction& i) {
  const std::size_t k = sources_of(i);
  const std::uint32_t a = l.word(i.with[k]);
  std::uint64_t sum;
  if (i.has("HI")) {
    const std::uint64_t both = a | std::uint64_t{l.word(i.with[k + 2])} << 32;
    sum = static_cast<std::uint32_t>((both << i.with[k + 3].value) >> 32) + l.addend(i.with[k + 1]);
    if (i.has("X")) sum += l.truth(i.with[k + 4]);
  } else {
    sum = static_cast<std::uint32_t>(a << i.with[k + 2].value) + l.addend(i.with[k + 1]);
  }
  l.set(i.with[0], static_cast<std::uint32_t>(sum));
  if (k > 1) l.set_truth(i.with[1], (sum >> 32) != 0);
}

void shf(lane_of& l, const instruction& i) {
  const std::uint64_t both = l.word(i.with[1]) | std::uint64_t{l.word(i.with[3])} << 32;
  const bool of_64 = i.has("U64") || i.has("S64");
  std::uint32_t by = l.word(i.with[2]);
  by = i.has("W") ? by & (of_64 ? 63 : 31) : std::min(by, of_64 ? 64u : 32u);
  if (i.has("S32") || i.has("S64")) refuse(i, "not known with a sign");
  const auto left = [&] { return by >= 64 ? 0 : both << by; };
  const auto right = [&] { return by >= 64 ? 0 : both >> by; };
  std::uint32_t v;
  if (i.has("L")) {
    v = static_cast<std::uint32_t>(i.has("HI") ? left() >> 32 : left());
  } else if (i.has("HI")) {
    v = by >= 32 ? 0 : static_cast<std::uint32_t>(both >> 32) >> by;
  } else {
    v = static_cast<std::uint32_t>(right());
  }
  l.set(i.with[0], v);
}

std::uint32_t looked_up(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t v = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1) v |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return v;
}

void lop3(lane_of& l, const instruction& i) {
  const std::size_t at = is_truth(i.with[0]) ? 1 : 0;
  const std::uint32_t v = looked_up(l.word(i.with[at + 1]), l.word(i.with[at + 2]), l.word(i.with[at + 3]),
                                    static_cast<std::uint32_t>(i.with[at + 4].value));
  l.set(i.with[at], v);
  if (at) l.set_truth(i.with[0], v != 0 || l.truth(i.with[at + 5]));
}

void plop3(lane_of& l, const instruction& i) {
  const auto of = [&](std::size_t table) {
    const auto v = [&](std::size_t k) { return l.truth(i.with[k]) ? ~0u : 0u; };
    return (looked_up(v(2), v(3), v(4), static_cast<std::uint32_t>(i.with[table].value)) & 1) != 0;
  };
  const bool first = of(5), second = of(6);
  l.set_truth(i.with[0], first), l.set_truth(i.with[1], second);
}

void prmt(lane_of& l, const instruction& i) {
  const std::uint64_t both = l.word(i.with[1]) | std::uint64_t{l.word(i.with[3])} << 32;
  const std::uint32_t which = l.word(i.with[2]);
  std::uint32_t v = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    const unsigned from = which >> 4 * byte & 15;
    std::uint32_t x = both >> 8 * (from & 7) & 255;
    if (from & 8) x = x & 128 ? 255 : 0;
    v |= x << 8 * byte;
  }
  l.set(i.with[0], v);
}

void mov(lane_of& l, const instruction& i) { l.set(i.with[0], l.word(i.with[1])); }
void cs2r(lane_of& l, const instruction& i) {
  if (i.with[1].name != "SRZ") refuse(i, "not known");
  l.set_pair(i.with[0], 0);
}
void sel(lane_of& l, const instruction& i) {
  l.set(i.with[0], l.truth(i.with[3]) ? l.word(i.with[1]) : l.word(i.with[2]));
}
void fsel(lane_of& l, const instruction& i) {
  l.set(i.with[0], std::bit_cast<std::uint32_t>(l.truth(i.with[3]) ? l.f32(i.with[1]) : l.f32(i.with[2])));
}
void popc(lane_of& l, const instruction& i) {
  l.set(i.with[0], static_cast<std::uint32_t>(std::popcount(l.word(i.with[1]))));
}
void flo(lane_of& l, const instruction& i) {
  const std::uint32_t v = l.word(i.with[1]);
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(v));
  l.set(i.with[0], v == 0 ? ~0u : i.has("SH") ? zeros : 31 - zeros);
}
void brev(lane_of& l, const instruction& i) {
  std::uint32_t v = l.word(i.with[1]), back = 0;
  for (unsigned bit = 0; bit < 32; ++bit) back = back << 1 | (v >> bit & 1);
  l.set(i.with[0], back);
}
void vimnmx(lane_of& l, const instruction& i) {
  const std::uint32_t a = l.word(i.with[1]), b = l.word(i.with[2]);
  const bool smaller = i.has("U32") ? a < b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  l.set(i.with[0], l.truth(i.with[3]) == smaller ? a : b);
}
void viaddmnmx(lane_of& l, const instruction& i) {
  const std::uint32_t a = l.word(i.with[1]) + l.word(i.with[2]), b = l.word(i.with[3]);
  const bool smaller = i.has("U32") ? a < b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  l.set(i.with[0], l.truth(i.with[4]) == smaller ? a : b);
}
void p2r(lane_of& l, const instruction& i) {
  std::uint32_t bits = 0;
  for (unsigned k = 0; k < 7; ++k) bits |= (l.w.p[k] >> l.lane & 1) << k;
  const std::uint32_t mask = l.word(i.with[3]);
  l.set(i.with[0], (l.word(i.with[2]) & ~mask) | (bits & mask));
}
void s2r(lane_of& l, const instruction& i) {
  const std::string& name = i.with[1].name;
  std::uint32_t v = 0;
  if (name == "SR_TID.X")
    v = l.w.first_thread + l.lane;
  else if (name == "SR_CTAID.X")
    v = static_cast<std::uint32_t>(l.b.number);
  else if (name == "SR_LANEID")
    v = l.lane;
  else if (name == "SR_LTMASK")
    v = (1u << l.lane) - 1;
  else if (name != "SR_CgaCtaId" && name != "SR_CTAID.Y" && name != "SR_TID.Y")
    refuse(i, "not known");
  l.set(i.with[0], v);
}
void ldc(lane_of& l, const instruction& i) {
  if (i.has("64")) return l.set_pair(i.with[0], l.pair(i.with[1]));
  const std::uint32_t v = l.raw(i.with[1]);
  l.set(i.with[0], i.has("U8") ? v & 255 : v);
}
void hfma2(lane_of& l, const instruction& i) {  // used for a constant alone
  if (i.with[1].index != no_register || i.with[2].index != no_register) refuse(i, "not known but as a constant");
  const auto bits = [](const operand& o) { return std::uint32_t{half(static_cast<float>(o.real)).bits}; };
  l.set(i.with[0], bits(i.with[3]) << 16 | bits(i.with[4]));
}

void put(lane_of& l, const operand& o, float v) { l.set(o, std::bit_cast<std::uint32_t>(v)); }
void put(lane_of& l, const operand& o, double v) { l.set_pair(o, std::bit_cast<std::uint64_t>(v)); }
void fadd(lane_of& l, const instruction& i) { put(l, i.with[0], l.f32(i.with[1]) + l.f32(i.with[2])); }
void fmul(lane_of& l, const instruction& i) { put(l, i.with[0], l.f32(i.with[1]) * l.f32(i.with[2])); }
void ffma(lane_of& l, const instruction& i) {
  put(l, i.with[0], std::fma(l.f32(i.with[1]), l.f32(i.with[2]), l.f32(i.with[3])));
}
void dadd(lane_of& l, const instruction& i) { put(l, i.with[0], l.f64(i.with[1]) + l.f64(i.with[2])); }
void dmul(lane_of& l, const instruction& i) { put(l, i.with[0], l.f64(i.with[1]) * l.f64(i.with[2])); }
void dfma(lane_of& l, const instruction& i) {
  put(l, i.with[0], std::fma(l.f64(i.with[1]), l.f64(i.with[2]), l.f64(i.with[3])));
}
void fsetp(lane_of& l, const instruction& i) { tell(l, i, compares(i.forms[0], l.f32(i.with[2]), l.f32(i.with[3]))); }
void dsetp(lane_of& l, const instruction& i) { tell(l, i, compares(i.forms[0], l.f64(i.with[2]), l.f64(i.with[3]))); }
// The hardware's approximations differ from these by a bit or two; the instructions after them correct that.
void mufu(lane_of& l, const instruction& i) {
  if (i.has("RSQ64H")) {
    const double x = std::bit_cast<double>(std::uint64_t{l.raw(i.with[1])} << 32);
    return l.set(i.with[0], static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(1 / std::sqrt(x)) >> 32));
  }
  if (i.has("RCP")) return put(l, i.with[0], 1 / l.f32(i.with[1]));
  if (i.has("RSQ")) return put(l, i.with[0], 1 / std::sqrt(l.f32(i.with[1])));
  refuse(i, "not known");
}
void f2i(lane_of& l, const instruction& i) {
  const float x = l.f32(i.with[1]);
  if (i.has("U64")) {
    l.set_pair(i.with[0], !(x > 0) ? 0 : x >= 0x1p64f ? ~std::uint64_t{0} : static_cast<std::uint64_t>(x));
  } else {
    l.set(i.with[0], !(x > 0) ? 0 : x >= 0x1p32f ? ~0u : static_cast<std::uint32_t>(x));
  }
}
void i2f(lane_of& l, const instruction& i) {
  const std::uint64_t v = i.has("U64") ? l.pair(i.with[1]) : l.word(i.with[1]);
  float x = static_cast<float>(v);
  if (i.has("RP") && (x < 0x1p64f && static_cast<std::uint64_t>(x) < v)) x = std::nextafter(x, INFINITY);
  put(l, i.with[0], x);
}

const std::map<std::string, meaning, std::less<>>& meanings() {
  static const std::map<std::string, meaning, std::less<>> all{
      {"ISETP", isetp}, {"IADD3", iadd3}, {"VIADD", viadd},   {"IMAD", imad},
      {"LEA", lea},     {"SHF", shf},     {"LOP3", lop3},     {"PLOP3", plop3},
      {"PRMT", prmt},   {"MOV", mov},     {"CS2R", cs2r},     {"SEL", sel},
      {"FSEL", fsel},   {"POPC", popc},   {"FLO", flo},       {"BREV", brev},
      {"P2R", p2r},     {"S2R", s2r},     {"S2UR", s2r},      {"LDC", ldc},
      {"HFMA2", hfma2}, {"FADD", fadd},   {"FMUL", fmul},     {"FFMA", ffma},
      {"DADD", dadd},   {"DMUL", dmul},   {"DFMA", dfma},     {"FSETP", fsetp},
      {"DSETP", dsetp}, {"MUFU", mufu},   {"F2I", f2i},       {"I2F", i2f},
      {"I2FP", i2f},    {"R2UR", mov},    {"VIMNMX", vimnmx}, {"VIADDMNMX", viaddmnmx},
  };
  return all;
}

}  // namespace

bool is_once_a_warp(std::string_view name) {
  static const std::set<std::string, std::less<>> all{"S2UR",  "R2UR",   "UIADD3", "UIMAD", "ULEA", "UISETP",
                                                      "ULOP3", "UPLOP3", "UMOV",   "USEL",  "USHF", "UPRMT",
                                                      "ULDC",  "UPOPC",  "UFLO",   "UBREV"};
  return all.contains(name);
}

meaning meaning_of(std::string_view name) {
  const bool uniform = name.starts_with('U') && is_once_a_warp(name);
  const auto known = meanings().find(uniform ? name.substr(1) : name);
  return known == meanings().end() ? nullptr : known->second;
}

}  // namespace upsweep::lens::machine_code
