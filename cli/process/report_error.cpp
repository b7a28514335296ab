#include "cli/process/report_error.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "cli/process/message.hpp"
#include "cli/process/nearest.hpp"
#include "cli/process/printable.hpp"
#include "upsweep/core/host_limits.hpp"
#include "upsweep/error.hpp"

namespace {

// The command whose words were read last, and its name with those above it.
const CLI::App* last_command(const CLI::App& app, std::string& name) {
  const CLI::App* at = &app;
  for (name = "upsweep"; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return at;
}

void gather_options(const CLI::App& command, std::vector<std::string>& names) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group : command.get_subcommands({}))
    if (group->get_name().empty()) gather_options(*group, names);
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty()) names.push_back(sub->get_name());
  return names;
}

std::string meant(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

// A word that belongs to nothing, where there is one.
std::string stray_word(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return "";
  std::string word = words.front();
  if (word.size() > 1 && word[0] == '-' && word.find_first_of("0123456789.") != 1) {
    word = word.substr(0, word.find('='));
    std::vector<std::string> options;
    gather_options(command, options);
    return "there is no option " + word + meant(word, options);
  }
  const std::vector<std::string> commands = commands_of(command);
  if (!commands.empty())
    return fmt::format("there is no {} '{}'{}", &command == &app ? "command" : "filter", word, meant(word, commands));
  return "'" + word + "': too many arguments";
}

// The library speaks of its calls; on a command line they are options.
std::string in_options(std::string said) {
  constexpr std::pair<std::string_view, std::string_view> words[]{
      {"give context::cpu(), or on the command line --device cpu", "give --device cpu"},
      {"give context::cpu()", "give --device cpu"},
      {"context::cpu:", "--device cpu:"},
      {"context::cuda:", "--device cuda:"},
      {"context::opencl:", "--device opencl:"},
      {"simulation::resume:", "the checkpoint:"},
      {"border::none", "--border none"}};
  for (const auto& [call, option] : words)
    if (const std::size_t at = said.find(call); at != std::string::npos) said.replace(at, call.size(), option);
  return said;
}

bool take_prefix(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

}  // namespace

namespace {
bool silent = false;
std::function<bool()> speaker_is_gone;
}  // namespace

void report_nothing(std::function<bool()> it_is_gone) {
  silent = std::freopen("/dev/null", "w", stdout) != nullptr;
  speaker_is_gone = std::move(it_is_gone);
}

int report_error(const std::string& sentence, int status) {
  if (silent && !speaker_is_gone()) return status;
  std::string line = sentence;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (std::size_t at; (at = line.find('\n')) != std::string::npos;) line.replace(at, 1, "; ");
  print_message("upsweep: {}\n", printable(line));
  return status;
}

int report_out_of_memory(int status) noexcept {
  constexpr std::string_view said = "upsweep: the host is out of memory";
  if (silent && !speaker_is_gone()) return status;
  std::fwrite(said.data(), 1, said.size(), stderr);
  try {
    const std::string limit = upsweep::core::said_of_host_limit(std::uint64_t{64} << 20);
    std::fwrite(limit.data(), 1, limit.size(), stderr);
  } catch (const std::exception&) {
    // No memory is left to name the limit with.
  }
  std::fputc('\n', stderr);
  return status;
}

std::string error_sentence(const CLI::ParseError& wrong, const CLI::App& app) {
  std::string name, said = wrong.what();
  const CLI::App& command = *last_command(app, name);
  if (const std::string stray = stray_word(app, command); !stray.empty()) {
    said = stray;
  } else if (dynamic_cast<const CLI::ConversionError*>(&wrong) && take_prefix(said, "Could not convert: ")) {
    const std::size_t at = said.find(" = ");
    if (at != std::string::npos) said = said.substr(0, at) + ": '" + said.substr(at + 3) + "' is not a valid number";
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&wrong)) {
    const std::string option = said.substr(0, said.find(':'));
    if (said.find("At Most 1 required") != std::string::npos)
      said = option + " is given more than once";
    else if (said.ends_with(" missing"))
      said = option + ": its value is missing";
  } else if (said == "A subcommand is required") {
    said = "a filter is missing";
  }
  return said + " (see `" + name + " --help`)";
}

bool out_of_threads(const std::exception& e) {
  if (std::string_view(e.what()).starts_with("pthread_create")) return true;  // oneTBB says it so
  const auto* system = dynamic_cast<const std::system_error*>(&e);
  return system && system->code() == std::errc::resource_unavailable_try_again;
}

std::string error_sentence(const std::exception& e) {
  if (dynamic_cast<const upsweep::error*>(&e)) return in_options(e.what());
  if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const std::length_error*>(&e))
    return "the host is out of memory" + upsweep::core::said_of_host_limit(std::uint64_t{64} << 20);
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&e))
    return file->path1().string() + ": " + file->code().message();
  if (out_of_threads(e))
    return "no more threads can be started; raise `ulimit -u`, or ask for fewer with --device cpu:1";
  if (const auto* system = dynamic_cast<const std::system_error*>(&e)) {
    if (std::ferror(stdout)) return "standard output: cannot write it: " + system->code().message();
    return "system error: " + system->code().message();
  }
  if (dynamic_cast<const nlohmann::json::exception*>(&e))
    return "the JSON file was not written by upsweep; create it again";
  return std::string("unexpected error: ") + e.what();
}
