#include "cli/io/same_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <optional>

#include "upsweep/error.hpp"

namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// An inode; or a name in a folder, of which `name` is not empty.
struct place {
  dev_t device;
  ino_t inode;
  std::string name;
  bool file;  // and no pipe or socket, which may well be both input and output
  bool operator==(const place&) const = default;
};

std::optional<place> identity_of(const struct stat& there) {
  if (S_ISCHR(there.st_mode)) return {};  // /dev/null takes what comes
  return place{there.st_dev, there.st_ino, {}, S_ISREG(there.st_mode)};
}

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

std::optional<place> identity_of(const std::string& path, int standard) {
  struct stat there{};
  if (path.empty()) return {};
  if (path == "-") return fstat(standard, &there) == 0 ? identity_of(there) : std::nullopt;
  if (stat(path.c_str(), &there) == 0) return identity_of(there);
  const std::string end = end_of_links(path);
  if (stat(folder_of(end).c_str(), &there) != 0) return {};  // it cannot be made either
  return place{there.st_dev, there.st_ino, end.substr(end.rfind('/') + 1), true};
}

}  // namespace

std::string end_of_links(const std::string& path) {
  std::string end = path;
  for (int links = 0; links < 40; ++links) {
    char to[PATH_MAX];
    const ssize_t n = readlink(end.c_str(), to, sizeof to);
    if (n <= 0) break;
    const std::string next(to, static_cast<std::size_t>(n));
    end = next[0] == '/' || end.find('/') == std::string::npos ? next : folder_of(end) + "/" + next;
  }
  return end;
}

void require_no_overlap(const std::vector<file_named>& outputs, const std::vector<file_named>& inputs) {
  using upsweep::error;
  using upsweep::fault;
  const auto said = [](const file_named& f) { return f.option + " '" + f.path + "'"; };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::optional<place> at = identity_of(outputs[i].path, STDOUT_FILENO);
    for (std::size_t k = 0; k < i; ++k)
      if ((at && at == identity_of(outputs[k].path, STDOUT_FILENO)) ||
          (is_standard_output(outputs[i].path) && is_standard_output(outputs[k].path)))
        throw error(fault::bad_argument, said(outputs[i]), "it is the same file as " + said(outputs[k]),
                    "name two files");
    for (const file_named& in : inputs)
      if (at && at == identity_of(in.path, STDIN_FILENO) && at->file)
        throw error(fault::bad_argument, said(outputs[i]), "it is the input " + said(in) + ", which would be lost",
                    "name another file");
  }
}
