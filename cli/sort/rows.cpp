#include <cstring>

#include "cli/io/rows.hpp"
#include "cli/sort/merge.hpp"
#include "cli/sort/sort.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

// Rows with their keys, the keys sorted. In memory the rows lie as they came, in the temporary file as they go out:
// each behind its key and its length.
struct run_of_rows {
  std::uint64_t n = 0;
  std::vector<std::byte> keys{};
  std::vector<std::uint64_t> order{}, starts{};  // starts: n + 1 of them
  std::string text{};
  std::uint64_t at = 0, bytes = 0;
  bool spilled = false;

  std::string_view row(std::uint64_t i) const {
    const std::uint64_t r = order[i];
    return std::string_view(text).substr(starts[r], starts[r + 1] - starts[r]);
  }
};

template <class T>
class row_cursor {
 public:
  row_cursor(const run_of_rows& run, const spool* file, const sort_order& order, std::uint64_t block)
      : run_(&run), file_(file), window_(window_of<T>(order)), block_(block) {
    load();
  }
  bool done() const { return i_ == run_->n; }
  std::uint64_t image() const { return window_(order_bits(key_)); }
  void advance() {
    ++i_;
    load();
  }
  T key() const { return key_; }
  std::string_view row() const { return row_; }

 private:
  void load() {
    if (done()) return;
    if (!run_->spilled) {
      std::memcpy(&key_, run_->keys.data() + i_ * sizeof(T), sizeof(T));
      row_ = run_->row(i_);
      return;
    }
    constexpr std::size_t head = sizeof(T) + 8;
    need(head);
    std::uint64_t length;
    std::memcpy(&key_, held_.data() + taken_, sizeof(T));
    std::memcpy(&length, held_.data() + taken_ + sizeof(T), 8);
    need(head + length);
    row_ = std::string_view(held_).substr(taken_ + head, length);
    taken_ += head + length;
  }
  // So many bytes lie at taken_.
  void need(std::uint64_t bytes) {
    if (held_.size() - taken_ >= bytes) return;
    held_.erase(0, taken_);
    taken_ = 0;
    const std::uint64_t had = held_.size(), more = std::min(std::max(block_, bytes - had), run_->bytes - read_);
    held_.resize(had + more);
    file_->read(held_.data() + had, more, run_->at + read_);
    read_ += more;
  }

  const run_of_rows* run_;
  const spool* file_;
  order_window<order_image<T>> window_;
  std::uint64_t block_, i_ = 0, read_ = 0;
  std::string held_;
  std::size_t taken_ = 0;
  T key_{};
  std::string_view row_;
};

csv_options row_options(const sort_request& o) {
  csv_options options = csv_options_of(o.source);
  options.column = o.by;
  return options;
}

class row_sort {
 public:
  explicit row_sort(const sort_request& o)
      : o_(o),
        memory_(memory_limit(o.memory)),
        where_(open_context(o.where, {"sort"})),
        in_(open_rows(o.source, "--by")),
        type_(csv_type_of(o.source, in_->name())),
        order_(order_asked_for(type_, o)),
        size_(size_of(type_)),
        sorter_(where_, order_, true, o.device_memory),
        records_(*in_, row_options(o), {o.by}),
        sink_(o.output, *in_, records_) {}

  void run() {
    make_runs();
    with_any_type(type_, [&](auto tag) { join<typename decltype(tag)::type>(); });
    sink_.commit();
  }

 private:
  // Key, index and start of a row, and what sorting them takes.
  std::uint64_t row_bytes() const { return 2 * size_ + 28; }

  void make_runs() {
    progress line("sort", in_->size().value_or(0), "bytes");
    std::uint64_t done = 0;
    run_of_rows r = empty_run();
    while (records_.next()) {
      if (r.n == sorter_.most_elements() || r.text.size() + r.n * row_bytes() > memory_ / 2) {
        finish(std::move(r));
        spill();
        r = empty_run();
      }
      r.keys.resize((r.n + 1) * size_);
      number_or_nan(records_, 0, type_, r.keys.data() + r.n * size_);
      r.text += records_.text();
      r.starts.push_back(r.text.size());
      ++r.n;
      if (rows_++ % 1024 == 0) line.at(done);
      done += records_.text().size() + 1;
    }
    finish(std::move(r));
    if (spool_) spill();
  }

