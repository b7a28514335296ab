// NumPy's .npz: a zip file of .npy members, stored or deflated. Its directory is at its end, so it is read from files
// and not from pipes. It is written with one member, arr_0.npy, as numpy.savez does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/packed.hpp"

// The format's records.
namespace zip {
inline constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, end64_place_mark = 0x07064b50,
                               entry_mark = 0x02014b50, member_mark = 0x04034b50, trailer_mark = 0x08074b50;
inline constexpr std::uint64_t end_bytes = 22, end64_bytes = 56, end64_place_bytes = 20, entry_bytes = 46,
                               member_bytes = 30;
}  // namespace zip

struct zip_member {
  std::string name;
  bool encrypted = false;
  int method = 0;  // 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0, header_at = 0;
};

// Reads the directory of an open file of this many bytes.
std::vector<zip_member> zip_directory(int descriptor, const std::string& name, std::uint64_t bytes);

// The member of that name, with or without .npy; the only one if `wanted` is empty. Throws an error that lists the
// members.
zip_member chosen_member(const std::vector<zip_member>&, const std::string& name, std::string_view wanted);
std::unique_ptr<unpacker> open_member(int descriptor, const std::string& name, const zip_member&);

// Splits "data.npz:x" into file and member. The member is empty if `path` is the name of an existing file or has
// another form.
struct member_path {
  std::string file, member;
};
member_path parted_at_member(const std::string& path);
bool is_npz(std::string_view path);

std::unique_ptr<packer> pack_npz(const std::string& name, packer::writer);
