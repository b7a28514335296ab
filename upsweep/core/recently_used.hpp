// A map from strings to values with a bound on the number of entries and on the sum of their sizes. Entries beyond a
// bound are removed, the least recently used first. Not synchronised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::core {

template <class Value>
class recently_used {
 public:
  recently_used(std::size_t most_entries, std::uint64_t most_bytes)
      : most_entries_(most_entries), most_bytes_(most_bytes) {}

  std::size_t size() const { return order_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  bool exceeds_bounds() const { return order_.size() > most_entries_ || bytes_ > most_bytes_; }

  // The value of the key, which becomes the most recently used one; null if there is none. The address is valid until
  // the entry is removed.
  Value* find(std::string_view key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second);
    return &at->second->value;
  }

  // Adds a key that is not in the map. Nothing is removed.
  Value& add(std::string key, Value value, std::uint64_t bytes) {
    order_.push_front({std::move(key), std::move(value), bytes});
    try {
      index_.emplace(order_.front().key, order_.begin());
    } catch (...) {
      order_.pop_front();
      throw;
    }
    bytes_ += bytes;
    return order_.front().value;
  }

  // Removes and returns the least recently used entries that `may_go` accepts, until the map is within its bounds. The
  // most recently used entry stays.
  template <class MayGo>
  std::vector<Value> shrink(const MayGo& may_go) {
    return shrink_to(most_entries_, most_bytes_, may_go);
  }
  std::vector<Value> shrink() {
    return shrink([](const Value&) { return true; });
  }
  // The same for smaller bounds.
  template <class MayGo>
  std::vector<Value> shrink_to(std::size_t entries, std::uint64_t bytes, const MayGo& may_go) {
    std::vector<Value> removed;
    for (auto at = order_.end(); order_.size() > 1 && (order_.size() > entries || bytes_ > bytes);) {
      if (--at == order_.begin()) break;
      if (!may_go(at->value)) continue;
      removed.push_back(std::move(at->value));
      bytes_ -= at->bytes;
      index_.erase(at->key);
      at = order_.erase(at);
    }
    return removed;
  }

  void remove(std::string_view key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return;
    const auto entry = at->second;
    bytes_ -= entry->bytes;
    index_.erase(at);  // before the entry, which holds its key
    order_.erase(entry);
  }

 private:
  struct entry {
    std::string key;
    Value value;
    std::uint64_t bytes;
  };
  std::size_t most_entries_;
  std::uint64_t most_bytes_, bytes_ = 0;
  std::list<entry> order_;  // the most recently used first
  std::unordered_map<std::string_view, typename std::list<entry>::iterator> index_;
};

}  // namespace upsweep::core
