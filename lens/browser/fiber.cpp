#include "lens/fiber.hpp"

// Binaryen generates these functions, and makes every function from which `suspend` is reached able to be left and
// resumed. The caller of start_unwind or stop_rewind is the innermost function that is left, the caller of the other
// two is the outermost.
extern "C" {
__attribute__((import_module("asyncify"), import_name("start_unwind"))) void start_unwind(void*);
__attribute__((import_module("asyncify"), import_name("stop_unwind"))) void stop_unwind();
__attribute__((import_module("asyncify"), import_name("start_rewind"))) void start_rewind(void*);
__attribute__((import_module("asyncify"), import_name("stop_rewind"))) void stop_rewind();
// The stack of addressed variables; compiler-rt's.
unsigned char* stackSave();
void stackRestore(unsigned char*);
}

namespace upsweep::lens {

namespace {
fiber* current = nullptr;
}

[[gnu::noinline]] void fiber::run_body() { body_(); }

[[gnu::noinline]] void fiber::resume() {
  unsigned char* const mine = stackSave();
  current = this;
  stackRestore(top_);
  const bool begun = state_ != state::fresh;
  state_ = begun ? state::returning : state::running;
  if (begun) start_rewind(&left_);
  run_body();
  if (state_ == state::leaving) stop_unwind();
  stackRestore(mine);
}

// When the calls have been entered again, this is the last of them: it finds that it is to go on.
[[gnu::noinline]] void fiber::suspend() {
  if (current->state_ == state::returning) {
    current->state_ = state::running;
    stop_rewind();
  } else {
    current->state_ = state::leaving;
    current->top_ = stackSave();
    current->left_.end = current->top_;  // the two meet where the memory is used up, and there it stops
    start_unwind(&current->left_);
  }
}

}  // namespace upsweep::lens
