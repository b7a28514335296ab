#include "cli/io/zip.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;
using namespace zip;

namespace {

constexpr std::uint64_t largest_directory = std::uint64_t{1} << 28;

[[noreturn]] void malformed(const std::string& name, const char* how) {
  throw error(fault::bad_argument, name, std::string("it is not a complete .npz file: ") + how, "save it again");
}

// Little-endian numbers from a text, which is checked to be long enough by whoever asks.
std::uint64_t number(std::string_view text, std::uint64_t at, int bytes) {
  std::uint64_t n = 0;
  for (int i = bytes; i-- > 0;) n = n << 8 | static_cast<unsigned char>(text[at + static_cast<std::uint64_t>(i)]);
  return n;
}

std::uint64_t read_at(int descriptor, const std::string& name, void* to, std::uint64_t bytes, std::uint64_t at) {
  std::uint64_t got = 0;
  while (got < bytes) {
    const ssize_t some = pread(descriptor, static_cast<char*>(to) + got, bytes - got, static_cast<off_t>(at + got));
    if (some == 0) break;
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) throw error(fault::bad_argument, name, std::string("cannot read it: ") + std::strerror(errno));
    got += static_cast<std::uint64_t>(some);
  }
  return got;
}

std::string text_at(int descriptor, const std::string& name, std::uint64_t bytes, std::uint64_t at) {
  std::string text(bytes, '\0');
  if (read_at(descriptor, name, text.data(), bytes, at) < bytes) malformed(name, "it is cut off");
  return text;
}

struct directory_place {
  std::uint64_t entries, bytes, at;
};

// The end's record is found from the back: a comment of up to 64 KiB may follow it.
directory_place place_of_directory(int descriptor, const std::string& name, std::uint64_t bytes) {
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(bytes, end_bytes + 65535), tail_at = bytes - tail_bytes;
  const std::string tail = text_at(descriptor, name, tail_bytes, tail_at);
  for (std::uint64_t i = tail_bytes < end_bytes ? 0 : tail_bytes - end_bytes + 1; i-- > 0;) {
    if (number(tail, i, 4) != end_mark || number(tail, i + 20, 2) > tail_bytes - i - end_bytes) continue;
    directory_place d{number(tail, i + 10, 2), number(tail, i + 12, 4), number(tail, i + 16, 4)};
    const bool large = d.entries == 0xffff || d.bytes == 0xffffffff || d.at == 0xffffffff;
    if (!large || tail_at + i < end64_place_bytes) return d;
    const std::string place = text_at(descriptor, name, end64_place_bytes, tail_at + i - end64_place_bytes);
    if (number(place, 0, 4) != end64_place_mark) return d;
    const std::uint64_t at = number(place, 8, 8);
    if (at > bytes || bytes - at < end64_bytes) malformed(name, "its directory is outside the file");
    const std::string end = text_at(descriptor, name, end64_bytes, at);
    if (number(end, 0, 4) != end64_mark) malformed(name, "its directory's end is damaged");
    return {number(end, 32, 8), number(end, 40, 8), number(end, 48, 8)};
  }
  malformed(name, "the directory at its end is missing");
}

// Sizes and the position that do not fit in 32 bits are in an extra field, only those and in this order.
void read_large(zip_member& m, std::string_view extra) {
  constexpr std::uint64_t zip64 = 1, none = 0xffffffff;
  while (extra.size() >= 4) {
    const std::uint64_t kind = number(extra, 0, 2), bytes = number(extra, 2, 2);
    if (bytes > extra.size() - 4) return;
    std::string_view body = extra.substr(4, bytes);
    extra.remove_prefix(4 + bytes);
    if (kind != zip64) continue;
    for (std::uint64_t* value : {&m.size, &m.packed, &m.header_at})
      if (*value == none && body.size() >= 8) {
        *value = number(body, 0, 8);
        body.remove_prefix(8);
      }
  }
}

// A member's bytes, held against the directory's length and checksum.
class member final : public unpacker {
 public:
  member(int descriptor, const std::string& name, const zip_member& m, std::uint64_t at)
      : unpacker(name,
                 [this, descriptor, at](void* to, std::uint64_t bytes) {
                   const std::uint64_t wanted = std::min(bytes, left_);
                   const std::uint64_t got = read_at(descriptor, name_, to, wanted, at + taken_);
                   taken_ += got;
                   left_ -= got;
                   return got;
                 }),
        size_(m.size),
        checksum_(m.checksum),
        left_(m.packed) {
    if (m.method != 0) deflated_ = open_gzip(name, read_, true);
  }

