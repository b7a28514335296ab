// Box filters on the CPU: the rows of one band on one thread.
//
// Down the columns by M. van Herk and by J. Gil and M. Werman (1992, 1993): the rows are cut into blocks as tall as the
// box; a box is the end of one block and the beginning of the next, so that three joinings an element make windows of
// any height. Along the row windows of 1, 2, 4, … elements are joined to twice as wide ones, and those of the width's
// binary digits to the window. Nothing is ever taken away again.
#pragma once

#include <vector>

#include "upsweep/summed_area_table/summed_area_table_box.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

template <class Rule, class In, class Out>
class box_band {
  using part = typename Rule::part;

 public:
  // p has one slice and pitches that are not 0.
  explicit box_band(const problem& p)
      : in_(p.in.as<const In>()),
        out_(p.out.as<Out>()),
        size_(p.size),
        channels_(p.channels),
        pitch_(p.pitch),
        out_pitch_(p.out_pitch),
        rx_(useful_radius(p.radius.x, p.size.x)),
        ry_(useful_radius(p.radius.y, p.size.y)) {}

  void run(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t row = size_.x * channels_, padded = row + 2 * rx_ * channels_;
    columns_.assign((last - first) * row, part{});
    for (std::uint64_t x = 0; x < row; x += chunk) down(x, (std::min)(chunk, row - x), first, last);
    for (std::vector<part>* v : {&window_, &next_, &found_}) v->assign(padded, part{});
    for (std::uint64_t y = first; y < last; ++y) along(columns_.data() + (y - first) * row, y);
  }

 private:
  static constexpr std::uint64_t chunk = 256;  // columns that are worked on together

  // The number of rows [from, to) that are in the picture.
  double rows_in(std::int64_t from, std::int64_t to) const {
    const auto height = static_cast<std::int64_t>(size_.y);
    return static_cast<double>(std::max<std::int64_t>((std::min)(to, height) - std::max<std::int64_t>(from, 0), 0));
  }

  // to[i] = joined(to[i], the elements of row y) or the other way round, of which `to` has `known` each.
  template <bool row_first>
  void take_row(part* __restrict to, std::int64_t y, std::uint64_t x, std::uint64_t n, double known) const {
    if (y < 0 || y >= static_cast<std::int64_t>(size_.y)) return;
    const In* __restrict in = in_ + static_cast<std::uint64_t>(y) * pitch_ + x;
    for (std::uint64_t i = 0; i < n; ++i)
      to[i] = row_first ? Rule::joined(Rule::to_accumulator(in[i]), to[i], 1, known)
                        : Rule::joined(to[i], Rule::to_accumulator(in[i]), known, 1);
  }

  void down(std::uint64_t x, std::uint64_t n, std::uint64_t first, std::uint64_t last) {
    const auto radius = static_cast<std::int64_t>(ry_), height = 2 * radius + 1;
    const std::uint64_t row = size_.x * channels_;
    part beginning[chunk];
    for (auto block = static_cast<std::int64_t>(first) - radius; block + radius < static_cast<std::int64_t>(last);
         block += height) {
      // The first row of this block whose window begins in the picture and is requested, or an earlier one.
      const std::int64_t asked = (std::min)(height, static_cast<std::int64_t>(last) - radius - block);
      const std::int64_t lowest =
          (std::min)(block + height, static_cast<std::int64_t>(size_.y));  // behind the block's last row there
      const std::int64_t kept = std::max<std::int64_t>(lowest - std::max<std::int64_t>(block, 0), 0);  // rows there
      ends_.resize(static_cast<std::uint64_t>(kept + 1) * n);
      // ends_[j] joins j rows of the block, from its last in the picture upward.
      std::fill_n(ends_.begin(), n, part{});
      for (std::int64_t j = 1; j <= kept; ++j) {
        part* const to = ends_.data() + j * static_cast<std::int64_t>(n);
        std::copy_n(to - n, n, to);
        take_row<true>(to, lowest - j, x, n, static_cast<double>(j - 1));
      }
      std::fill_n(beginning, n, part{});
      for (std::int64_t i = 0; i < asked; ++i) {
        if (i > 0)
          take_row<false>(beginning, block + height + i - 1, x, n, rows_in(block + height, block + height + i - 1));
        const std::int64_t from_block = static_cast<std::int64_t>(rows_in(block + i, block + height));
        const part* __restrict end = ends_.data() + from_block * static_cast<std::int64_t>(n);
        part* __restrict to = columns_.data() +
                              static_cast<std::uint64_t>(block + i + radius - static_cast<std::int64_t>(first)) * row +
                              x;
        const double above = static_cast<double>(from_block), below = rows_in(block + height, block + height + i);
        for (std::uint64_t k = 0; k < n; ++k) to[k] = Rule::joined(end[k], beginning[k], above, below);
      }
    }
  }

