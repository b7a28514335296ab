#include <algorithm>
#include <cstring>

#include "cli/io/rows.hpp"
#include "cli/sort/merge.hpp"
#include "cli/sort/row_keys.hpp"
#include "cli/sort/sort.hpp"
#include "cli/stream/progress.hpp"
#include "upsweep/sort.hpp"

using namespace upsweep;

namespace {

// Texts one after the other.
struct texts {
  std::string all{};
  std::vector<std::uint64_t> starts{0};

  void push(std::string_view text) {
    all += text;
    starts.push_back(all.size());
  }
  std::string_view operator[](std::uint64_t i) const {
    return std::string_view(all).substr(starts[i], starts[i + 1] - starts[i]);
  }
};

// Rows with their keys: the first eight bytes of the keys are sorted, and the rest is compared where they are equal. In
// memory rows and rests are in input order; in the temporary file they are in output order, each after its lengths.
struct run_of_rows {
  std::uint64_t n = 0;
  std::vector<std::uint64_t> prefixes{}, order{};
  texts rows{}, rests{};  // no rests where keys are short
  std::uint64_t at = 0, bytes = 0;
  bool spilled = false;

  std::string_view row(std::uint64_t i) const { return rows[order[i]]; }
  std::string_view rest(std::uint64_t i) const {
    return rests.starts.size() > 1 ? rests[order[i]] : std::string_view();
  }
};

class row_cursor {
 public:
  row_cursor(const run_of_rows& run, const spool* file, std::uint64_t block) : run_(&run), file_(file), block_(block) {
    load();
  }
  bool done() const { return i_ == run_->n; }
  std::uint64_t image() const { return prefix_; }
  std::string_view rest() const { return rest_; }
  std::string_view row() const { return row_; }
  void advance() {
    ++i_;
    load();
  }

 private:
  void load() {
    if (done()) return;
    if (!run_->spilled) {
      prefix_ = run_->prefixes[i_];
      rest_ = run_->rest(i_);
      row_ = run_->row(i_);
      return;
    }
    std::uint64_t head[3];
    need(sizeof head);
    std::memcpy(head, held_.data() + taken_, sizeof head);
    need(sizeof head + head[1] + head[2]);
    prefix_ = head[0];
    rest_ = std::string_view(held_).substr(taken_ + sizeof head, head[1]);
    row_ = std::string_view(held_).substr(taken_ + sizeof head + head[1], head[2]);
    taken_ += sizeof head + head[1] + head[2];
  }
  // Number of bytes at taken_.
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
  std::uint64_t block_, i_ = 0, read_ = 0, prefix_ = 0;
  std::string held_;
  std::size_t taken_ = 0;
  std::string_view rest_, row_;
};

class row_sort {
 public:
  row_sort(const sort_request& o, std::unique_ptr<input> in)
      : o_(o),
        memory_(memory_limit(o.memory)),
        where_(open_context(o.where, {"sort"}, o.source.path)),
        in_(std::move(in)),
        type_(csv_type_asked_for(o.source, in_->name())),
        sorter_(where_, {.type = dtype::u64}, true, o.device_memory),
        records_(*in_, csv_options_of(o.source),
                 [&](const std::vector<std::string>& first_row) {
                   if (o.by.empty())
                     keys_.assign(1, row_key{o.source.column});
                   else
                     keys_ = row_keys_of(o.by, first_row);
                   for (row_key& k : keys_) k.descending ^= o.descending;
                   return columns_of(keys_);
                 }),
        writer_(found_types()),
        sink_(o.output, *in_, records_, o.by.empty() ? std::optional<std::size_t>(0) : std::nullopt) {}

  void run() {
    make_runs();
    join();
    sink_.commit();
  }

 private:
  // Prefix, index and starts of a row, and what sorting them takes.
  std::uint64_t row_bytes() const { return 60; }

  key_writer found_types() {
    if (!type_) records_.find_types();
    for (std::size_t c = 0; c < keys_.size(); ++c) tell_type(o_.source, records_, c);
    key_writer writer(records_, keys_, type_, o_.natural, missing_rule_of(o_.source.na), true);
    if (o_.bits.empty()) return writer;
    const column_type& found = records_.type(0);
    if (keys_.size() > 1 || (!type_ && found.what != column_type::kind::integers && found.type != dtype::f64))
      throw error(fault::bad_argument, "--key-bits", "--key-bits needs one column of numbers",
                  "leave it out, or choose such a column");
    const sort_order order = order_asked_for(type_.value_or(found.type), o_);
    writer.restrict_bits(order.first_bit, order.last_bit);
    return writer;
  }

