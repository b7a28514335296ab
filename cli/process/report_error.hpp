// Errors as one sentence on standard error.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

constexpr int failed = 1, misused = 2;

// Prints the sentence after the program's name, on one line, without control characters. Returns `status`.
int report_error(const std::string& sentence, int status);
// Reports that the host is out of memory, without allocating. Returns `status`.
int report_out_of_memory(int status) noexcept;
// Silences this process because another one prints, unless that process has ended.
void report_nothing(std::function<bool()> it_is_gone);

// The error of an invalid command line, with a suggestion.
std::string error_sentence(const CLI::ParseError&, const CLI::App&);
// Whether a thread of ours or of oneTBB could not be started.
bool out_of_threads(const std::exception&);
// The sentence of any other error.
std::string error_sentence(const std::exception&);
