// Texts and outputs where a context computes, and what is done there to them.
#pragma once

#include <cstring>

#include "upsweep/buffer.hpp"
#include "upsweep/lex/cut.hpp"

namespace upsweep::lex_room {

// Host text, copied to a CUDA device where that is the place.
class text_where {
 public:
  text_where(const context& where, std::string_view text) : view_(text) {
    require_no_opencl(where);
    if (where.kind() == backend::cpu) return;
    there_.emplace(where, std::span(text));
    view_ = {there_->span().data(), text.size()};
  }
  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
  std::optional<buffer<char>> there_;
};

// Room for what goes to host memory; never null, since no address says that nothing is wanted.
template <class T>
class output_where {
 public:
  output_where(const context& where, std::span<T> out, std::uint64_t most) : out_(out) {
    if (where.kind() != backend::cpu) there_.emplace(where, std::min<std::uint64_t>(out.size(), most) + 1);
  }
  T* data() { return there_ ? there_->span().data() : out_.empty() ? &nothing_ : out_.data(); }
  std::uint64_t size() const { return there_ ? there_->size() - 1 : out_.size(); }
  void bring_back(const context& where, std::uint64_t count) {
    if (there_ && count > 0) where.dev().download(out_.data(), there_->span().where(), count * sizeof(T));
  }

 private:
  std::span<T> out_;
  std::optional<buffer<T>> there_;
  T nothing_;
};

inline char last_byte(const context& where, std::string_view text) {
  if (where.kind() == backend::cpu) return text.back();
  char last;
  where.dev().download(&last, {const_cast<char*>(text.data()), text.size() - 1}, 1);
  return last;
}

// cut() and store() on any device. What CUDA does not follow is fetched, and cut on the CPU.
cut_end cut_where(const context&, const automaton&, const kinds_skipped&, std::string_view text, const cut_output&);
void store_where(const context&, const cut_output&, std::uint64_t first, std::uint64_t end, std::uint32_t kind,
                 std::uint64_t at);

}  // namespace upsweep::lex_room
