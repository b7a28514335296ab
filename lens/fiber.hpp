// A thread of a kernel: a function with its own stack, which can be suspended and resumed. On a host Boost.Context
// provides this. In a browser, where no program may change its stack, Binaryen's Asyncify rewrites the code. One host
// thread runs all fibers.
#pragma once

#include <cstddef>

#if !defined(__EMSCRIPTEN__)
#include <boost/context/fiber.hpp>

namespace upsweep::lens {

class fiber {
 public:
  // Runs body() on that memory when it is first resumed. The memory outlives the fiber, which is unwound on it.
  template <class Body>
  void start(unsigned char* stack, std::size_t bytes, Body body) {
    own_ = boost::context::fiber(std::allocator_arg, slab{stack, bytes}, [body](boost::context::fiber&& back) {
      scheduler = std::move(back);
      body();
      return std::move(scheduler);
    });
  }
  // Until it suspends itself or ends.
  void resume() { own_ = std::move(own_).resume(); }
  // Called inside the fiber: returns to the code that resumed it.
  static void suspend() { scheduler = std::move(scheduler).resume(); }

 private:
  struct slab {
    unsigned char* base;
    std::size_t bytes;
    boost::context::stack_context allocate() const {
      boost::context::stack_context s;
      s.size = bytes;
      s.sp = base + bytes;
      return s;
    }
    void deallocate(boost::context::stack_context&) const noexcept {}
  };
  boost::context::fiber own_;
  static inline boost::context::fiber scheduler;
};

}  // namespace upsweep::lens

#else
#include <functional>

namespace upsweep::lens {

// The lower end of its memory holds the calls that Asyncify saved, the upper end the addressed variables. An unfinished
// fiber is dropped without unwinding: a machine runs once in a browser's instance.
class fiber {
 public:
  template <class Body>
  void start(unsigned char* stack, std::size_t bytes, Body body) {
    body_ = body;
    left_ = {stack, stack};
    top_ = stack + bytes - reinterpret_cast<std::size_t>(stack + bytes) % 16;
    state_ = state::fresh;
  }
  void resume();
  static void suspend();
  void run_body();  // entered again at each resumption

 private:
  // The layout that Asyncify requires: the next place to write, and the end of the memory.
  struct left_calls {
    unsigned char *next = nullptr, *end = nullptr;
  };
  enum class state : unsigned char { fresh, running, leaving, returning };
  std::function<void()> body_;
  left_calls left_;
  unsigned char* top_ = nullptr;  // of the addressed variables' stack
  state state_ = state::fresh;
};

}  // namespace upsweep::lens

#endif