  void make_runs() {
    progress line("sort", in_->size().value_or(0), "bytes");
    std::uint64_t done = 0;
    run_of_rows r;
    std::string key;
    while (records_.next()) {
      if (rows_seen_++ % 1024 == 0) line.at(done);
      done += records_.text().size() + 1;
      if (r.n == sorter_.most_elements() || r.rows.all.size() + r.rests.all.size() + r.n * row_bytes() > memory_ / 3) {
        finish(std::move(r));
        spill();
        r = {};
      }
      key.clear();
      if (!writer_.append(records_, key)) continue;
      r.prefixes.push_back(prefix_of(key));
      if (!writer_.short_keys()) r.rests.push(key.size() > 8 ? std::string_view(key).substr(8) : std::string_view());
      r.rows.push(o_.by.empty() ? records_.field_or_rule(0) : records_.text());
      ++r.n;
      ++rows_;
    }
    finish(std::move(r));
    if (spool_) spill();
  }

  void finish(run_of_rows r) {
    if (r.n == 0) return;
    r.order.resize(r.n);
    sorter_.sort(r.prefixes.data(), r.order.data(), r.n, 0);
    if (!writer_.short_keys()) order_by_rests(r);
    runs_.push_back(std::move(r));
  }

  // Rows with equal prefixes are in input order; the rests of their keys decide.
  static void order_by_rests(run_of_rows& r) {
    constexpr std::uint64_t few = 4096;
    const auto before = [&r](std::uint64_t a, std::uint64_t b) { return r.rests[a] < r.rests[b]; };
    for (std::uint64_t first = 0, past; first < r.n; first = past) {
      for (past = first + 1; past < r.n && r.prefixes[past] == r.prefixes[first];) ++past;
      if (past - first < 2) continue;
      const std::span<std::uint64_t> alike(r.order.data() + first, past - first);
      if (std::ranges::is_sorted(alike, before)) continue;
      if (alike.size() < few)
        std::stable_sort(alike.begin(), alike.end(), before);
      else
        upsweep::sort(context::cpu(), alike, before);
    }
  }

  static void append_record(spool& to, std::string& block, std::uint64_t prefix, std::string_view rest,
                            std::string_view row) {
    const std::uint64_t head[3]{prefix, rest.size(), row.size()};
    block.append(reinterpret_cast<const char*>(head), sizeof head);
    block.append(rest);
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
      for (std::uint64_t i = 0; i < r.n; ++i) append_record(*spool_, block, r.prefixes[i], r.rest(i), r.row(i));
      flush(*spool_, block);
      run_of_rows on_disk{.n = r.n, .at = at, .bytes = spool_->size() - at, .spilled = true};
      std::swap(r, on_disk);  // an empty string that is assigned would leave the text's memory where it is
    }
  }

  // `take` gets the rows in order, and says whether it wants more.
  template <class Take>
  void merge(std::size_t first, std::size_t past, Take take) {
    const std::uint64_t share = memory_ / 2 / std::max<std::size_t>(past - first, 1);
    std::vector<row_cursor> runs;
    runs.reserve(past - first);  // no reallocation: a cursor's row points into the cursor
    for (std::size_t r = first; r < past; ++r)
      runs.emplace_back(runs_[r], spool_.get(), std::clamp<std::uint64_t>(share, 256, 1 << 22));
    for (tournament heads(runs); !heads.done(); heads.advance())
      if (!take(heads.first())) return;
  }

  void join() {
    const std::size_t fan = std::clamp<std::uint64_t>(memory_ / 2 / (std::uint64_t{1} << 17), 8, 512);
    while (spool_ && runs_.size() > fan) join_groups(fan);
    progress line("merge", std::min(rows_, o_.top), "rows");
    std::uint64_t done = 0;
    if (o_.top == 0) return;
    merge(0, runs_.size(), [&](const row_cursor& head) {
      sink_.write(head.row());
      if (++done % 1024 == 0) line.at(done);
      return done < o_.top;
    });
  }

  void join_groups(std::size_t fan) {
    auto next = std::make_unique<spool>(spool::directory_beside(o_.output.path));
    std::vector<run_of_rows> joined;
    std::string block;
    progress line("merge", rows_, "rows");
    std::uint64_t done = 0;
    for (std::size_t first = 0; first < runs_.size(); first += fan) {
      const std::size_t past = std::min(runs_.size(), first + fan);
      run_of_rows r{.at = next->size(), .spilled = true};
      merge(first, past, [&](const row_cursor& head) {
        append_record(*next, block, head.image(), head.rest(), head.row());
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
  std::optional<dtype> type_;
  std::vector<row_key> keys_;
  key_sorter sorter_;
  csv_records records_;
  key_writer writer_;
  row_sink sink_;
  std::vector<run_of_rows> runs_;
  std::unique_ptr<spool> spool_;
  std::uint64_t rows_ = 0, rows_seen_ = 0;
};

}  // namespace

void sort_rows(const sort_request& o, std::unique_ptr<input> in) { row_sort(o, std::move(in)).run(); }
