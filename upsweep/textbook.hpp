// The textbook's rungs, which a program that only wants the fastest does not link.
#pragma once

namespace upsweep::textbook {

// Puts the rungs into the catalog: from here on catalog() lists them, and context::with takes them. Once, before
// either is first used;
// needs upsweep::textbook at link time. A second call does nothing.
void open();

}  // namespace upsweep::textbook