 protected:
  std::uint64_t unpack(char* to, std::uint64_t capacity) override {
    const std::uint64_t got = deflated_ ? deflated_->read(to, capacity) : read_(to, capacity);
    if (got > size_ - done_) damaged("it is longer than its directory says");
    done_ += got;
    sum_ = checksum_of(sum_, to, got);
    if (got == 0 && done_ < size_) cut_off();
    if (got == 0 && sum_ != checksum_) damaged("its checksum is wrong");
    return got;
  }

 private:
  std::uint64_t size_, done_ = 0;
  std::uint32_t checksum_, sum_ = 0;
  std::uint64_t left_, taken_ = 0;
  std::unique_ptr<unpacker> deflated_;
};

std::string printable(std::string_view text) {
  std::string safe;
  for (char c : text.substr(0, 60)) safe += c >= ' ' && c < 127 ? c : '?';
  return safe;
}

}  // namespace

bool is_npz(std::string_view path) {
  if (path.size() < 5) return false;
  const std::string_view end = path.substr(path.size() - 4);
  return end == ".npz" || end == ".NPZ";
}

member_path parted_at_member(const std::string& path) {
  struct stat there{};
  if (stat(path.c_str(), &there) != 0)
    for (std::size_t colon = path.rfind(':'); colon != std::string::npos && colon > 0;
         colon = path.rfind(':', colon - 1))
      if (is_npz(std::string_view(path).substr(0, colon))) return {path.substr(0, colon), path.substr(colon + 1)};
  return {path, ""};
}

std::vector<zip_member> zip_directory(int descriptor, const std::string& name, std::uint64_t bytes) {
  const directory_place place = place_of_directory(descriptor, name, bytes);
  if (place.at > bytes || place.bytes > bytes - place.at || place.bytes > largest_directory)
    malformed(name, "its directory is outside the file");
  const std::string text = text_at(descriptor, name, place.bytes, place.at);
  std::string_view rest = text;
  std::vector<zip_member> members;
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    if (rest.size() < entry_bytes || number(rest, 0, 4) != entry_mark) malformed(name, "its directory is damaged");
    zip_member m{.name{},
                 .encrypted = (number(rest, 8, 2) & 1) != 0,
                 .method = static_cast<int>(number(rest, 10, 2)),
                 .checksum = static_cast<std::uint32_t>(number(rest, 16, 4)),
                 .packed = number(rest, 20, 4),
                 .size = number(rest, 24, 4),
                 .header_at = number(rest, 42, 4)};
    const std::uint64_t title = number(rest, 28, 2), extra = number(rest, 30, 2), comment = number(rest, 32, 2);
    if (rest.size() - entry_bytes < title + extra + comment) malformed(name, "its directory is damaged");
    m.name = rest.substr(entry_bytes, title);
    read_large(m, rest.substr(entry_bytes + title, extra));
    rest.remove_prefix(entry_bytes + title + extra + comment);
    if (!m.name.ends_with('/')) members.push_back(std::move(m));
  }
  return members;
}

zip_member chosen_member(const std::vector<zip_member>& members, const std::string& name, std::string_view wanted) {
  if (members.empty()) throw error(fault::bad_argument, name, "it contains no array", "give another file");
  std::string names;
  // Of two with one name the last counts, as it does for NumPy.
  for (auto m = members.rbegin(); m != members.rend(); ++m) {
    const std::string_view plain =
        m->name.ends_with(".npy") ? std::string_view(m->name).substr(0, m->name.size() - 4) : m->name;
    if (wanted.empty() ? members.size() == 1 : wanted == m->name || wanted == plain) return *m;
    if (names.size() < 300)
      names = printable(plain) + (names.empty() ? "" : ", ") + names;
    else if (!names.starts_with("..., "))
      names = "..., " + names;
  }
  if (wanted.empty())
    throw error(
        fault::bad_argument, name, fmt::format("it contains {} arrays: {}", members.size(), names),
        fmt::format("name one as {}:{}", name, printable(members[0].name.substr(0, members[0].name.find(".npy")))));
  throw error(fault::bad_argument, name, fmt::format("it contains no array '{}'", printable(wanted)),
              fmt::format("there {}: {}", members.size() == 1 ? "is" : "are", names));
}

std::unique_ptr<unpacker> open_member(int descriptor, const std::string& name, const zip_member& m) {
  if (m.encrypted) throw error(fault::unsupported, name, "it is encrypted", "save it without a password");
  if (m.method != 0 && m.method != 8)
    throw error(fault::unsupported, name, fmt::format("it is compressed by zip's method {}", m.method),
                "save it with numpy.savez or numpy.savez_compressed");
  const std::string header = text_at(descriptor, name, member_bytes, m.header_at);
  if (number(header, 0, 4) != member_mark) malformed(name, "its directory does not contain its members' positions");
  return std::make_unique<member>(descriptor, name, m,
                                  m.header_at + member_bytes + number(header, 26, 2) + number(header, 28, 2));
}
