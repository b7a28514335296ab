// A separate object file: calls of the algorithm do not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/lex/lex_problem.hpp"

namespace upsweep::detail::lex_impl {

algorithm listing() { return listed<problem, choose>("lex", {primitive::tokens, primitive::fields}, {variants()}); }

}  // namespace upsweep::detail::lex_impl
