#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <new>
#include <numeric>

#include "cli/sort/merge.hpp"
#include "cli/sort/sort.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

struct freed {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using grown_bytes = std::unique_ptr<std::byte[], freed>;

// Resizes and keeps the contents; large blocks keep their pages.
void set_size(grown_bytes& bytes, std::uint64_t size) {
  void* const moved = std::realloc(bytes.get(), std::max<std::uint64_t>(size, 1));
  if (!moved) throw std::bad_alloc();
  static_cast<void>(bytes.release());
  bytes.reset(static_cast<std::byte*>(moved));
}

// A sorted run: in memory, or at these places of the temporary file.
struct run_of_keys {
  std::uint64_t n = 0;
  grown_bytes keys;
  std::unique_ptr<std::uint64_t[]> indices;
  std::uint64_t keys_at = 0, indices_at = 0;
};

template <class T>
class key_cursor {
 public:
  key_cursor(const run_of_keys& run, const spool* file, const sort_order& order, bool indices, std::uint64_t block)
      : run_(&run), file_(file), window_(window_of<T>(order)), with_indices_(indices), block_(block) {
    if (run.keys) {
      keys_ = reinterpret_cast<const T*>(run.keys.get());
      indices_ = run.indices.get();
      here_ = run.n;
    } else {
      held_keys_.resize(std::min(block, run.n));
      if (indices) held_indices_.resize(held_keys_.size());
      refill();
    }
  }
  bool done() const { return at_ == here_; }
  std::uint64_t image() const { return window_(order_bits(keys_[at_])); }
  void advance() {
    if (++at_ == here_ && !run_->keys) refill();
  }
  T key() const { return keys_[at_]; }
  std::uint64_t index() const { return indices_[at_]; }

 private:
  void refill() {
    here_ = std::min(block_, run_->n - read_);
    at_ = 0;
    if (here_ == 0) return;
    file_->read(held_keys_.data(), here_ * sizeof(T), run_->keys_at + read_ * sizeof(T));
    if (with_indices_) file_->read(held_indices_.data(), here_ * 8, run_->indices_at + read_ * 8);
    read_ += here_;
    file_->soon(run_->keys_at + read_ * sizeof(T), std::min(block_, run_->n - read_) * sizeof(T));
    keys_ = held_keys_.data();
    indices_ = held_indices_.data();
  }

  const run_of_keys* run_;
  const spool* file_;
  order_window<order_image<T>> window_;
  bool with_indices_;
  std::uint64_t block_;
  const T* keys_ = nullptr;
  const std::uint64_t* indices_ = nullptr;
  std::vector<T> held_keys_;
  std::vector<std::uint64_t> held_indices_;
  std::uint64_t at_ = 0, here_ = 0, read_ = 0;
};

class element_sort {
 public:
  element_sort(const sort_request& o, std::unique_ptr<input> in)
      : o_(o),
        memory_(memory_limit(o.memory)),
        where_(open_context(o.where, {"sort"}, o.source.path)),
        source_(open_source(std::move(in), o.source)),
        order_(order_asked_for(source_->type, o)),
        size_(size_of(source_->type)),
        sorter_(where_, order_, o.indices, o.device_memory) {
    require_one_axis(*source_, "a sort runs");
    // Errors that can be detected before reading are reported before reading.
    sorter_.sort(nullptr, nullptr, 0, 0);
    output_form form{o.indices ? dtype::i64 : source_->type, source_->count, source_->truth && !o.indices,
                     o.indices ? "" : source_->title};
    if (form.count) form.count = std::min(*form.count, o.top);
    sink_ = open_sink(o.output.path, o.output.format, *source_, form);
  }

  void run() {
    if (o_.top <= std::min(most_by_top, sorter_.most_elements() / 4) && sorter_.has_top()) {
      keep_first();
    } else {
      make_runs();
      with_any_type(source_->type, [&](auto tag) { join<typename decltype(tag)::type>(); });
    }
    sink_->commit();
  }

 private:
  static constexpr std::uint64_t most_by_top = 1 << 20, first_capacity = 1 << 20;

  // Bytes for an element that is held, and what sorting it takes besides.
  std::uint64_t held_bytes() const { return size_ + (o_.indices ? 8 : 0); }
  std::uint64_t work_bytes() const { return size_ + (o_.indices ? 12 : 0); }

