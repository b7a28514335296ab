// operator new that tells who asks, for faulty_only_of(): in C++'s own library it would be that library each time. What
// is inside that library, as strings' memory is, does not fail then.
#include <cstdlib>
#include <new>

#include "faulty.h"

namespace {

void* given(void* p) {
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t n) {
  return given(faulty_fails_for(__builtin_return_address(0)) ? nullptr : std::malloc(n + (n == 0)));
}
void* operator new[](std::size_t n) {
  return given(faulty_fails_for(__builtin_return_address(0)) ? nullptr : std::malloc(n + (n == 0)));
}
void* operator new(std::size_t n, std::align_val_t boundary) {
  const auto b = static_cast<std::size_t>(boundary);
  return given(faulty_fails_for(__builtin_return_address(0)) ? nullptr : std::aligned_alloc(b, (n + b - 1) / b * b));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
