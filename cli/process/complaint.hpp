// What went wrong, as one sentence on standard error.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

constexpr int failed = 1, misused = 2;

// Prints it after the program's name, on one line, with nothing in it that moves a terminal's cursor. Returns `status`.
int complain(const std::string& sentence, int status);
// That memory has run out, where there is none even for a sentence. Returns `status`.
int complain_of_memory(int status) noexcept;
// From now on another process says what there is to say, here and on standard output; here unless it is gone.
void keep_silent(std::function<bool()> it_is_gone);

// A command line that is not understood, with what may have been meant.
std::string sentence_about(const CLI::ParseError&, const CLI::App&);
// Whether the system refused a thread, to us or to oneTBB.
bool out_of_threads(const std::exception&);
// Any other failure; no library's own words.
std::string sentence_about(const std::exception&);