  // Memory of a source of unknown length grows as data arrives.
  run_of_keys read_run(std::uint64_t n) {
    run_of_keys r;
    for (std::uint64_t capacity = source_->count ? n : std::min(n, first_capacity); r.n < n;
         capacity = std::min(n, 2 * capacity)) {
      set_size(r.keys, capacity * size_);
      const std::uint64_t some = source_->read(r.keys.get() + r.n * size_, capacity - r.n);
      r.n += some;
      if (r.n < capacity) break;
    }
    set_size(r.keys, r.n * size_);
    return r;
  }

  void make_runs() {
    progress line("sort", source_->count.value_or(0), "elements");
    const std::uint64_t all = source_->count.value_or(~std::uint64_t{0});
    const bool at_once = all <= memory_ / (held_bytes() + work_bytes());
    // Of four quarters one is read, one is sorted, one is what sorting takes, and one waits to be written.
    std::uint64_t n = at_once ? std::max<std::uint64_t>(all, 1)
                              : std::max<std::uint64_t>(1, memory_ / (4 * std::max(held_bytes(), work_bytes())));
    n = std::min(n, sorter_.most_elements());
    std::uint64_t done = 0;
    std::future<run_of_keys> reading = std::async(std::launch::async, [&] { return read_run(std::min(n, all)); });
    for (bool last = false; !last;) {
      run_of_keys r = reading.get();
      const std::uint64_t base = done;
      done += r.n;
      last = r.n < n || done == all;
      if (!last)
        reading = std::async(std::launch::async, [&, left = all - done] { return read_run(std::min(n, left)); });
      if (r.n > 0) {
        if (o_.indices) r.indices = std::make_unique_for_overwrite<std::uint64_t[]>(r.n);
        sorter_.sort(r.keys.get(), r.indices.get(), r.n, base);
        held_ += r.n * held_bytes();
        runs_.push_back(std::move(r));
        const std::uint64_t next = last ? 0 : n * (2 * held_bytes() + work_bytes());
        if (held_ + next > memory_ && !last) spill();
      }
      line.at(done);
    }
    source_->expect_end();
    elements_ = done;
    // The merge also needs memory for the blocks of the runs.
    if (spool_) spill();
  }

  void spill() {
    if (!spool_) spool_ = std::make_unique<spool>(spool::directory_beside(o_.output.path));
    for (run_of_keys& r : runs_) {
      if (!r.keys) continue;
      r.keys_at = spool_->size();
      spool_->write(r.keys.get(), r.n * size_);
      r.indices_at = spool_->size();
      if (r.indices) spool_->write(r.indices.get(), r.n * 8);
      r.keys.reset();
      r.indices.reset();
    }
    held_ = 0;
  }

  template <class T>
  std::vector<key_cursor<T>> cursors(std::size_t first, std::size_t past) const {
    const std::uint64_t share = memory_ / 2 / std::max<std::size_t>(past - first, 1) / (sizeof(T) + 8);
    std::vector<key_cursor<T>> all;
    for (std::size_t r = first; r < past; ++r)
      all.emplace_back(runs_[r], spool_.get(), order_, o_.indices, std::clamp<std::uint64_t>(share, 64, 1 << 20));
    return all;
  }

  // Merges some runs; `take` gets them in pieces.
  template <class T, class Take>
  void merge(std::size_t first, std::size_t past, Take take) {
    auto runs = cursors<T>(first, past);
    tournament heads(runs);
    constexpr std::uint64_t piece = 1 << 15;
    std::vector<T> keys(piece);
    std::vector<std::uint64_t> indices(o_.indices ? piece : 0);
    while (!heads.done()) {
      std::uint64_t n = 0;
      for (; n < piece && !heads.done(); heads.advance(), ++n) {
        keys[n] = heads.first().key();
        if (o_.indices) indices[n] = heads.first().index();
      }
      if (!take(keys.data(), indices.data(), n)) return;
    }
  }

