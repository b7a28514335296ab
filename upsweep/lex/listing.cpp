// An object of its own: a call of the room does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/lex/problem.hpp"

namespace upsweep::lex_room {

room listing() { return listed<problem, choose>("lex", {primitive::tokens, primitive::fields}, {variants()}); }

}  // namespace upsweep::lex_room