  static run_of_rows empty_run() {
    run_of_rows r;
    r.starts.push_back(0);
    return r;
  }

  void finish(run_of_rows r) {
    if (r.n == 0) return;
    r.order.resize(r.n);
    sorter_.sort(r.keys.data(), r.order.data(), r.n, 0);
    runs_.push_back(std::move(r));
  }

  void append_record(spool& to, std::string& block, const void* key, std::string_view row) const {
    const std::uint64_t length = row.size();
    block.append(static_cast<const char*>(key), size_);
    block.append(reinterpret_cast<const char*>(&length), 8);
    block.append(row);
    if (block.size() > (1 << 20)) flush(to, block);
  }
  static void flush(spool& to, std::string& block) {
    to.write(block.data(), block.size());
    block.clear();
  }

  void spill() {
    if (!spool_) spool_ = std::make_unique<spool>(spool::directory_beside(o_.output.path));
    std::string block;
    for (run_of_rows& r : runs_) {
      if (r.spilled) continue;
      const std::uint64_t at = spool_->size();
      for (std::uint64_t i = 0; i < r.n; ++i) append_record(*spool_, block, r.keys.data() + i * size_, r.row(i));
      flush(*spool_, block);
      r = {.n = r.n, .at = at, .bytes = spool_->size() - at, .spilled = true};
    }
  }

  // `take` gets the rows in order, and says whether it wants more.
  template <class T, class Take>
  void merge(std::size_t first, std::size_t past, Take take) {
    const std::uint64_t share = memory_ / 2 / std::max<std::size_t>(past - first, 1);
    std::vector<row_cursor<T>> runs;
    runs.reserve(past - first);  // a cursor's row lies within it
    for (std::size_t r = first; r < past; ++r)
      runs.emplace_back(runs_[r], spool_.get(), order_, std::clamp<std::uint64_t>(share, 256, 1 << 22));
    for (tournament heads(runs); !heads.done(); heads.advance())
      if (!take(heads.first().key(), heads.first().row())) return;
  }

  template <class T>
  void join() {
    const std::size_t fan = std::clamp<std::uint64_t>(memory_ / 2 / (std::uint64_t{1} << 17), 8, 512);
    while (spool_ && runs_.size() > fan) join_groups<T>(fan);
    progress line("merge", std::min(rows_, o_.top), "rows");
    std::uint64_t done = 0;
    if (o_.top == 0) return;
    merge<T>(0, runs_.size(), [&](T, std::string_view row) {
      sink_.write(row);
      if (++done % 1024 == 0) line.at(done);
      return done < o_.top;
    });
  }

  template <class T>
  void join_groups(std::size_t fan) {
    auto next = std::make_unique<spool>(spool::directory_beside(o_.output.path));
    std::vector<run_of_rows> joined;
    std::string block;
    progress line("merge", rows_, "rows");
    std::uint64_t done = 0;
    for (std::size_t first = 0; first < runs_.size(); first += fan) {
      const std::size_t past = std::min(runs_.size(), first + fan);
      run_of_rows r{.at = next->size(), .spilled = true};
      merge<T>(first, past, [&](T key, std::string_view row) {
        append_record(*next, block, &key, row);
        ++r.n;
        if (++done % 1024 == 0) line.at(done);
        return true;
      });
      flush(*next, block);
      r.bytes = next->size() - r.at;
      for (std::size_t i = first; i < past; ++i) spool_->forget(runs_[i].at, runs_[i].bytes);
      joined.push_back(std::move(r));
    }
    runs_ = std::move(joined);
    spool_ = std::move(next);
  }

  const sort_request& o_;
  std::uint64_t memory_;
  context where_;
  std::unique_ptr<input> in_;
  dtype type_;
  sort_order order_;
  std::uint64_t size_;
  key_sorter sorter_;
  csv_records records_;
  row_sink sink_;
  std::vector<run_of_rows> runs_;
  std::unique_ptr<spool> spool_;
  std::uint64_t rows_ = 0;
};

}  // namespace

void sort_rows(const sort_request& o) { row_sort(o).run(); }
