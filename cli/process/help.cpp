#include "cli/process/help.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include "cli/process/nearest.hpp"
#include "upsweep/error.hpp"

namespace {

constexpr std::size_t wide = help_columns, beside = 30;  // column of the descriptions

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

// Lines that begin with a blank are printed unchanged, and wrapped with a backslash if they are too long; all others
// are paragraphs.
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

// A heading of CLI11's own, which later releases write in capitals.
std::string heading(std::string name) {
  if (std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); }))
    std::transform(name.begin() + !name.empty(), name.end(), name.begin() + !name.empty(),
                   [](unsigned char c) { return std::tolower(c); });
  return "\n" + name + ":\n";
}

// The text after an option's name: its values, its default, and the options that it needs or excludes.
std::string about(const CLI::Option& o) {
  std::string all;
  if (o.get_type_size() != 0) {
    if (!o.get_type_name().empty()) all += " " + o.get_type_name();
    if (!o.get_default_str().empty()) all += "=" + o.get_default_str();
    if (o.get_expected_max() == CLI::detail::expected_max_vector_size)
      all += " ...";
    else if (o.get_expected_min() > 1)
      all += " x " + std::to_string(o.get_expected());
    if (o.get_required()) all += " REQUIRED";
  }
  const auto others = [&](const char* what, const std::set<CLI::Option*>& named) {
    if (!named.empty()) all += what;
    for (const CLI::Option* one : named) all += " " + one->get_name();
  };
  others(" Needs:", o.get_needs());
  others(" Excludes:", o.get_excludes());
  return all;
}

// The help is formatted here because its order, headings and line breaks differ between releases of CLI11.
class help_text final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    return flowed(app->get_description()) + usage(*app, name) + options(*app) + commands(*app) + "\n" +
           flowed(app->get_footer());
  }

 private:
  std::string usage(const CLI::App& app, const std::string& name) const {
    std::string all = "Usage: " + name;
    if (!app.get_options([](const CLI::Option* o) { return o->nonpositional(); }).empty()) all += " [OPTIONS]";
    for (const CLI::Option* o : app.get_options([](const CLI::Option* o) { return o->get_positional(); }))
      all += " " + make_option_usage(o);
    if (!app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); }).empty())
      all += app.get_require_subcommand_min() == 0 ? " [SUBCOMMAND]" : " SUBCOMMAND";
    return wrapped(all, 0, 7) + "\n";
  }
  std::string options(const CLI::App& app) const {
    const auto positional = [](const CLI::Option* o) { return !o->get_group().empty() && o->get_positional(); };
    std::string all = rows("Positionals", app.get_options(positional), true);
    const std::vector<std::string> groups = app.get_groups();
    for (const std::string& group : groups) {
      if (group.empty()) continue;
      const std::string text = rows(
          group, app.get_options([&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); }),
          false);
      all += text + (text.empty() || group == groups.back() ? "" : "\n");
    }
    return all;
  }
  std::string commands(const CLI::App& app) const {
    std::string all;
    std::vector<std::string> groups;
    for (const CLI::App* sub : app.get_subcommands({})) {
      if (sub->get_group().empty()) continue;
      if (!sub->get_name().empty()) {
        if (std::ranges::find(groups, sub->get_group()) == groups.end()) groups.push_back(sub->get_group());
        continue;
      }
      const auto shown = [&](const CLI::Option* o) { return !o->get_group().empty() && o != sub->get_help_ptr(); };
      all += heading(sub->get_group()) + rows("", sub->get_options(shown), false);
    }
    for (const std::string& group : groups) {
      all += heading(group);
      for (const CLI::App* sub : app.get_subcommands([&](const CLI::App* sub) { return sub->get_group() == group; }))
        if (!sub->get_name().empty()) all += row(sub->get_display_name(true), sub->get_description());
    }
    return all;
  }
  std::string rows(const std::string& group, const std::vector<const CLI::Option*>& of, bool positional) const {
    if (of.empty()) return {};
    std::string all = group.empty() ? "" : heading(group);
    for (const CLI::Option* o : of) all += row(make_option_name(o, positional) + about(*o), o->get_description());
    return all;
  }
};

constexpr const char* status =
    "Exit status: 0 success; 1 failure, with one sentence on standard error; 2 invalid command line.";

CLI::App* command_below(CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == name) return sub;
    if (!sub->get_name().empty()) names.push_back(sub->get_name());
  }
  const std::string meant = nearest(name, names);
  throw upsweep::error(upsweep::fault::bad_argument, "help",
                       "there is no command '" + name + "'" + (meant.empty() ? "" : ", did you mean " + meant + "?"),
                       "`upsweep --help` lists the commands");
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
  command->add_option("COMMAND", *words, "Name of the command; for image, of a filter too")->type_name("");
  command->callback([words, &app] {
    CLI::App* about = &app;
    std::string name;
    for (const std::string& word : *words) {
      about = command_below(*about, word);
      name += (name.empty() ? "upsweep " : " ") + word;
    }
    // App::help would print the help of the running command, which is this one.
    fmt::print("{}",
               about->get_formatter()->make_help(about, name.empty() ? "upsweep" : name, CLI::AppFormatMode::Normal));
  });
}
