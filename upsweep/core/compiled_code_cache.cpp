#include "upsweep/core/compiled_code_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>
#include <vector>

#include "upsweep/core/environment.hpp"

namespace upsweep::code_cache {

namespace {

constexpr std::uint64_t most_code = std::uint64_t{1} << 30;  // bytes; far more than any compiler output
constexpr std::string_view magic = "upsweep code 1\n", ending = ".code", unfinished = ".part";

std::uint64_t hash_of(std::string_view text, std::uint64_t from) {
  for (const unsigned char c : text) from = (from ^ c) * 0x100000001b3u;
  return from ^ from >> 29;
}

std::string hexadecimal(std::uint64_t x) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[x >> shift & 15];
  return text;
}

std::string name_of(std::string_view key) {
  return hexadecimal(hash_of(key, 0xcbf29ce484222325u)) + hexadecimal(hash_of(key, 0x9e3779b97f4a7c15u)) +
         std::string(ending);
}

// The header of an entry; its key and its code follow.
struct head {
  char begins[16]{};
  std::uint64_t key_bytes = 0, code_bytes = 0, checked = 0;
};

head head_of(std::string_view key, std::string_view code) {
  head h;
  std::memcpy(h.begins, magic.data(), magic.size());
  h.key_bytes = key.size(), h.code_bytes = code.size();
  h.checked = hash_of(code, hash_of(key, h.key_bytes));
  return h;
}

bool write_all(int file, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t written = ::write(file, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written, bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(file, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// Accepts only files that this user owns and no other user can write: a shared folder, or one that sudo kept in the
// environment, may contain files of other users.
bool is_ours(const struct stat& s) { return S_ISREG(s.st_mode) && s.st_uid == ::geteuid() && (s.st_mode & 022) == 0; }

std::optional<std::string> code_in(int file, std::string_view key) {
  struct stat s;
  head h;
  if (::fstat(file, &s) != 0 || !is_ours(s) || !read_all(file, &h, sizeof h)) return std::nullopt;
  const auto rest = static_cast<std::uint64_t>(s.st_size) - sizeof h;
  if (h.key_bytes != key.size() || rest < key.size() || h.code_bytes != rest - key.size() || h.code_bytes > most_code)
    return std::nullopt;
  std::string found(key.size(), '\0');
  if (!read_all(file, found.data(), found.size()) || found != key) return std::nullopt;
  std::string code(h.code_bytes, '\0');
  if (!read_all(file, code.data(), code.size())) return std::nullopt;
  const head want = head_of(key, code);
  if (std::memcmp(&want, &h, sizeof h) != 0) return std::nullopt;
  return code;
}

// The time of modification of an entry is the time of its last use, to within this many seconds.
constexpr std::time_t use_resolution = 60;
void note_use(int file) {
  struct stat s;
  if (::fstat(file, &s) == 0 && std::time(nullptr) - s.st_mtime >= use_resolution) ::futimens(file, nullptr);
}

// Creates the folder and its parents.
void make_folder(const std::string& path) {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    ::mkdir(path.substr(0, at).c_str(), 0700);
    if (at == std::string::npos) return;
  }
}

template <class F>
void for_each_entry(F f) {
  const std::string where = folder();
  DIR* const open = where.empty() ? nullptr : ::opendir(where.c_str());
  if (!open) return;
  while (const dirent* const entry = ::readdir(open)) {
    const std::string_view name(entry->d_name);
    struct stat s;
    const std::string path = where + "/" + entry->d_name;
    if ((name.ends_with(ending) || name.ends_with(unfinished)) && ::lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode))
      f(path, name, s);
  }
  ::closedir(open);
}

// Removes the least recently used entries until three quarters of the bound are left, so that the next ones need no
// removal. Unfinished files of other processes are removed if they are an hour old: their process has ended.
void keep_within_bound(std::uint64_t most, const std::string& newest) {
  struct entry {
    timespec used;
    std::uint64_t bytes;
    std::string path;
  };
  std::vector<entry> all;
  std::uint64_t bytes = 0;
  const std::time_t now = std::time(nullptr);
  for_each_entry([&](const std::string& path, std::string_view name, const struct stat& s) {
    const auto size = static_cast<std::uint64_t>(s.st_size);
    bytes += size;
    if (path != newest && (name.ends_with(ending) || now - s.st_mtime > 3600)) all.push_back({s.st_mtim, size, path});
  });
  if (bytes <= most) return;
  std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const entry& e : all) {
    if (bytes <= most / 4 * 3) return;
    if (::unlink(e.path.c_str()) == 0) bytes -= e.bytes;
  }
}

}  // namespace