  template <class T>
  void join() {
    if (elements_ == 0) return;
    if (runs_.size() == 1 && runs_[0].keys) {
      const run_of_keys& r = runs_[0];
      const std::uint64_t n = std::min(r.n, o_.top);
      o_.indices ? sink_->write(r.indices.get(), n) : sink_->write(r.keys.get(), n);
      return;
    }
    // As many runs at a time as have a block of some size each.
    const std::size_t fan = std::clamp<std::uint64_t>(memory_ / 2 / (std::uint64_t{1} << 17), 8, 512);
    while (spool_ && runs_.size() > fan) join_groups<T>(fan);
    progress line("merge", std::min(elements_, o_.top), "elements");
    std::uint64_t done = 0;
    merge<T>(0, runs_.size(), [&](const T* keys, const std::uint64_t* indices, std::uint64_t n) {
      n = std::min(n, o_.top - done);
      o_.indices ? sink_->write(indices, n) : sink_->write(keys, n);
      line.at(done += n);
      return done < o_.top;
    });
  }

  // One pass over the temporary file: each `fan` runs that follow each other become one.
  template <class T>
  void join_groups(std::size_t fan) {
    auto next = std::make_unique<spool>(spool::directory_beside(o_.output.path));
    std::vector<run_of_keys> joined;
    progress line("merge", elements_, "elements");
    std::uint64_t done = 0;
    for (std::size_t first = 0; first < runs_.size(); first += fan) {
      const std::size_t past = std::min(runs_.size(), first + fan);
      run_of_keys r;
      for (std::size_t i = first; i < past; ++i) r.n += runs_[i].n;
      r.keys_at = next->claim(r.n * size_);
      r.indices_at = next->claim(o_.indices ? r.n * 8 : 0);
      std::uint64_t at = 0;
      merge<T>(first, past, [&](const T* keys, const std::uint64_t* indices, std::uint64_t n) {
        next->write(keys, n * size_, r.keys_at + at * size_);
        if (o_.indices) next->write(indices, n * 8, r.indices_at + at * 8);
        at += n;
        line.at(done += n);
        return true;
      });
      for (std::size_t i = first; i < past; ++i) {
        spool_->forget(runs_[i].keys_at, runs_[i].n * size_);
        if (o_.indices) spool_->forget(runs_[i].indices_at, runs_[i].n * 8);
      }
      joined.push_back(std::move(r));
    }
    runs_ = std::move(joined);
    spool_ = std::move(next);
  }

  // The first few in order: those of each chunk and of the best so far.
  void keep_first() {
    progress line("sort", source_->count.value_or(0), "elements");
    const std::uint64_t all = source_->count.value_or(~std::uint64_t{0});
    std::uint64_t chunk = std::max(most_by_top, std::min<std::uint64_t>(memory_ / (4 * size_), 1 << 24));
    const std::uint64_t k = o_.top;
    chunk = std::max<std::uint64_t>(1, std::min({chunk, all, sorter_.most_elements() - k}));
    const auto keys = std::make_unique_for_overwrite<std::byte[]>((k + chunk) * size_);
    std::vector<std::uint64_t> best, where(k);
    std::uint64_t done = 0;
    for (bool last = false; !last;) {
      const std::uint64_t had = best.size(), n = source_->read(keys.get() + had * size_, std::min(chunk, all - done));
      const std::uint64_t base = done;
      done += n;
      last = n < chunk || done == all;
      const std::uint64_t m = std::min(k, had + n);
      if (n > 0 && m > 0) {
        sorter_.top(keys.get(), where.data(), had + n, m);
        std::vector<std::uint64_t> better(m);
        for (std::uint64_t i = 0; i < m; ++i) better[i] = where[i] < had ? best[where[i]] : base + where[i] - had;
        best = std::move(better);
      }
      line.at(done);
    }
    source_->expect_end();
    if (best.empty()) return;
    o_.indices ? sink_->write(best.data(), best.size()) : sink_->write(keys.get(), best.size());
  }

  const sort_request& o_;
  std::uint64_t memory_;
  context where_;
  std::unique_ptr<element_source> source_;
  sort_order order_;
  std::uint64_t size_;
  key_sorter sorter_;
  std::unique_ptr<element_sink> sink_;
  std::vector<run_of_keys> runs_;
  std::unique_ptr<spool> spool_;
  std::uint64_t held_ = 0, elements_ = 0;
};

}  // namespace

void sort_elements(const sort_request& o, std::unique_ptr<input> in) { element_sort(o, std::move(in)).run(); }
