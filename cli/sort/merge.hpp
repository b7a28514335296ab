// Several sorted runs become one. A tournament of losers keeps the run whose head comes first: a step takes log2(k)
// comparisons of images (upsweep/sort/sort_order.hpp), of equal images what they leave out, and of equal heads that of
// the earlier run comes first, so that the whole is stable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

// Cursor: bool done(), std::uint64_t image(), void advance(); and std::string_view rest() if equal images can belong to
// different keys.
template <class Cursor>
class tournament {
 public:
  explicit tournament(std::vector<Cursor>& runs) : runs_(runs), losers_(runs.size()) {
    for (std::size_t r = 0; r < runs.size(); ++r) heads_.push_back(head_of(r));
    winner_ = runs.empty() ? 0 : play(1);
  }

  bool done() const { return runs_.empty() || heads_[winner_].done; }
  Cursor& first() { return runs_[winner_]; }
  void advance() {
    runs_[winner_].advance();
    heads_[winner_] = head_of(winner_);
    for (std::size_t at = (winner_ + runs_.size()) / 2; at > 0; at /= 2)
      if (before(losers_[at], winner_)) std::swap(losers_[at], winner_);
  }

 private:
  struct head {
    bool done;
    std::uint64_t image;
  };
  head head_of(std::size_t r) {
    return runs_[r].done() ? head{true, ~std::uint64_t{0}} : head{false, runs_[r].image()};
  }
  bool before(std::size_t a, std::size_t b) const {
    const head &x = heads_[a], &y = heads_[b];
    if (x.image != y.image) return x.image < y.image;
    if (x.done != y.done) return y.done;
    if constexpr (requires(Cursor& c) { c.rest(); })
      if (!x.done)
        if (const int order = runs_[a].rest().compare(runs_[b].rest()); order != 0) return order < 0;
    return a < b;
  }
  // Leaves are nodes size() … 2 size() - 1.
  std::size_t play(std::size_t at) {
    if (at >= runs_.size()) return at - runs_.size();
    const std::size_t a = play(2 * at), b = play(2 * at + 1);
    losers_[at] = before(a, b) ? b : a;
    return before(a, b) ? a : b;
  }

  std::vector<Cursor>& runs_;
  std::vector<head> heads_;
  std::vector<std::size_t> losers_;
  std::size_t winner_ = 0;
};
