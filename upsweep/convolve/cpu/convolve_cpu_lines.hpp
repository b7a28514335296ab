// Lines of a picture as the kernels read them: converted to the type of sums, with the elements beyond the edges, of a
// given length.
#pragma once

#include <cstring>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cpu/convolve_cpu_kernels.hpp"

namespace upsweep::cpu {

constexpr std::uint64_t whole_steps(std::uint64_t count) { return (count + line_step - 1) / line_step * line_step; }

// The type of elements in lines; for i32 it is u32.
constexpr dtype line_type(dtype mask) { return mask == dtype::i32 ? dtype::u32 : mask; }

class line_reader {
 public:
  explicit line_reader(const detail::convolve_impl::problem& p) : line_reader(p, line_type(p.mask_type)) {}
  line_reader(const detail::convolve_impl::problem& p, dtype line)
      : g_(detail::convolve_impl::geometry_of(p)),
        from_(p.in.as<const char>()),
        element_(size_of(p.type)),
        size_(size_of(line)),
        same_(element_ == size_),
        to_accumulator_(to_accumulator_line(p.type, line)) {}

  const detail::convolve_impl::geometry& geometry() const { return g_; }

  // Pixels x to x + count - 1 of row y of slice z, which may be outside the picture; readable for `readable` elements
  // from the first of them. Returns the picture's own memory where possible; otherwise it copies the line to `slot`,
  // with zeros after its end.
  const void* line(std::int64_t x, std::uint64_t count, std::int64_t y, std::int64_t z, std::uint64_t readable,
                   void* slot) const {
    y = border_index(g_.edge, y, static_cast<std::int64_t>(g_.in.y));
    z = border_index(g_.edge, z, static_cast<std::int64_t>(g_.in.z));
    auto* to = static_cast<char*>(slot);
    if (y < 0 || z < 0) return std::memset(to, 0, readable * size_);
    const char* row =
        from_ + (static_cast<std::uint64_t>(z) * g_.in.y + static_cast<std::uint64_t>(y)) * g_.in_pitch * element_;
    const auto width = static_cast<std::int64_t>(g_.in.x), end = x + static_cast<std::int64_t>(count);
    const std::uint64_t c = g_.channels;
    if (same_ && x >= 0 && x < width && static_cast<std::uint64_t>(x) * c + readable <= g_.in.x * c)
      return row + static_cast<std::uint64_t>(x) * c * size_;
    // Copies the part inside at once, and pixels beyond the edges one by one.
    const std::int64_t first = x < 0 ? (end < 0 ? end : 0) : x < width ? x : end, last = end < width ? end : width;
    for (std::int64_t i = x; i < first; ++i) beyond(row, i, to + static_cast<std::uint64_t>(i - x) * c * size_);
    if (last > first)
      to_accumulator_(row + static_cast<std::uint64_t>(first) * c * element_,
                      to + static_cast<std::uint64_t>(first - x) * c * size_,
                      static_cast<std::uint64_t>(last - first) * c);
    for (std::int64_t i = last > first ? last : first; i < end; ++i)
      beyond(row, i, to + static_cast<std::uint64_t>(i - x) * c * size_);
    std::memset(to + count * c * size_, 0, (readable - count * c) * size_);
    return to;
  }

 private:
  void beyond(const char* row, std::int64_t x, char* to) const {
    x = border_index(g_.edge, x, static_cast<std::int64_t>(g_.in.x));
    if (x < 0)
      std::memset(to, 0, g_.channels * size_);
    else
      to_accumulator_(row + static_cast<std::uint64_t>(x) * g_.channels * element_, to, g_.channels);
  }

  detail::convolve_impl::geometry g_;
  const char* from_;
  std::uint64_t element_, size_;
  bool same_;
  line_kernel to_accumulator_;
};

// Converts rows of sums to rows of results, or does nothing where the sums are the results.
class results {
 public:
  // `in_one`: one call of the kernel computes a result's whole sum, so it can also convert it to a byte.
  results(const detail::convolve_impl::problem& p, bool in_one)
      : g_(detail::convolve_impl::geometry_of(p)),
        out_(p.out.as<char>()),
        element_(size_of(p.out_type)),
        bytes_(in_one && p.out_type == dtype::u8 && p.mask_type == dtype::f32),
        direct_(bytes_ || size_of(p.out_type) == size_of(p.mask_type)),
        store_(store_line(line_type(p.mask_type), p.out_type)) {}
  char* row(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return out_ + ((z * g_.out.y + y) * g_.out_pitch + x * g_.channels) * element_;
  }
  bool bytes() const { return bytes_; }
  // Memory for a row's sums: in the output where possible, otherwise in `slot`.
  void* place(char* row, std::uint64_t count, char* slot) const {
    return direct_ && count % line_step == 0 ? row : slot;
  }
  void finish(void* sums, char* row, std::uint64_t count) const {
    if (sums == row) return;
    if (bytes_)
      std::memcpy(row, sums, count);
    else
      store_(sums, row, count);
  }

 private:
  detail::convolve_impl::geometry g_;
  char* out_;
  std::uint64_t element_;
  bool bytes_, direct_;
  line_kernel store_;
};

}  // namespace upsweep::cpu
