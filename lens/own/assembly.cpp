#include "lens/own/assembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "lens/own/table.hpp"

namespace upsweep::lens::own {

namespace {

using std::string_view;

// device::assemble (assembled.cpp) executes the instructions.
constexpr std::array known{
    "mov",
    "add",
    "sub",
    "and",
    "or",
    "xor",
    "not",
    "shl",
    "shr",
    "min",
    "max",
    "selp",
    "setp",
    "lop3",
    "bra",
    "vote",
    "ld",
    "st",
    "red",
    "atom",
    "bar",
    "cp",
    "popc",
    "membar",
    "fence",
    "mbarrier",
    "prefetch",
    "activemask",
    "griddepcontrol",
    "barrier",
    "cvt",
    "rsqrt",
    "mapa",
    "getctarank",
};

// Copies by the engine, between global memory and shared, or from shared memory into another block's.
bool understood_in_bulk(const ptx_instruction& i) {
  if (i.code != "cp" || i.has("reduce") || i.has("multicast::cluster") || i.has("cp_mask")) return false;
  if (i.has("commit_group") || i.has("wait_group") || i.has("prefetch")) return true;
  if (i.has("bulk_group")) return i.has("global") && i.has("shared::cta");
  const bool loads = i.has("global") && (i.has("shared::cluster") || i.has("shared::cta")),
             between = i.has("shared::cluster") && i.has("shared::cta");
  return i.has("mbarrier::complete_tx::bytes") && (loads || between);
}

constexpr std::array<std::pair<const char*, std::uint64_t>, 6> of_cluster{
    {{"%%cluster_nctaid", upsweep_lens::size_of_it},
     {"%%cluster_ctaid", upsweep_lens::place_in_it},
     {"%%clusterid", upsweep_lens::place_of_it},
     {"%%nclusterid", upsweep_lens::clusters},
     {"%%cluster_ctarank", upsweep_lens::rank_in_it},
     {"%%cluster_nctarank", upsweep_lens::blocks_of_it}}};

bool understood(const ptx_instruction& i) {
  if (std::find(known.begin(), known.end(), i.code) == known.end()) return false;
  if (i.has("tensor") || i.has("multimem")) return false;
  if (i.has("bulk")) return understood_in_bulk(i);
  if (i.has("async") && i.code != "cp" && i.code != "fence") return false;
  if (i.code == "cp") return i.has("async");
  if (i.code == "cvt")
    return i.text() == "cvt.pack.sat.u8.s32.b32" || i.text() == "cvt.f32.f16" || i.text() == "cvt.rn.f16.f32";
  if (i.code == "mbarrier")
    return !i.has("noComplete") && (i.has("init") || i.has("inval") || i.has("arrive") || i.has("expect_tx") ||
                                    i.has("complete_tx") || i.has("test_wait") || i.has("try_wait"));
  if (i.code == "vote") return i.has("sync") && i.has("ballot");
  if (i.code == "red" || i.code == "atom")
    return i.has("add") || i.has("exch") || i.has("min") || i.has("max") || i.has("and") || i.has("or") ||
           i.has("xor") || i.has("cas");
  if (i.type() == 'f')
    return i.bits() >= 32 && (i.code == "rsqrt" || i.code == "add" || i.code == "sub" || i.code == "mov" ||
                              i.code == "ld" || i.code == "st");
  return true;
}

class reader {
 public:
  explicit reader(string_view text) : text_(text) {}

