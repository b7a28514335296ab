// Shared by all example programs: --device and --n, timing, the machine's limit, and the verdict.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "upsweep/upsweep.hpp"

namespace show {

struct options {
  std::string device = "cpu", file;
  std::uint64_t n = 0;
};

// The measurements that --json FILE stores.
struct figure {
  std::string what;
  double seconds, sequential;
};
inline std::vector<figure> figures;
inline std::string json, commit;
inline options chosen;

inline void note(const std::string& what, double seconds, double sequential) {
  figures.push_back({what, seconds, sequential});
}

// Parses the value of --n.
inline std::uint64_t count_of(const std::string& text) {
  std::uint64_t n = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (trouble != std::errc{} || end != text.data() + text.size() || n < 1 || n > 1u << 30)
    throw upsweep::error(upsweep::fault::bad_argument, "--n", "'" + text + "' is no such number",
                         "give 1 to " + std::to_string(1u << 30));
  return n;
}

inline options options_of(int argc, char** argv, std::uint64_t usual_n) {
  options o;
  o.n = usual_n;
  for (int i = 1; i < argc; ++i) {
    const auto value = [&] {
      if (i + 1 == argc) throw upsweep::error(upsweep::fault::bad_argument, argv[i], "it has no value", "give one");
      return argv[++i];
    };
    if (!std::strcmp(argv[i], "--device"))
      o.device = value();
    else if (!std::strcmp(argv[i], "--n"))
      o.n = count_of(value());
    else if (!std::strcmp(argv[i], "--json"))
      json = value();
    else if (!std::strcmp(argv[i], "--commit"))
      commit = value();
    else
      o.file = argv[i];
  }
  return chosen = o;
}

// Writes the file atomically.
inline void write_json(const std::string& program) {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  const std::string beside = json + ".part";
  std::ofstream out(beside);
  out << "{\n \"kind\": \"example\",\n \"schema\": 1,\n \"program\": \"" << program << "\",\n \"commit\": \"" << commit
      << "\",\n \"date\": \"" << date << "\",\n \"device\": \"" << upsweep::context::named(chosen.device).description()
      << "\",\n \"n\": " << chosen.n << ",\n \"figures\": [";
  const char* between = "\n";
  for (const figure& f : figures) {
    out << between << "  {\"what\": \"" << f.what << "\", \"seconds\": " << f.seconds
        << ", \"sequential_seconds\": " << f.sequential << "}";
    between = ",\n";
  }
  out << "\n ]\n}\n";
  out.close();
  if (!out || std::rename(beside.c_str(), json.c_str()) != 0) {
    std::remove(beside.c_str());
    throw upsweep::error(upsweep::fault::bad_argument, json, "it cannot be written", "name a file that can");
  }
}

// Seconds of one call: the median of five.
template <class F>
double seconds(const upsweep::context& where, const F& f) {
  double taken[5];
  for (double& t : taken) {
    where.synchronize();
    const auto began = std::chrono::steady_clock::now();
    f();
    where.synchronize();
    t = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  std::sort(taken, taken + 5);
  return taken[2];
}

// Bytes per second, read and written, of a copy of `bytes`: the upper limit for a program that moves its data once.
inline double copy_rate(const upsweep::context& where, std::uint64_t bytes) {
  const std::uint64_t n = std::max<std::uint64_t>(bytes / 8, 1 << 16);
  upsweep::buffer<std::uint32_t> from(where, std::vector<std::uint32_t>(n, 1)), to(where, n);
  if (where.kind() == upsweep::backend::cpu) {  // every thread copies
    const std::uint32_t* x = from.span().data();
    std::uint32_t* y = to.span().data();
    constexpr std::uint64_t piece = 1 << 16;
    return 8.0 * double(n) / seconds(where, [&] {
             upsweep::for_each_index(
                 where, (n + piece - 1) / piece,
                 [=] UPSWEEP_HD(std::uint64_t i) {
                   memcpy(y + i * piece, x + i * piece, 4 * (n - i * piece < piece ? n - i * piece : piece));
                 },
                 1);
           });
  }
  return 8.0 * double(n) / seconds(where, [&] { where.device().copy(to.span().where(), from.span().where(), n * 4); });
}

inline bool all_right = true;

inline void verdict(const char* what, bool right) {
  if (!right) std::printf("%-44s differs from the sequential program\n", what);
  all_right = all_right && right;
}

// Prints one row: the time compared with the sequential loop, and the bytes that must move compared with a copy.
inline void row(const char* what, double taken, double sequential, double bytes, double roof) {
  note(what, taken, sequential);
  std::printf("%-44s %9.3f ms  %6.2f x the loop  %7.2f GB/s, %3.0f %% of a copy\n", what, taken * 1e3,
              sequential / taken, bytes / taken * 1e-9, 100 * bytes / taken / roof);
}

// The largest error, relative to the largest correct value; NaN if any value is NaN.
template <class A, class B>
double error_of(const A& got, const B& want) {
  double far = 0, most = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double off = std::abs(double(got[i]) - double(want[i]));
    if (!(off <= far)) far = off;
    most = std::max(most, std::abs(double(want[i])));
  }
  return most > 0 ? far / most : far;
}

inline std::string whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw upsweep::error(upsweep::fault::bad_argument, path, "cannot read it");
  return {std::istreambuf_iterator<char>(in), {}};
}

// The body of main. Returns 0 if all results are right, 1 if one differs, and 2 with a message after an error.
template <class Body>
int run(const Body& body) {
  try {
    body();
    std::printf(all_right ? "right\n" : "WRONG\n");
    if (!json.empty() && all_right) write_json(program_invocation_short_name);
    return all_right ? 0 : 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "the memory does not suffice; give a smaller --n\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 2;
}

}  // namespace show
