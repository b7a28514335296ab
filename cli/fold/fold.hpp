// What `upsweep reduce` and `upsweep scan` share: their options, and a fold over a file of any length.
//
// The file streams through memory in chunks of a fixed number of elements, each seeded with what came before it, so
// memory use does not depend on the file, and neither a pipe in a file's place nor a smaller machine changes a bit of a
// float's result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/fold/calls.hpp"
#include "cli/io/elements.hpp"
#include "cli/options.hpp"

struct fold_options {
  source_options source;
  device_options where;
  std::string op = "plus", transform = "identity", init;
  // Worth a thread's while; longer ones cost more in pages that are touched for the first time.
  std::uint64_t chunk = std::uint64_t{1} << 19;
};

void add_fold_options(CLI::App& command, fold_options&);

class fold {
 public:
  // Opens the input and the device and checks that the two go together.
  fold(fold_form::call, const fold_options&);

  element_source& source() { return *source_; }
  const upsweep::context& where() const { return where_; }
  const fold_form& form() const { return form_; }
  // What comes before the elements: --init, or the operator's identity.
  const upsweep::scalar& init() const { return init_; }
  void begin_with(const upsweep::scalar& init) { init_ = init; }
  std::string variant() const { return exact_ ? exact_name : std::string(where_.last_variant()); }

  // init ∘ x_0 ∘ … ∘ x_{n-1}
  upsweep::scalar reduce();
  // Every prefix, in order, in pieces.
  void scan(const std::function<void(const void*, std::uint64_t)>& write);
  std::uint64_t elements() const { return done_; }

 private:
  static constexpr const char* exact_name = "reduce/reproducible";

  template <class T>
  upsweep::scalar reduce_exactly();
  void begin_chunk(const void* data, std::uint64_t n);
  void stream(const std::function<void(void*, std::uint64_t)>& work,
              const std::function<void(const void*, std::uint64_t)>& write);
  void refuse_nan(const void* data, std::uint64_t n) const;

  std::uint64_t chunk_;
  upsweep::context where_;
  std::unique_ptr<element_source> source_;
  fold_form form_;
  upsweep::scalar init_;
  bool exact_ = false;      // rounded once, in the end
  std::uint64_t done_ = 0;  // elements folded so far
};

// By the members of a group.
struct command_group;
struct group_fold {
  fold_form form;
  upsweep::scalar value{};
  std::uint64_t elements = 0;
};
group_fold reduce_by(const command_group&, const fold_options&);
void scan_by(const command_group&, fold_form::call, const fold_options&, const output_options&);

// Shortest text that reads back as the same value.
std::string value_text(const upsweep::scalar&, upsweep::dtype);
