#include "lens/own/rewrite.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "lens/own/assembly.hpp"
#include "lens/own/refusals.hpp"
#include "lens/own/tokens.hpp"

namespace upsweep::lens::own {

namespace {

using std::string_view;

struct edit {
  std::size_t at = 0, removes = 0;
  std::string text;
};

// Line numbers do not change: removed text leaves its line ends.
std::string with_edits(const std::string& text, std::vector<edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const edit& a, const edit& b) {
    return a.at != b.at ? a.at < b.at : a.removes == 0 && b.removes != 0;
  });
  std::string result;
  std::size_t at = 0;
  for (const edit& e : edits) {
    if (e.at < at) continue;
    result += text.substr(at, e.at - at) + e.text;
    result += std::string(
        static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(e.at),
                                            text.begin() + static_cast<std::ptrdiff_t>(e.at + e.removes), '\n')),
        '\n');
    at = e.at + e.removes;
  }
  return result + text.substr(at);
}

bool one_of(string_view t, std::initializer_list<string_view> all) {
  return std::find(all.begin(), all.end(), t) != all.end();
}

// The contents of braces.
enum class scope : unsigned char { names, type, code };

class rewriter {
 public:
  rewriter(const std::string& file, const std::string& text, inclusions& files)
      : file_(file), text_(text), tokens_(tokens_of(text)), files_(files) {}

  rewritten all() {
    find_kernels();
    for (i_ = 0; i_ < tokens_.size(); ++i_) step();
    result_.text = with_edits(text_, std::move(edits_));
    return std::move(result_);
  }

 private:
  struct branch {
    std::vector<scope> scopes;  // as they were where it began
    std::vector<bool> of_device;
    bool guards = false;  // its contents against being read twice
  };

  const token& at(std::size_t i) const {
    static const token none;
    return i < tokens_.size() ? tokens_[i] : none;
  }
  bool in_code() const { return std::find(scopes_.begin(), scopes_.end(), scope::code) != scopes_.end(); }
  // In a branch that may not be taken the compiler is left to find it.
  void refuse(const token& t, std::string what) {
    if (std::any_of(branches_.begin(), branches_.end(), [](const branch& b) { return !b.guards; })) return;
    result_.refused.push_back({file_, t.line, std::move(what)});
  }
  void replace(const token& t, std::string text) { edits_.push_back({t.at, t.text.size(), std::move(text)}); }
  void insert(std::size_t at, std::string text) { edits_.push_back({at, 0, std::move(text)}); }

