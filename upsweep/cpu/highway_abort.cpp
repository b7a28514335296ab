// What Highway's headers call where an assertion of theirs fails; without optimisation every file that uses them names
// it. Highway's library, which has it, is not linked (dispatch.hpp says why); where a program links it, either will do.
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
