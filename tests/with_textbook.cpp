// The tests know the rungs from the start.
#include "upsweep/textbook.hpp"

namespace {

[[maybe_unused]] const bool opened = [] {
  upsweep::textbook::open();
  return true;
}();

}  // namespace
