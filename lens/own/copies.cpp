#include "lens/own/copies.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "upsweep/error.hpp"

namespace upsweep::lens::own {

namespace fs = std::filesystem;

std::string read_whole(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool write_whole(const fs::path& p, const std::string& text) {
  std::error_code none;
  // An unchanged file keeps its time, so that object files compiled from it stay up to date.
  if (fs::is_regular_file(p, none) && read_whole(p) == text) return false;
  fs::create_directories(p.parent_path());
  std::ofstream out(p, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw error(fault::bad_argument, "lens", "cannot write " + p.string(),
                "make room, or set TMPDIR to another folder");
  return true;
}

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) all += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return all + "\"";
}

fs::path copies::add(const fs::path& file, fs::path copy) {
  const std::string key = fs::weakly_canonical(file).string();
  if (const auto known = copies_.find(key); known != copies_.end()) return known->second;
  if (copy.empty()) copy = folder_ / std::to_string(copies_.size()) / file.filename();
  copies_[key] = copy;
  const std::string text = read_whole(file);
  rewritten r = rewrite(file.string(), text, *this);
  refused.insert(refused.end(), r.refused.begin(), r.refused.end());
  has_main = has_main || r.has_main;
  dynamic_shared = dynamic_shared || r.dynamic_shared;
  if (write_whole(copy, "#line 1 " + quoted(fs::absolute(file).string()) + "\n" + r.text)) changed_.insert(key);
  return copy;
}

bool copies::has_changed(const fs::path& file) const {
  std::set<std::string> seen;
  const auto any = [&](const auto& self, const std::string& key) -> bool {
    if (!seen.insert(key).second) return false;
    if (changed_.contains(key)) return true;
    const auto at = includes_.find(key);
    return at != includes_.end() &&
           std::any_of(at->second.begin(), at->second.end(), [&](const std::string& k) { return self(self, k); });
  };
  return any(any, fs::weakly_canonical(file).string());
}

std::string copies::instead_of(const std::string& name, bool in_quotes, const std::string& from) {
  std::vector<fs::path> where = places_;
  if (in_quotes) where.insert(where.begin(), fs::path(from).parent_path());
  for (const fs::path& p : where) {
    std::error_code none;
    if (!fs::is_regular_file(p / name, none)) continue;
    includes_[fs::weakly_canonical(from).string()].insert(fs::weakly_canonical(p / name).string());
    return add(p / name).string();
  }
  return {};
}

}  // namespace upsweep::lens::own
