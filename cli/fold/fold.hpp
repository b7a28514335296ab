// Shared by `upsweep reduce` and `upsweep scan`: their options, and a reduction or scan over a file of any length.
//
// The file is read in chunks of a fixed number of elements, each with the result of the previous ones as its initial
// value. Memory use does not depend on the file, and the bits of float results depend neither on the kind of input nor
// on the machine's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/fold/calls.hpp"
#include "cli/io/elements.hpp"
#include "cli/options.hpp"

struct fold_options {
  source_options source;
  device_options where;
  std::string op = "plus", transform = "identity", init;
  // Large enough for a thread; larger chunks cost more page faults.
  std::uint64_t chunk = std::uint64_t{1} << 19;
};

void add_fold_options(CLI::App& command, fold_options&);

class fold {
 public:
  // Opens the input and the device and checks that they are compatible.
  fold(fold_form::call, const fold_options&);

  element_source& source() { return *source_; }
  const upsweep::context& where() const { return where_; }
  const fold_form& form() const { return form_; }
  // Initial value: --init, or the operator's identity.
  const upsweep::scalar& init() const { return init_; }
  void begin_with(const upsweep::scalar& init) { init_ = init; }
  std::string variant() const { return exact_ ? exact_name : std::string(where_.last_algorithm()); }

  // init ∘ x_0 ∘ … ∘ x_{n-1}
  upsweep::scalar reduce();
  // Whether this is a minimum or maximum of a CSV column whose numbers f64 cannot represent: they are compared by all
  // digits, and results are texts.
  bool is_of_texts() const;
  std::string reduce_texts();
  void scan_texts(const std::function<void(std::string_view)>& write);
  // Writes all prefixes, in order, in chunks.
  void scan(const std::function<void(const void*, std::uint64_t)>& write);
  std::uint64_t elements() const { return done_; }

 private:
  static constexpr const char* exact_name = "reduce/reproducible";

  template <class T>
  upsweep::scalar reduce_exactly();
  // `each` gets the result so far as text, before and after each element.
  void fold_texts(const std::function<void(std::string_view before, std::string_view after)>& each);
  void begin_chunk(const void* data, std::uint64_t n);
  void stream(const std::function<void(void*, std::uint64_t)>& work,
              const std::function<void(const void*, std::uint64_t)>& write);
  void refuse_nan(const void* data, std::uint64_t n) const;

  std::uint64_t chunk_;
  upsweep::context where_;
  std::unique_ptr<element_source> source_;
  fold_form form_;
  upsweep::scalar init_;
  std::string init_text_;
  bool exact_ = false;      // rounded once, in the end
  std::uint64_t done_ = 0;  // elements folded so far
};

// Runs on the ranks of a communicator.
struct command_group;
struct group_fold {
  fold_form form;
  upsweep::scalar value{};
  std::uint64_t elements = 0;
};
group_fold reduce_by(const command_group&, const fold_options&);
void scan_by(const command_group&, fold_form::call, const fold_options&, const output_options&);

// The shortest text that parses to the same value.
std::string value_text(const upsweep::scalar&, upsweep::dtype);
