// The function that Highway's headers call when an assertion fails. Without optimisation every file that uses the
// headers refers to it. Highway's library, which defines it, is not linked (simd_dispatch.hpp says why). If a program
// links that library, either definition works.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace hwy {

[[noreturn]] __attribute__((weak, format(printf, 3, 4))) void Abort(const char* file, int line, const char* format,
                                                                    ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::abort();
}

}  // namespace hwy