  // Past the bracket that closes the one at i.
  std::size_t past(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const string_view t = tokens_[i].text;
      if (tokens_[i].kind != token_kind::sign) continue;
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth == 0) return i + 1;
    }
    return i;
  }
  // Whether the word may have parentheses before the name of a declaration.
  bool decorates(std::size_t i) const {
    return one_of(at(i).text,
                  {"__attribute__", "__align__", "__launch_bounds__", "__cluster_dims__", "alignas", "decltype"}) &&
           at(i + 1).is("(");
  }

  // ---- declarations

  struct declared {
    std::vector<std::size_t> names;  // tokens
    std::size_t end = 0;             // the token that ends it: ; or {
    std::size_t open = 0;            // a function's parenthesis, or 0
  };

  // From the statement's first token on.
  declared read_declaration(std::size_t i) const {
    declared d;
    int angles = 0;
    bool in_value = false;
    std::size_t last_word = 0;
    for (; i < tokens_.size(); ++i) {
      const token& t = tokens_[i];
      if (t.kind == token_kind::directive) continue;
      if (decorates(i)) {
        i = past(i + 1) - 1;
        continue;
      }
      if (t.kind == token_kind::word) {
        if (t.is("operator")) return d.end = i, d.open = i, d;
        last_word = i;
        continue;
      }
      if (t.kind != token_kind::sign) continue;
      if (t.is("<") && !in_value) ++angles;
      if (t.is(">") && !in_value) --angles;
      if (angles > 0) {
        if (t.is("(") || t.is("[") || t.is("{")) i = past(i) - 1;
        continue;
      }
      if (t.is("(") && !in_value && d.open == 0) {
        d.open = i;
        d.names.push_back(last_word);
        return d.end = i, d;
      }
      const bool ends_name = t.is("[") || t.is("=") || t.is(",") || t.is(";") || t.is("{");
      if (ends_name && !in_value && last_word != 0) {
        d.names.push_back(last_word);
        last_word = 0;
      }
      // The body of a struct or union that the declaration defines: the name before it is the type's.
      if (t.is("{") && !in_value &&
          (one_of(at(i - 1).text, {"struct", "union"}) || one_of(at(i - 2).text, {"struct", "union"}))) {
        if (!d.names.empty()) d.names.pop_back();
        i = past(i) - 1;
        continue;
      }
      if (t.is("=")) in_value = true;
      if (t.is(",")) in_value = false, last_word = 0;
      if (t.is(";")) return d.end = i, d;
      if (t.is("[") || t.is("(") || t.is("{")) i = past(i) - 1;
    }
    d.end = i;
    return d;
  }

  void find_kernels() {
    std::size_t begins = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const token& t = tokens_[i];
      if (t.is(";") || t.is("}") || t.is("{") || t.kind == token_kind::directive) begins = i + 1;
      if (!t.is("__global__")) continue;
      const declared d = read_declaration(i + 1);
      if (d.open == 0 || d.names.empty()) continue;
      kernel_seen k;
      k.name = at(d.names.back()).text;
      k.is_template = at(begins).is("template");
      k.line = at(d.names.back()).line;
      for (std::size_t w = i + 1; w < d.open; ++w)
        if (at(w).is("__cluster_dims__") && at(w + 1).is("(")) {
          const std::size_t end = past(w + 1) - 1;
          k.clusters = text_.substr(at(w + 1).end(), at(end).at - at(w + 1).end());
        }
      const std::size_t close = past(d.open) - 1;
      std::size_t word = 0;
      bool value = false;
      for (std::size_t p = d.open + 1; p <= close; ++p) {
        if (p == close || at(p).is(",")) {
          if (p > d.open + 1) k.parameters.push_back(std::string(word != 0 ? at(word).text : string_view()));
          word = 0, value = false;
        }
        if (at(p).is("=") || at(p).is("[")) value = true;
        if (at(p).is("=")) k.has_defaults = true;
        if (at(p).kind == token_kind::word && !value) word = p;
        if (at(p).is("<") || at(p).is("(")) {
          // Commas of a template's arguments part no parameters.
          int depth = 0;
          for (; p < close; ++p) {
            if (at(p).is("<") || at(p).is("(")) ++depth;
            if ((at(p).is(">") || at(p).is(")")) && --depth == 0) break;
          }
        }
      }
      files_.kernels.push_back(std::move(k));
    }
  }

  // __shared__ T cells[32], flag;  becomes  typedef T cells_type[32], flag_type; and a reference to each variable of
  // the block.
  void rewrite_shared() {
    const token& word = at(i_);
    if (!in_code() && !statement_has("extern")) return refuse(word, "a __shared__ variable outside of a function");
    const declared d = read_declaration(statement_);
    if (d.open != 0 || d.names.empty() || !at(d.end).is(";"))
      return refuse(word, "a __shared__ variable that is declared in this way");
    const bool outside = statement_has("extern");
    std::string after;
    for (std::size_t i = statement_; i <= i_; ++i)
      if (one_of(at(i).text, {"__shared__", "static", "extern"})) replace(at(i), "");
    for (std::size_t i = i_ + 1; i < d.end; ++i)
      if (at(i).is("static") || at(i).is("extern")) replace(at(i), "");
    // Each variable begins a page of its own here.
    for (std::size_t i = statement_; i < d.names.front(); i = at(i).is("{") ? past(i) : i + 1) {
      if (!at(i).is("alignas") || !at(i + 1).is("(")) continue;
      const std::size_t end = past(i + 1) - 1;
      edits_.push_back({at(i).at, at(end).end() - at(i).at, ""});
    }
    insert(at(statement_).at, "typedef ");
    for (const std::size_t n : d.names) {
      const std::string name(at(n).text), type = "upsweep_type_of_" + name;
      replace(at(n), type);
      if (outside) result_.dynamic_shared = true;
      after += outside && !in_code()
                   ? " static constexpr upsweep_lens::dynamic_variable<" + type + "> " + name + "{\"" + name + "\"};"
               : outside
                   ? " auto& " + name + " = upsweep_lens::dynamic_shared_of<" + type + ">(\"" + name + "\");"
                   : " static char upsweep_key_of_" + name + "; " + "auto& " + name + " = upsweep_lens::shared_of<" +
                         type + ">(&upsweep_key_of_" + name + ", \"" + name + "\");";
    }
    insert(at(d.end).end(), after);
    i_ = d.end - 1;  // its words are read
  }
  bool statement_has(string_view word) const {
    for (std::size_t i = statement_; i < tokens_.size() && !at(i).is(";") && !at(i).is("{"); ++i)
      if (at(i).is(word)) return true;
    return false;
  }

  // Registers a device variable with the lens where it is declared.
  void tell_of_variable() {
    if (in_code() || told_ == statement_ + 1 || statement_has("__global__") || statement_has("__shared__")) return;
    told_ = statement_ + 1;
    if (at(statement_).is("template") || statement_has("extern") || statement_has("using")) return;
    for (std::size_t i = statement_; i < i_; ++i)
      if (one_of(at(i).text, {"class", "struct", "union", "friend", "["})) return;
    if (!scopes_.empty() && scopes_.back() == scope::type) return;
    const declared d = read_declaration(statement_);
    if (d.open != 0 || !at(d.end).is(";")) return;
    const char* kind = statement_has("__constant__") ? "constant" : "variable";
    for (const std::size_t n : d.names) {
      const std::string name(at(n).text);
      insert(at(d.end).end(), " static upsweep_lens::symbol upsweep_symbol_" + name + "(" + name + ", \"" + name +
                                  "\", upsweep_lens::" + kind + ");");
    }
  }

  // asm volatile("text" : "=r"(x) : "l"(p) : "memory");  becomes  upsweep_lens::assembly("text", out(x), in(p));
  void rewrite_assembly() {
    const token& word = at(i_);
    std::size_t i = i_ + 1;
    while (one_of(at(i).text, {"volatile", "__volatile__", "inline"})) ++i;
    const std::size_t open = i;
    const std::size_t close = past(open) - 1;
    if (!at(open).is("(") || at(open + 1).kind != token_kind::text) return refuse(word, why_refused("asm"));
    std::string text;
    for (i = open + 1; at(i).kind == token_kind::text; ++i) text += unquoted(at(i).text);
    if (const std::string what = not_understood(text); !what.empty())
      return refuse(word, "the assembly instruction " + what);
    edits_.push_back({word.at, at(open).end() - word.at, "upsweep_lens::assembly("});
    for (unsigned part = 0; i < close; ++i) {
      const token& t = at(i);
      if (t.is(":")) ++part;
      if (t.is(":") || t.is(",") || part > 2) {
        replace(t, "");
      } else if (t.kind == token_kind::text) {
        replace(t, part == 1 ? ", upsweep_lens::out" : ", upsweep_lens::in");
        i = past(i + 1) - 1;
      }
    }
    i_ = open;  // the operands' own words are read as others are
  }
  static std::string unquoted(string_view t) {
    std::string text;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
      if (t[i] == '\\' && i + 2 < t.size()) {
        ++i;
        text += t[i] == 'n' ? '\n' : t[i] == 't' ? '\t' : t[i];
      } else {
        text += t[i];
      }
    }
    return text;
  }

  // ---- launches

  // A name with its template's arguments, ending before i; where it begins.
  std::size_t callee_before(const std::vector<token>& t, std::size_t i) const {
    const auto back_over = [&](string_view close, string_view open) {
      int depth = 0;
      while (i > 0) {
        --i;
        if (t[i].is(close)) ++depth;
        if (t[i].is(open) && --depth == 0) return;
      }
    };
    if (i == 0) return i;
    if (t[i - 1].is(">")) back_over(">", "<");
    if (i > 0 && t[i - 1].is("]")) back_over("]", "[");
    if (i > 0 && t[i - 1].is(")")) {
      back_over(")", "(");
      return i;
    }
    for (;;) {
      if (i == 0 || t[i - 1].kind != token_kind::word) return i;
      --i;
      if (i < 2 || !t[i - 1].is(":") || !t[i - 2].is(":")) {
        if (i >= 1 && t[i - 1].is(".")) {
          --i;
          continue;
        }
        return i;
      }
      i -= 2;
      if (i > 0 && t[i - 1].is(">")) back_over(">", "<");
    }
  }
  static bool three(const std::vector<token>& t, std::size_t i, string_view sign) {
    return i + 2 < t.size() && t[i].is(sign) && t[i + 1].is(sign) && t[i + 2].is(sign) && t[i].end() == t[i + 1].at &&
           t[i + 1].end() == t[i + 2].at;
  }
  // `offset` is the place of the text of those tokens in the file.
  void rewrite_launch(const std::vector<token>& t, std::size_t i, std::size_t offset) {
    const std::size_t begin = callee_before(t, i);
    std::size_t close = i + 3;
    for (int depth = 0; close < t.size(); ++close) {
      if (t[close].is("(") || t[close].is("[") || t[close].is("{")) ++depth;
      if (t[close].is(")") || t[close].is("]") || t[close].is("}")) --depth;
      if (depth == 0 && three(t, close, ">") && close + 3 < t.size() && t[close + 3].is("(")) break;
    }
    if (begin == i || close >= t.size()) {
      result_.refused.push_back({file_, t[i].line, "a launch that is written in this way"});
      return;
    }
    if (of_device())
      result_.refused.push_back({file_, t[i].line, "a kernel that launches a kernel (dynamic parallelism)"});
    std::string name, last;
    bool in_arguments = false;
    for (std::size_t k = begin; k < i; ++k) {
      if (t[k].is("<")) in_arguments = true;
      if (t[k].kind == token_kind::word && !in_arguments) last = t[k].text;
      if (!name.empty() && t[k].kind == token_kind::word && t[k - 1].kind == token_kind::word) name += ' ';
      name += t[k].text;
      if (t[k].is(",")) name += ' ';
    }
    std::string quoted;
    for (const char c : name) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    // A template's call says which of them is meant; so do arguments where names are overloaded.
    std::size_t templates = 0, functions = 0;
    bool defaults = false;
    std::string clusters;
    for (const kernel_seen& k : files_.kernels)
      if (k.name == last) {
        (k.is_template ? templates : functions) += 1, defaults = defaults || k.has_defaults;
        if (!k.clusters.empty()) clusters = ".in_clusters(" + k.clusters + ")";
      }
    const bool by_call = templates > 0 || functions > 1 || defaults;
    insert(offset + t[begin].at,
           "upsweep_lens::launch(\"" + quoted + "\", " + (by_call ? "[&](auto... upsweep_a) { " : ""));
    edits_.push_back(
        {offset + t[i].at, 3, std::string(by_call ? "(upsweep_a...); }" : "") + ", upsweep_lens::configuration("});
    edits_.push_back({offset + t[close].at, 3, ")" + clusters + ")"});
  }
  // cudaLaunchKernel((void*)k, ...): the type of the kernel gives the types of its arguments.
  void uncast_kernel() {
    const std::size_t open = i_ + 1, first = open + 1;
    if (!at(open).is("(")) return;
    std::size_t end = 0;
    if (at(first).is("(")) {
      end = past(first);
    } else if (at(first).is("reinterpret_cast")) {
      for (end = first; end < tokens_.size() && !at(end).is("(") && !at(end).is(";");) ++end;
    }
    bool of_nothing = false, a_pointer = false;
    for (std::size_t i = first; i < end; ++i) {
      of_nothing = of_nothing || at(i).is("void"), a_pointer = a_pointer || at(i).is("*");
      if (at(i).kind == token_kind::word && !one_of(at(i).text, {"void", "const", "reinterpret_cast"})) return;
    }
    if (of_nothing && a_pointer) edits_.push_back({at(first).at, at(end - 1).end() - at(first).at, ""});
  }
  // malloc(n), or new of any kind but one in a place that is there.
  bool takes_memory() const {
    const token& t = at(i_);
    const bool member = i_ > 0 && (at(i_ - 1).is(".") || at(i_ - 1).is(">"));
    if (t.is("malloc")) return at(i_ + 1).is("(") && !member;
    return t.is("new") && !at(i_ + 1).is("(") && !(i_ > 0 && at(i_ - 1).is("operator"));
  }
  // The body of a function that only the device runs.
  bool of_device() const {
    return std::any_of(of_device_.begin(), of_device_.end(), [](bool b) { return b; });
  }

  // ---- lines of the preprocessor

  void read_directive(const token& t) {
    const std::vector<token> words = tokens_of(t.text.substr(1), t.line);
    if (words.empty()) return;
    const string_view what = words[0].text;
    if (what == "if" || what == "ifdef" || what == "ifndef")
      branches_.push_back({scopes_, of_device_, what == "ifndef"});
    if ((what == "else" || what == "elif") && !branches_.empty())
      scopes_ = branches_.back().scopes, of_device_ = branches_.back().of_device;
    if (what == "endif" && !branches_.empty()) branches_.pop_back();
    if (what == "include") return read_include(t, words);
    if (what != "define") return;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (three(words, i, "<")) rewrite_launch(words, i, t.at + 1);
      if (const char* why = why_refused(words[i].text)) refuse(words[i], why);
    }
  }
  void read_include(const token& t, const std::vector<token>& words) {
    const std::size_t open = t.text.find_first_of("<\""), close = t.text.find_first_of(">\"", open + 1);
    if (words.size() < 2 || open == string_view::npos || close == string_view::npos) return;
    const std::string name(t.text.substr(open + 1, close - open - 1));
    const std::string instead = files_.instead_of(name, t.text[open] == '"', file_);
    if (!instead.empty()) {
      edits_.push_back({t.at + open, close - open + 1, "\"" + instead + "\""});
    } else if (const char* why = why_refused_header(name)) {
      refuse(t, "<" + name + ">, " + why + ",");
    }
  }

  // ---- the file, from its first token to its last

  scope scope_that_opens() const {
    if (in_code()) return scope::code;
    bool type = false;
    for (std::size_t i = statement_; i < i_; ++i) {
      if (one_of(at(i).text, {"namespace", "export"})) return scope::names;
      if (at(i).is("extern") && at(i + 1).kind == token_kind::text && i + 2 == i_) return scope::names;
      if (one_of(at(i).text, {"class", "struct", "union", "enum"}) &&
          !(i > 0 && (at(i - 1).is("<") || at(i - 1).is(","))))
        type = true;
      if (at(i).is("(") && !decorates(i - 1)) return scope::code;
    }
    return type ? scope::type : scope::code;
  }

  void step() {
    const token& t = at(i_);
    if (t.kind == token_kind::directive) {
      read_directive(t);
      if (parens_ == 0 && statement_ == i_) statement_ = i_ + 1;
      return;
    }
    if (t.kind == token_kind::word) {
      if (t.is("main") && !in_code() && at(i_ + 1).is("(")) result_.has_main = true;
      if (t.is("__shared__")) return rewrite_shared();
      if (one_of(t.text, {"asm", "__asm__", "__asm"})) return rewrite_assembly();
      if (one_of(t.text, {"__device__", "__constant__", "__managed__"})) return tell_of_variable();
      if (t.is("__noinline__") && !(i_ > 0 && at(i_ - 1).is("("))) return replace(t, "__attribute__((noinline))");
      if (const char* why = why_refused(t.text)) refuse(t, why);
      // Members of a launch configuration; elsewhere these names are built-in variables of a kernel.
      if (one_of(t.text, {"gridDim", "blockDim"}) && i_ > 0 &&
          (at(i_ - 1).is(".") || (i_ > 1 && at(i_ - 1).is(">") && at(i_ - 2).is("-"))))
        return replace(t, "upsweep_" + std::string(t.text));
      // The host has a clock of the same name.
      if (t.is("clock") && at(i_ + 1).is("(") && of_device()) refuse(t, why_refused("clock64"));
      if (takes_memory() && of_device()) refuse(t, "memory that a kernel takes for itself (malloc, new)");
      if (t.is("cudaLaunchKernel")) uncast_kernel();
      return;
    }
    if (t.kind != token_kind::sign) return;
    if (t.is("(") || t.is("[")) ++parens_;
    if ((t.is(")") || t.is("]")) && parens_ > 0) --parens_;
    if (three(tokens_, i_, "<")) {
      rewrite_launch(tokens_, i_, 0);
      i_ += 2;
      return;
    }
    if (t.is("{")) {
      of_device_.push_back(!in_code() && (statement_has("__global__") || statement_has("__device__")) &&
                           !statement_has("__host__"));
      scopes_.push_back(scope_that_opens());
    }
    if (t.is("}") && !scopes_.empty()) scopes_.pop_back(), of_device_.pop_back();
    const bool label =
        t.is(":") && i_ > 0 && !at(i_ - 1).is(":") && !at(i_ + 1).is(":") &&
        (one_of(at(i_ - 1).text, {"public", "private", "protected", "default"}) || at(statement_).is("case"));
    if (t.is("{") || t.is("}") || (t.is(";") && parens_ == 0) || label) {
      statement_ = i_ + 1;
      if (t.is("{") || t.is("}")) parens_ = 0;
    }
    if (t.is(")") && parens_ == 0 && in_code() && one_of(at(statement_).text, {"if", "for", "while", "switch"}))
      statement_ = i_ + 1;
  }

  std::string file_;
  const std::string& text_;
  std::vector<token> tokens_;
  inclusions& files_;
  std::vector<edit> edits_;
  std::vector<scope> scopes_;
  std::vector<bool> of_device_;  // by scope: it is the body of a function of the device
  std::vector<branch> branches_;
  std::size_t i_ = 0, statement_ = 0, told_ = 0;
  int parens_ = 0;
  rewritten result_;
};

}  // namespace

rewritten rewrite(const std::string& file, const std::string& text, inclusions& files) {
  return rewriter(file, text, files).all();
}

}  // namespace upsweep::lens::own
