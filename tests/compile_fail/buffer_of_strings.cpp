// says: upsweep: a buffer holds trivially copyable elements; give it a type without its own copy operations
#include <string>

#include "upsweep/buffer.hpp"

int main() { upsweep::buffer<std::string> names(upsweep::context::cpu(), 3); }
