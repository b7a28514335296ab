// textbook: the textbook variants of the algorithms. A program that needs only the fastest variants does not link them.
#pragma once

namespace upsweep::textbook {

// Adds the textbook variants to the catalog: afterwards catalog() lists them, and context::with accepts them. Call it
// once before the first use of either. Requires upsweep::textbook at link time. A second call does nothing.
void open();

}  // namespace upsweep::textbook