std::uint64_t most_bytes_on_disk() {
  return core::number_from_environment("UPSWEEP_CODE_CACHE_LIMIT", std::uint64_t{256} << 20, "code cache", "bytes",
                                       "268435456, 256M or 1G");
}
std::size_t most_programs() {
  return static_cast<std::size_t>(
      core::number_from_environment("UPSWEEP_PROGRAM_LIMIT", 512, "code cache", "programs", "512"));
}

std::string folder() {
  // secure_getenv returns null in a program with more privileges than its caller, so the caller cannot choose the code
  // that runs. The XDG specification requires that relative paths are ignored.
  if (const char* const base = ::secure_getenv("XDG_CACHE_HOME"); base && base[0] == '/')
    return std::string(base) + "/upsweep";
  if (const char* const home = ::secure_getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/upsweep";
  return {};
}

std::optional<std::string> read(std::string_view key) try {
  const std::string where = folder();
  if (most_bytes_on_disk() == 0 || where.empty()) return std::nullopt;
  // O_NONBLOCK, because open() would wait if the name belongs to a pipe.
  const int file = ::open((where + "/" + name_of(key)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  struct closer {
    int file;
    ~closer() { ::close(file); }
  } const at_end{file};
  std::optional<std::string> code = code_in(file, key);
  if (code) note_use(file);
  return code;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

void write(std::string_view key, std::string_view code) noexcept try {
  static std::atomic<unsigned> number{0};
  const std::string where = folder();
  const std::uint64_t most = most_bytes_on_disk();
  if (where.empty() || key.size() + code.size() > most) return;
  make_folder(where);
  const std::string path = where + "/" + name_of(key), beside = path + "." + std::to_string(::getpid()) + "-" +
                                                                std::to_string(number++) + std::string(unfinished);
  // Removes the file of an earlier process with this process id that was killed.
  ::unlink(beside.c_str());
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const head h = head_of(key, code);
  const bool whole = write_all(file, &h, sizeof h) && write_all(file, key.data(), key.size()) &&
                     write_all(file, code.data(), code.size());
  const bool closed = ::close(file) == 0;
  if (!whole || !closed || ::rename(beside.c_str(), path.c_str()) != 0) {
    ::unlink(beside.c_str());
    return;
  }
  keep_within_bound(most, path);
} catch (...) {
  // Without memory no entry is written; the caller still has the code.
}

held size() {
  held all;
  for_each_entry([&](const std::string&, std::string_view name, const struct stat& s) {
    all.entries += name.ends_with(ending), all.bytes += static_cast<std::uint64_t>(s.st_size);
  });
  return all;
}

held clear() {
  held all;
  for_each_entry([&](const std::string& path, std::string_view name, const struct stat& s) {
    if (::unlink(path.c_str()) != 0) return;
    all.entries += name.ends_with(ending), all.bytes += static_cast<std::uint64_t>(s.st_size);
  });
  return all;
}

namespace {
std::atomic<std::uint64_t> compiled{0};
std::atomic<std::int64_t> in_memory{0};
}  // namespace
std::uint64_t compilations() { return compiled.load(std::memory_order_relaxed); }
void note_compilation() { compiled.fetch_add(1, std::memory_order_relaxed); }
std::int64_t programs_in_memory() { return in_memory.load(std::memory_order_relaxed); }
void note_programs(std::int64_t change) { in_memory.fetch_add(change, std::memory_order_relaxed); }

}  // namespace upsweep::code_cache
