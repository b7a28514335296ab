// upsweep lex: a text cut into tokens or fields; what there are, or each of them.
#include "upsweep/lex.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/io/input.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/options.hpp"
#include "cli/process/answer.hpp"
#include "cli/stream/progress.hpp"
#include "cli/text/grammar.hpp"

using namespace upsweep;

namespace {

struct lex_options {
  std::string path, grammar, output = "-", separator = ",", memory, device = "cpu";
  bool each = false;
};

std::string whole_text(const std::string& path, std::uint64_t memory) {
  input in(path);
  std::string text;
  for (std::uint64_t wanted = in.size().value_or(0) + 1, got = 0;; wanted = text.size() / 2 + (1 << 20)) {
    if (text.size() + wanted > memory)
      throw error(fault::out_of_memory, in.name(),
                  fmt::format("it has more than the {:.1f} GiB that are allowed", double(memory) / 0x1p30),
                  "raise --memory, or split the file");
    const std::size_t had = text.size();
    text.resize(had + wanted);
    got = in.read(text.data() + had, wanted);
    text.resize(had + got);
    if (got < wanted) return text;
  }
}

std::string line_and_column(std::string_view text, std::uint64_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  return fmt::format("line {}, byte {} of the line (byte {} of the file)", line, at - (before.rfind('\n') + 1) + 1, at);
}

[[noreturn]] void stopped_at(const std::string& name, std::string_view text, std::uint64_t at, const char* within,
                             const char* what) {
  throw error(fault::bad_argument, name,
              at == text.size() ? fmt::format("it ends within {}", within) : line_and_column(text, at) + " " + what,
              "the text before it has no error");
}

std::string shown(std::string_view bytes) {
  std::string safe;
  for (const char c : bytes)
    if (c == '\\')
      safe += "\\\\";
    else if (c == '\n')
      safe += "\\n";
    else if (c == '\t')
      safe += "\\t";
    else if (static_cast<unsigned char>(c) < ' ' || c == 127)
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      safe += c;
  return safe;
}

// The text in the device's memory: copied once, then counted and tokenized there.
class text_there {
 public:
  text_there(const context& where, std::string_view text) : where_(where), text_(text) {
    if (where.kind() == backend::cuda) there_.emplace(where, std::span(text));
  }
  template <class Call>
  auto with(const Call& call) const {
    return there_ ? call(device_span<const char>(there_->span())) : call(text_);
  }
  template <class T, class Call>
  void fill(std::vector<T>& out, const Call& call) const {
    if (!there_) return call(text_, std::span(out));
    buffer<T> found(where_, out.size());
    call(device_span<const char>(there_->span()), found.span());
    found.download(out);
  }

 private:
  const context& where_;
  std::string_view text_;
  std::optional<buffer<char>> there_;
};

// In pieces, so that the printed form of a large file is never all in memory.
class printer {
 public:
  explicit printer(const std::string& path) : file_(path) {}
  void line(const std::string& text) {
    held_ += text;
    held_ += '\n';
    if (held_.size() > 1 << 20) file_.write(held_), held_.clear();
  }
  void commit() {
    file_.write(held_);
    file_.commit();
  }

