// upsweep cmp: compares two files and reports the first difference, as cmp(1) does.
//
// Blocks are assigned in order, and each thread reads its block of both files. A difference makes all later blocks
// unnecessary, so the reduction (the minimum of the first differences) ends early. Inputs that can only be read in
// order are read in order.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/io/input.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/message.hpp"
#include "cli/process/printable.hpp"
#include "cli/process/report_error.hpp"
#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

constexpr std::uint64_t block = 256 << 10, none = ~std::uint64_t{0};

struct compare_options {
  std::string a, b;
  bool silent = false, bytes = false;
};

struct comparison_result {
  std::uint64_t differ = none;        // the first place where they do
  unsigned char left = 0, right = 0;  // the bytes at that position
  std::uint64_t lines = 0;            // line feeds before it
  std::optional<bool> left_ended;     // one ended first, and all before was the same
  std::uint64_t size = 0;
};

std::uint64_t read_at(const input& in, char* to, std::uint64_t bytes, std::uint64_t at) {
  std::uint64_t got = 0;
  while (got < bytes) {
    const ssize_t some = pread(in.descriptor(), to + got, bytes - got, static_cast<off_t>(at + got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) throw error(fault::bad_argument, in.name(), std::string("cannot read it: ") + std::strerror(errno));
    if (some == 0) break;
    got += static_cast<std::uint64_t>(some);
  }
  return got;
}

std::uint64_t first_difference(const char* a, const char* b, std::uint64_t n) {
  for (std::uint64_t at = 0; at < n; at += 4096) {
    const std::uint64_t here = std::min<std::uint64_t>(4096, n - at);
    if (std::memcmp(a + at, b + at, here) != 0)
      return static_cast<std::uint64_t>(std::mismatch(a + at, a + at + here, b + at).first - a);
  }
  return none;
}

// Two regular files from their current positions, block by block on all threads.
comparison_result compare_files(const input& a, const input& b) {
  const auto from = [](const input& in) {
    return static_cast<std::uint64_t>(std::max<off_t>(lseek(in.descriptor(), 0, SEEK_CUR), 0));
  };
  const std::uint64_t a_at = from(a), b_at = from(b), size = std::min(*a.size(), *b.size());
  std::atomic<std::uint64_t> first{none};
  const std::uint64_t blocks = cpu::block_count(size, block);
  cpu::for_each_block(blocks, [&](std::uint64_t k, const cpu::stop_flag&) {
    const std::uint64_t at = k * block, bytes = std::min(block, size - at);
    if (first.load(std::memory_order_relaxed) < at)
      return;  // blocks are assigned in order: no difference here can be the first
    [[maybe_unused]] static thread_local const bool reserved = upsweep::core::reserve_thread_exit_hook();
    thread_local std::unique_ptr<char[]> memory(new char[2 * block]);
    char *const x = memory.get(), *const y = x + block;
    const std::uint64_t got = std::min(read_at(a, x, bytes, a_at + at), read_at(b, y, bytes, b_at + at));
    std::uint64_t where = first_difference(x, y, got);
    if (where == none && got < bytes)
      throw error(fault::bad_argument, a.name(), "it or " + b.name() + " became shorter while it was read",
                  "compare them again");
    if (where == none) return;
    where += at;
    // The least of all; relaxed, because the end of the run orders it.
    for (std::uint64_t now = first.load(std::memory_order_relaxed);
         where < now && !first.compare_exchange_weak(now, where, std::memory_order_relaxed);) {
    }
  });
  comparison_result r;
  r.differ = first.load(std::memory_order_relaxed);
  r.size = size;
  if (r.differ != none) {
    char x, y;
    read_at(a, &x, 1, a_at + r.differ), read_at(b, &y, 1, b_at + r.differ);
    r.left = static_cast<unsigned char>(x), r.right = static_cast<unsigned char>(y);
  } else {
    if (*a.size() != *b.size()) r.left_ended = *a.size() < *b.size();
    return r;
  }
  std::atomic<std::uint64_t> lines{0};
  cpu::for_each_block(cpu::block_count(r.differ, block), [&](std::uint64_t k, const cpu::stop_flag&) {
    [[maybe_unused]] static thread_local const bool reserved = upsweep::core::reserve_thread_exit_hook();
    thread_local std::unique_ptr<char[]> memory(new char[block]);
    const std::uint64_t got = read_at(a, memory.get(), std::min(block, r.differ - k * block), a_at + k * block);
    lines.fetch_add(static_cast<std::uint64_t>(std::count(memory.get(), memory.get() + got, '\n')),
                    std::memory_order_relaxed);
  });
  r.lines = lines;
  return r;
}

comparison_result compare_streams(input& a, input& b) {
  const std::unique_ptr<char[]> memory(new char[2 * block]);
  char *const x = memory.get(), *const y = x + block;
  comparison_result r;
  while (true) {
    const std::uint64_t left = a.read(x, block), right = b.read(y, block), both = std::min(left, right);
    const std::uint64_t where = first_difference(x, y, both), same = std::min(where, both);
    r.lines += static_cast<std::uint64_t>(std::count(x, x + same, '\n'));
    if (where != none) {
      r.differ = r.size + where;
      r.left = static_cast<unsigned char>(x[where]), r.right = static_cast<unsigned char>(y[where]);
      return r;
    }
    r.size += both;
    if (left != right) r.left_ended = left < right;
    if (left != right || left < block) return r;
  }
}

std::string byte_text(unsigned char c) {
  const auto plain = [](unsigned char x) -> std::string {
    if (x < 32) return std::string("^") + static_cast<char>(x + 64);
    if (x == 127) return "^?";
    return std::string(1, static_cast<char>(x));
  };
  return fmt::format("{:3o} {}{}", c, c >= 128 ? "M-" : "", plain(c & 127));
}

void tell_json(const comparison_result& r) {
  nlohmann::ordered_json& fields = answer::fields();
  fields["same"] = r.differ == none && !r.left_ended;
  if (r.differ != none) {
    fields["byte"] = r.differ + 1, fields["line"] = r.lines + 1;
    fields["values"] = {r.left, r.right};
  } else if (r.left_ended) {
    fields["ended"] = *r.left_ended ? "FILE1" : "FILE2";
    fields["after_byte"] = r.size;
  }
}

void compare_and_tell(const compare_options& o) {
  constexpr int differ = 1, trouble = 2;
  try {
    if (o.a == "-" && o.b == "-")
      throw error(fault::bad_argument, "cmp", "both files are standard input", "name another");
    input a(o.a, input::contents::as_they_lie), b(o.b, input::contents::as_they_lie);
    const auto regular = [](const input& in) {  // files of /proc say that they are empty and are not
      return in.size() && *in.size() > 0;
    };
    const comparison_result r = regular(a) && regular(b) ? compare_files(a, b) : compare_streams(a, b);
    tell_json(r);
    if (r.differ == none && !r.left_ended) return;
    if (o.silent || answer::wanted()) throw CLI::RuntimeError(differ);
    if (r.left_ended) {
      print_message("upsweep: cmp: {} ends after byte {}\n", printable(*r.left_ended ? a.name() : b.name()), r.size);
    } else if (o.bytes) {
      fmt::print("{} {} differ: byte {}, line {} is {} {}\n", printable(a.name()), printable(b.name()), r.differ + 1,
                 r.lines + 1, byte_text(r.left), byte_text(r.right));
    } else {
      fmt::print("{} {} differ: byte {}, line {}\n", printable(a.name()), printable(b.name()), r.differ + 1,
                 r.lines + 1);
    }
    if (std::fflush(stdout) != 0)
      throw error(fault::bad_argument, "standard output", std::string("cannot write it: ") + std::strerror(errno));
    throw CLI::RuntimeError(differ);
  } catch (const upsweep::error& e) {  // 1 says that they differ
    throw CLI::RuntimeError(report_error(e.what(), trouble));
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  auto o = std::make_shared<compare_options>();
  CLI::App* command = app.add_subcommand("cmp", "Compare two files and report the first difference");
  command->add_option("FILE1", o->a, "A file, or - for standard input")->required();
  command->add_option("FILE2", o->b, "Another")->required();
  command->add_flag("-s,--silent", o->silent, "Print nothing; only the exit status");
  command->add_flag("-b,--print-bytes", o->bytes, "Print the bytes that differ");
  command->footer(
      "Prints what cmp(1) prints. Every thread reads and compares a part of both files; little is read beyond the "
      "first difference.\n"
      "Example:\n"
      "  upsweep cmp disk.img backup.img && echo the same\n"
      "Exit status: 0 the files are equal; 1 they differ; 2 a file could not be read, or the command line is invalid.");
  command->callback([o] { compare_and_tell(*o); });
}
