// Adds the textbook variants to the catalog before the first test.
#include "upsweep/textbook.hpp"

namespace {

[[maybe_unused]] const bool opened = [] {
  upsweep::textbook::open();
  return true;
}();

}  // namespace