  // The number of those of the `wide` columns from place k of the padded row on that are in the picture.
  double columns_in(std::uint64_t k, std::uint64_t wide) const {
    const std::uint64_t from = (std::max)(k, rx_), to = (std::min)(k + wide, rx_ + size_.x);
    return from < to ? static_cast<double>(to - from) : 0;
  }

  // to[k] = joined(a[k], b[k + gap]), a of `wide_a` columns and b of `wide_b`, for the first n places.
  void join(part* __restrict to, const part* __restrict a, const part* __restrict b, std::uint64_t n, std::uint64_t gap,
            std::uint64_t wide_a, std::uint64_t wide_b, double rows) const {
    if constexpr (Rule::counts) {
      for (std::uint64_t k = 0; k < n; ++k)
        for (std::uint32_t c = 0; c < channels_; ++c)
          to[k * channels_ + c] = Rule::joined(a[k * channels_ + c], b[(k + gap) * channels_ + c],
                                               rows * columns_in(k, wide_a), rows * columns_in(k + gap, wide_b));
    } else {
      b += gap * channels_;
      for (std::uint64_t i = 0; i < n * channels_; ++i) to[i] = Rule::joined(a[i], b[i], 0, 0);
    }
  }

  void along(const part* column, std::uint64_t y) {
    const std::uint64_t width = 2 * rx_ + 1, row = size_.x * channels_, places = size_.x + 2 * rx_;
    const std::uint64_t rows = window_at(y, ry_, size_.y);
    const auto rows_joined = static_cast<double>(rows);
    // Places outside the picture hold empty parts.
    std::fill_n(window_.begin(), rx_ * channels_, part{});
    std::copy_n(column, row, window_.begin() + static_cast<std::ptrdiff_t>(rx_ * channels_));
    std::fill_n(window_.begin() + static_cast<std::ptrdiff_t>(rx_ * channels_ + row), rx_ * channels_, part{});
    std::uint64_t done = 0;  // columns that found_ joins
    for (std::uint64_t wide = 1;; wide *= 2) {
      if (width & wide) {
        if (done == 0) {
          std::copy_n(window_.begin(), row, found_.begin());
        } else {
          join(next_.data(), found_.data(), window_.data(), size_.x, done, done, wide, rows_joined);
          found_.swap(next_);
        }
        done += wide;
      }
      if (done == width) break;
      join(next_.data(), window_.data(), window_.data(), places - 2 * wide + 1, wide, wide, wide, rows_joined);
      window_.swap(next_);
    }
    Out* out = out_ + y * out_pitch_;
    for (std::uint64_t x = 0; x < size_.x; ++x)
      for (std::uint32_t c = 0; c < channels_; ++c)
        out[x * channels_ + c] = Rule::result(found_[x * channels_ + c], rows * window_at(x, rx_, size_.x));
  }

  const In* in_;
  Out* out_;
  extent size_;
  std::uint32_t channels_;
  std::uint64_t pitch_, out_pitch_, rx_, ry_;
  std::vector<part> columns_, ends_, window_, next_, found_;
};

}  // namespace upsweep::detail::summed_area_table_impl