 private:
  whole_file file_;
  std::string held_;
};

void fields_of(const lex_options& o, const std::string& name, const std::string& text) {
  const std::string& s = o.separator;
  if (s.size() != 1 && s != "tab")
    throw error(fault::bad_argument, "--separator '" + s + "'", "it is not a single character",
                "give one, or the word tab");
  const char separator = s.size() == 1 ? s[0] : '\t';
  const context where = context::named(o.device);
  const text_there there(where, text);
  const field_counts found = there.with([&](auto t) { return count_fields(where, t, separator); });
  if (found.stopped) stopped_at(name, text, *found.stopped, "quotes that are never closed", "follows a closing quote");
  if (answer::wanted() && !o.each) {
    answer::fields()["fields"] = found.fields, answer::fields()["records"] = found.records;
    if (o.output == "-") return;
  }
  printer out(o.output);
  if (!o.each) {
    out.line(fmt::format("{} fields\n{} records", found.fields, found.records));
    return out.commit();
  }
  std::vector<std::uint64_t> ends(found.fields);
  there.fill(ends, [&](auto t, auto to) { find_fields(where, t, to, separator); });
  std::uint64_t first = 0, record = 1, column = 1;
  progress bar("lex", text.size(), "bytes");
  for (const std::uint64_t end : ends) {
    if (column == 1) bar.at(first);
    const bool last = end == text.size() || text[end] == '\n';
    std::string_view field(text.data() + first, end - first);
    if (last && field.ends_with('\r')) field.remove_suffix(1);
    out.line(fmt::format("{}:{}\t{}", record, column, shown(field)));
    first = end + 1;
    column = last ? 1 : column + 1;
    record += last;
  }
  out.commit();
}

void lex_file(const lex_options& o) {
  require_no_overlap({{"-o", o.output}}, {{"FILE", o.path}, {"--grammar", o.grammar}});
  std::vector<token_rule> rules;
  if (o.grammar == "json")
    rules = json_grammar();
  else if (o.grammar == "c")
    rules = c_grammar();
  else if (o.grammar != "csv")
    rules = rules_in(o.grammar, whole_text(o.grammar, 1 << 20));
  const std::string text = whole_text(o.path, memory_limit(o.memory)), name = o.path == "-" ? "standard input" : o.path;
  std::optional<at_work> work(std::in_place, "lex");
  if (o.grammar == "csv") return work.reset(), fields_of(o, name, text);
  const context where = context::named(o.device);
  const lexer l(rules);
  const text_there there(where, text);
  const token_counts found = there.with([&](auto t) { return count_tokens(where, l, t); });
  work.reset();
  if (found.stopped) stopped_at(name, text, *found.stopped, "a token", "cannot go on or begin a token");
  if (answer::wanted() && !o.each) {
    for (std::size_t k = 0; k < rules.size(); ++k) answer::fields()["tokens"][l.rules()[k].name] = found.counts[k];
    if (o.output == "-") return;
  }
  printer out(o.output);
  if (!o.each) {
    for (std::size_t k = 0; k < rules.size(); ++k)
      out.line(fmt::format("{:>12} {}", found.counts[k], l.rules()[k].name));
    return out.commit();
  }
  std::vector<token> tokens(found.tokens);
  there.fill(tokens, [&](auto t, auto to) { tokenize(where, l, t, to); });
  progress bar("lex", tokens.size(), "tokens");
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const token& t = tokens[i];
    out.line(fmt::format("{}\t{}\t{}", t.first, l.rules()[t.kind].name,
                         shown(std::string_view(text).substr(t.first, t.size))));
    if (i % 4096 == 0) bar.at(i);
  }
  out.commit();
}

}  // namespace

void add_lex(CLI::App& app) {
  auto o = std::make_shared<lex_options>();
  CLI::App* command = app.add_subcommand("lex", "Split text into tokens, or a table into fields");
  command->add_option("FILE", o->path, "Text file, or - for standard input")->required();
  command
      ->add_option("--grammar", o->grammar,
                   "json, c (a small language like C), csv, or a file of rules: one NAME PATTERN a line, -NAME to "
                   "skip matches")
      ->required()
      ->type_name("G");
  command->add_flag("--tokens", o->each,
                    "Print the position, name and text of each token. Default: the number of tokens of each kind");
  command->add_option("--separator", o->separator, "Separator of csv fields: a character, or tab")->type_name("C");
  command->add_option("-o,--output", o->output, "Output file. Default: standard output")->type_name("OUT");
  command->add_option("--device", o->device, "Device: cpu, cpu:4, cuda:0. Default: cpu")->type_name("D");
  command->add_option("--memory", o->memory, "Memory limit, such as 4G. Default: half of the free memory")
      ->type_name("BYTES");
  command->footer(
      "The rules are compiled to one automaton. Every thread runs it on a part of the text, from every state in which "
      "the part may begin. The longest match wins, then the first rule. Text that no rule matches is an error that "
      "reports its position.\n"
      "Examples:\n"
      "  upsweep lex data.json --grammar json\n"
      "  upsweep lex trades.csv --grammar csv --tokens -o fields.txt\n"
      "  printf 'word [a-z]+\\n-space [ \\\\n]+\\n' > words.rules; upsweep lex text.txt --grammar words.rules");
  command->callback([o] { lex_file(*o); });
}
