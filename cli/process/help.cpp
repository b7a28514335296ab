#include "cli/process/help.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/process/nearest.hpp"
#include "upsweep/error.hpp"

namespace {

constexpr std::size_t wide = help_columns, beside = 30;  // where what an option does begins

// Columns and not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Words with single blanks in lines: the first line goes on after `column` columns, the others begin after `indent`.
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::string_view at_break = "") {
  std::string all;
  bool begun = false;  // this line has a word
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (begun && column + 1 + width(word) + at_break.size() > wide) {
      all += std::string(at_break) + "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begun) {
      all += ' ';
      ++column;
    }
    all += word;
    column += width(word);
    begun = true;
  }
  return all;
}

// Lines that begin with a blank stand as they are, a command that is too long on several; all others are paragraphs.
std::string flowed(const std::string& text) {
  std::string all, paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) all += wrapped(paragraph, 0, 0) + "\n";
    paragraph.clear();
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == ' ') {
      flush();
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      const bool fits = width(line) <= wide;
      all += fits ? line : std::string(indent, ' ') + wrapped(line.substr(indent), indent, indent + 4, " \\");
      all += '\n';
    } else {
      const bool heading = line.ends_with(':') && line.size() < 20;
      if (heading || line.starts_with("Exit status")) flush();
      paragraph += paragraph.empty() ? line : " " + line;
      if (heading) flush();
    }
  }
  flush();
  while (all.ends_with("\n\n")) all.pop_back();
  return all;
}

std::string row(const std::string& name, const std::string& what) {
  const std::string left = "  " + wrapped(name, 2, 6), text = wrapped(what, beside, beside);
  if (what.empty()) return left + "\n";
  const std::size_t at = width(left);
  return left + (at < beside - 1 ? std::string(beside - at, ' ') : "\n" + std::string(beside, ' ')) + text + "\n";
}

class help_text final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override { return flowed(app->get_description()); }
  std::string make_footer(const CLI::App* app) const override { return flowed(app->get_footer()); }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return wrapped(Formatter::make_usage(app, std::move(name)), 0, 7) + "\n";
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return row(make_option_name(option, positional) + make_option_opts(option), option->get_description());
  }
  // A group of options.
#if CLI11_VERSION_MAJOR > 2 || CLI11_VERSION_MINOR >= 5
  std::string make_expanded(const CLI::App* group, CLI::AppFormatMode) const override {
#else
  std::string make_expanded(const CLI::App* group) const override {
#endif
    std::string all = "\n" + group->get_group() + ":\n";
    for (const CLI::Option* option : group->get_options())
      if (!option->get_group().empty() && option != group->get_help_ptr()) all += make_option(option, false);
    return all;
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return row(sub->get_display_name(true), sub->get_description());
  }
};

constexpr const char* status =
    "Exit status: 0 it is done; 1 it could not be done, and one sentence on standard error says why; 2 the command "
    "line is wrong.";

CLI::App* command_below(CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == name) return sub;
    if (!sub->get_name().empty()) names.push_back(sub->get_name());
  }
  const std::string meant = nearest(name, names);
  throw upsweep::error(upsweep::fault::bad_argument, "help",
                       "there is no command '" + name + "'" + (meant.empty() ? "" : ", did you mean " + meant + "?"),
                       "`upsweep --help` names them all");
}

}  // namespace

void set_help(CLI::App& app) {
  app.formatter(std::make_shared<help_text>());
  if (app.get_footer().find("Exit status") == std::string::npos && !app.get_name().empty()) {
    const std::string before = app.get_footer();
    app.footer(before + (before.empty() || before.ends_with('\n') ? "" : "\n") + status);
  }
  for (CLI::App* sub : app.get_subcommands({})) set_help(*sub);
}

void add_help(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("help", "Explain a command: `upsweep help sort`, `upsweep help image resize`");
  command->add_option("COMMAND", *words, "Its name; of image a filter's, too")->type_name("");
  command->callback([words, &app] {
    CLI::App* about = &app;
    std::string name;
    for (const std::string& word : *words) {
      about = command_below(*about, word);
      name += (name.empty() ? "upsweep " : " ") + word;
    }
    // App::help would tell of the command that runs, which is this one.
    fmt::print("{}",
               about->get_formatter()->make_help(about, name.empty() ? "upsweep" : name, CLI::AppFormatMode::Normal));
  });
}
