#include "cli/io/packed.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

namespace {

constexpr std::pair<std::string_view, packing> endings[]{
    {".gz", packing::gzip}, {".zst", packing::zstd}, {".zstd", packing::zstd}};

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
}

}  // namespace

packing packing_of(std::string_view path) {
  for (const auto& [text, kind] : endings)
    if (path.size() > text.size() && same_letters(path.substr(path.size() - text.size()), text)) return kind;
  return packing::none;
}

std::string_view without_packing(std::string_view path) {
  return packing_of(path) == packing::none ? path : path.substr(0, path.rfind('.'));
}

std::unique_ptr<unpacker> open_unpacker(packing kind, const std::string& name, unpacker::reader read) {
  return kind == packing::gzip   ? open_gzip(name, std::move(read))
         : kind == packing::zstd ? open_zstd(name, std::move(read))
                                 : nullptr;
}

std::unique_ptr<packer> open_packer(packing kind, const std::string& name, packer::writer write) {
  return kind == packing::gzip   ? pack_gzip(name, std::move(write))
         : kind == packing::zstd ? pack_zstd(name, std::move(write))
                                 : nullptr;
}

void unpacker::cut_off() const {
  throw error(fault::bad_argument, name_, "it is cut off: its compressed data end too early",
              "copy or download it again");
}

void unpacker::damaged(const char* how) const {
  throw error(fault::bad_argument, name_, std::string("it is damaged: ") + how, "copy or download it again");
}

void unpacker::refill() {
  if (ended_) return;
  at_ = 0;
  end_ = unpack(block_.data(), block_.size());
  ended_ = end_ == 0;
}

std::uint64_t unpacker::read(void* to, std::uint64_t bytes) {
  std::uint64_t got = 0;
  while (got < bytes) {
    if (at_ == end_) refill();
    if (at_ == end_) break;
    const std::uint64_t some = std::min(bytes - got, end_ - at_);
    std::memcpy(static_cast<char*>(to) + got, block_.data() + at_, some);
    got += some;
    at_ += some;
  }
  if (at_ == end_) refill();
  return got;
}
