#include "cli/commands.hpp"
#include "upsweep/textbook.hpp"

void open_textbook() { upsweep::textbook::open(); }
