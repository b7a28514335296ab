// A program's files, rewritten for the lens, each once and whatever includes it, below a folder.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lens/own/rewrite.hpp"

namespace upsweep::lens::own {

std::string read_whole(const std::filesystem::path&);
// Returns whether the content changed. Throws upsweep::error if the disk is full.
bool write_whole(const std::filesystem::path&, const std::string& text);
std::string quoted(const std::string& text);  // as C++ quotes it

class copies : public inclusions {
 public:
  // `places` are the include folders of the compiler; a name that is found in none of them does not change.
  copies(std::filesystem::path folder, std::vector<std::filesystem::path> places)
      : folder_(std::move(folder)), places_(std::move(places)) {}

  // Returns the path of the copy, which is chosen if none is given. Messages name it `file`.
  std::filesystem::path add(const std::filesystem::path& file, std::filesystem::path copy = {});
  std::string instead_of(const std::string& name, bool in_quotes, const std::string& from) override;
  // Whether its copy, or one that it includes, is not what lay there before.
  bool has_changed(const std::filesystem::path& file) const;

  std::vector<refused_word> refused;
  bool has_main = false, dynamic_shared = false;

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> places_;
  std::map<std::string, std::filesystem::path> copies_;
  std::map<std::string, std::set<std::string>> includes_;
  std::set<std::string> changed_;
};

}  // namespace upsweep::lens::own