  ptx_statement all() {
    skip();
    while (at_ < text_.size() && result_.wrong.empty()) {
      statement();
      skip();
    }
    for (const auto& [name, places] : jumps_)
      for (const std::size_t i : places) {
        const auto to = labels_.find(name);
        if (to == labels_.end()) {
          result_.wrong = "a jump to " + name;
        } else {
          result_.all[i].target = to->second;
        }
      }
    result_.registers = registers_.size();
    return std::move(result_);
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() &&
           (std::isspace(static_cast<unsigned char>(now())) || now() == ';' || now() == '{' || now() == '}'))
      ++at_;
  }
  void spaces() {
    while (std::isspace(static_cast<unsigned char>(now()))) ++at_;
  }
  bool take(char c) {
    spaces();
    if (now() != c) return false;
    ++at_;
    return true;
  }
  // Letters, digits, and the other characters in names of instructions and registers.
  std::string word() {
    spaces();
    const std::size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(now())) || now() == '_' || now() == '.' || now() == '%' ||
           now() == '$' || (now() == ':' && at_ + 1 < text_.size() && text_[at_ + 1] == ':'))
      at_ += now() == ':' ? 2 : 1;
    return std::string(text_.substr(from, at_ - from));
  }
  void wrong(const std::string& what) {
    if (result_.wrong.empty()) result_.wrong = what;
    at_ = text_.size();
  }
  std::uint64_t own(const std::string& name) { return registers_.try_emplace(name, registers_.size()).first->second; }

  void statement() {
    ptx_instruction i;
    if (take('@')) {
      i.unless = take('!');
      i.guard = static_cast<int>(own(word()));
    }
    const std::string name = word();
    if (name.empty()) return wrong(std::string(1, now()));
    if (take(':')) {
      labels_[name] = result_.all.size();
      return;
    }
    if (name.starts_with(".reg")) {
      // The type comes first; it counts as one more name.
      do {
        const std::string declared = word();
        if (declared.empty()) return wrong(name);
        own(declared);
        take(',');
        spaces();
      } while (now() != ';' && now() != '\0');
      return;
    }
    std::size_t from = 0;
    for (std::size_t dot = 0; dot != std::string::npos; from = dot + 1) {
      dot = name.find('.', from);
      const std::string part = name.substr(from, dot == std::string::npos ? dot : dot - from);
      if (from == 0) {
        i.code = part;
      } else {
        i.qualifiers.push_back(part);
      }
    }
    if (!understood(i)) return wrong(name);
    if (i.code == "bra") {
      jumps_[word()].push_back(result_.all.size());
    } else {
      for (spaces(); now() != ';' && now() != '\0' && now() != '}'; spaces()) {
        i.arguments.push_back(argument());
        if (!take(',')) break;
      }
    }
    if (!take(';') && (spaces(), now() != '\0' && now() != '}')) return wrong(name);
    result_.all.push_back(std::move(i));
  }

  ptx_argument argument() {
    ptx_argument a;
    if (take('{')) {
      do a.values.push_back(value());
      while (take(','));
      if (!take('}')) wrong("{");
    } else if (take('[')) {
      a.in_memory = true;
      a.values.push_back(value());
      if (take('+')) a.offset = static_cast<std::int64_t>(value().bits);
      if (!take(']')) wrong("[");
    } else {
      a.values.push_back(value());
    }
    return a;
  }
  ptx_value value() {
    const bool negative = take('-');
    const std::string name = word();
    if (name.empty()) {
      wrong(std::string(1, now()));
      return {};
    }
    if (std::isdigit(static_cast<unsigned char>(name[0]))) {
      std::uint64_t bits = 0;
      if (name.starts_with("0f") || name.starts_with("0F") || name.starts_with("0d") || name.starts_with("0D")) {
        bits = std::stoull(name.substr(2), nullptr, 16);
      } else {
        bits = std::stoull(name, nullptr, 0);
      }
      return {ptx_value::number, negative ? 0 - bits : bits};
    }
    if (name == "_") return {};
    if (name[0] == '%' && name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])))
      return {ptx_value::operand, std::stoull(name.substr(1))};
    if (name.starts_with("%%")) {
      constexpr std::array masks{"%%lanemask_lt", "%%lanemask_le", "%%lanemask_gt", "%%lanemask_ge", "%%lanemask_eq"};
      const auto at = std::find(masks.begin(), masks.end(), name);
      if (at != masks.end()) return {ptx_value::lane_mask, static_cast<std::uint64_t>(at - masks.begin())};
      if (name == "%%laneid") return {ptx_value::lane_id, 0};
      for (const auto& [is, which] : of_cluster) {
        if (name == is && which >= upsweep_lens::rank_in_it) return {ptx_value::of_cluster, which};
        for (std::uint64_t d = 0; d < 3 && which < upsweep_lens::rank_in_it; ++d)
          if (name == std::string(is) + "." + "xyz"[d]) return {ptx_value::of_cluster, which + d};
      }
      wrong(name.substr(1));
      return {};
    }
    return {ptx_value::own, own(name)};
  }

  string_view text_;
  std::size_t at_ = 0;
  std::map<std::string, std::uint64_t> registers_;
  std::map<std::string, std::size_t> labels_;
  std::map<std::string, std::vector<std::size_t>> jumps_;
  ptx_statement result_;
};

}  // namespace

bool ptx_instruction::has(string_view q) const {
  return std::find(qualifiers.begin(), qualifiers.end(), q) != qualifiers.end();
}

// The last qualifier that names one: of "setp.eq.u32" u32.
static string_view type_of(const ptx_instruction& i) {
  for (auto q = i.qualifiers.rbegin(); q != i.qualifiers.rend(); ++q)
    if (*q == "pred" || (q->size() > 1 && string_view("usbf").find((*q)[0]) != string_view::npos &&
                         std::all_of(q->begin() + 1, q->end(), [](unsigned char c) { return std::isdigit(c) != 0; })))
      return *q;
  return "b32";
}
unsigned ptx_instruction::bits() const {
  const string_view t = type_of(*this);
  return t == "pred" ? 1 : static_cast<unsigned>(std::stoul(std::string(t.substr(1))));
}
char ptx_instruction::type() const { return type_of(*this)[0]; }
unsigned ptx_instruction::vector() const { return has("v2") ? 2 : has("v4") ? 4 : 1; }
std::string ptx_instruction::text() const {
  std::string all = code;
  for (const std::string& q : qualifiers) all += "." + q;
  return all;
}

ptx_statement read_ptx(string_view text) { return reader(text).all(); }

std::string not_understood(string_view text) { return read_ptx(text).wrong; }

}  // namespace upsweep::lens::own
