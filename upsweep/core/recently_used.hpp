// A map from strings to values that remembers the order of their last uses, so that it can be bounded by the number of
// entries and by the sum of their sizes. Not synchronised.
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
  std::size_t size() const { return order_.size(); }
  std::uint64_t bytes() const { return bytes_; }

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

  // Removes and returns the least recently used entries that `may_go` accepts, until at most that many entries and
  // bytes are left. The most recently used entry stays.
  template <class MayGo>
  std::vector<Value> shrink(std::size_t entries, std::uint64_t bytes, const MayGo& may_go) {
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
  std::vector<Value> shrink(std::size_t entries, std::uint64_t bytes) {
    return shrink(entries, bytes, [](const Value&) { return true; });
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
  std::uint64_t bytes_ = 0;
  std::list<entry> order_;  // the most recently used first
  std::unordered_map<std::string_view, typename std::list<entry>::iterator> index_;
};

}  // namespace upsweep::core
