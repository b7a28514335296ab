// Runs the built command as a user would, in a directory of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/npy.hpp"

struct ran {
  int status = 0;  // 128 + the signal where one ended it
  std::string out, err;
};

// Each test has an empty directory, which is the current one of the commands it runs.
class command_test : public testing::Test {
 protected:
  command_test();
  ~command_test() override;

  ran run(const std::vector<std::string>& arguments, std::string_view standard_input = {}) const;
  // A shell line, in which $upsweep is the command.
  ran shell(const std::string& line) const;

  // Starts a scan of a pipe that stays open into y.raw, sends the signal once the scan has opened a file in this
  // folder, and returns the exit status as waitpid reports it.
  int ended_at_work(int signal) const;

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  void write(const std::string& name, std::string_view bytes) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  // Every file there is, so that a forgotten temporary one is seen.
  std::vector<std::string> files() const;

  template <class T>
  void write_npy(const std::string& name, const std::vector<T>& elements) const {
    write(name, npy_header_text(upsweep::dtype_of<T>, elements.size()) + bytes_of(elements));
  }
  template <class T>
  std::vector<T> read_npy(const std::string& name) const {
    return from_npy<T>(read(name));
  }
  template <class T>
  static std::vector<T> from_npy(const std::string& bytes) {
    std::uint64_t at = 0;
    const npy_header h = read_npy_header("output", [&](void* to, std::uint64_t n) {
      n = std::min<std::uint64_t>(n, bytes.size() - at);
      std::memcpy(to, bytes.data() + at, n);
      at += n;
      return n;
    });
    EXPECT_EQ(h.type.builtin(), upsweep::dtype_of<T>);
    EXPECT_EQ(h.shape, std::vector<std::uint64_t>{h.count});
    EXPECT_EQ(bytes.size(), h.bytes + h.count * sizeof(T));
    return from_bytes<T>(std::string_view(bytes).substr(h.bytes));
  }
  template <class T>
  static std::string bytes_of(const std::vector<T>& elements) {
    return std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  }
  template <class T>
  static std::vector<T> from_bytes(std::string_view bytes) {
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
    return elements;
  }

  // It failed with one sentence that holds all of these words, and left no file but those there were.
  void expect_refusal(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
                      std::string_view standard_input = {}, int status = 1) const;

 private:
  std::filesystem::path directory_;
};
