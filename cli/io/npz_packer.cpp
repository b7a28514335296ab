#include "cli/io/zip.hpp"

using namespace zip;

namespace {

void append_number(std::string& text, std::uint64_t n, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(n >> 8 * i & 255);
}

// One member, stored. Its length and checksum are known in the end: they follow it, in 64 bits.
class npz_packer final : public packer {
 public:
  explicit npz_packer(writer write) : write_(std::move(write)) {}

  void write(const void* from, std::uint64_t bytes) override {
    begin();
    if (bytes == 0) return;
    sum_ = checksum_of(sum_, from, bytes);
    size_ += bytes;
    write_(from, bytes);
  }
  void finish() override {
    begin();
    std::string end;
    append_number(end, trailer_mark, 4);
    append_number(end, sum_, 4);
    append_number(end, size_, 8);
    append_number(end, size_, 8);
    const std::uint64_t directory_at = member_bytes + title.size() + large(0).size() + size_ + end.size();
    const std::string entry = header(entry_mark, size_);
    end += entry;
    const std::uint64_t end64_at = directory_at + entry.size();
    append_number(end, end64_mark, 4);
    append_number(end, end64_bytes - 12, 8);
    append_number(end, version | version << 16, 4);
    append_number(end, 0, 8);  // this disk and the directory's
    append_number(end, 1, 8);
    append_number(end, 1, 8);
    append_number(end, entry.size(), 8);
    append_number(end, directory_at, 8);
    append_number(end, end64_place_mark, 4);
    append_number(end, 0, 4);
    append_number(end, end64_at, 8);
    append_number(end, 1, 4);
    append_number(end, end_mark, 4);
    append_number(end, 0, 4);
    append_number(end, 1 | 1 << 16, 4);
    append_number(end, entry.size(), 4);
    append_number(end, 0xffffffff, 4);
    append_number(end, 0, 2);
    put(end);
  }

 private:
  static constexpr std::string_view title = "arr_0.npy";
  static constexpr std::uint64_t version = 45, follows = 1 << 3, first_of_1980 = 33;

  void begin() {
    if (!begun_) put(header(member_mark, 0));
    begun_ = true;
  }
  void put(const std::string& text) { write_(text.data(), text.size()); }
  static std::string large(std::uint64_t size) {
    std::string extra;
    append_number(extra, 1, 2);
    append_number(extra, 16, 2);
    append_number(extra, size, 8);
    append_number(extra, size, 8);
    return extra;
  }
  // A member's header and its entry in the directory begin alike.
  std::string header(std::uint32_t mark, std::uint64_t size) const {
    const bool entry = mark == entry_mark;
    std::string h;
    append_number(h, mark, 4);
    append_number(h, version, 2);
    if (entry) append_number(h, version, 2);
    append_number(h, follows, 2);
    append_number(h, 0, 2);
    append_number(h, 0, 2);
    append_number(h, first_of_1980, 2);
    append_number(h, sum_, 4);
    append_number(h, 0xffffffff, 4);
    append_number(h, 0xffffffff, 4);
    append_number(h, title.size(), 2);
    append_number(h, large(0).size(), 2);
    if (entry) {
      append_number(h, 0, 6);  // comment length, disk number, internal attributes
      append_number(h, std::uint64_t{0644} << 16, 4);
      append_number(h, 0, 4);  // where it is: the file's first
    }
    h += title;
    return h + large(size);
  }

  writer write_;
  bool begun_ = false;
  std::uint32_t sum_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<packer> pack_npz(const std::string&, packer::writer write) {
  return std::make_unique<npz_packer>(std::move(write));
}
