// A separate object file, so that a program that only calls the algorithm does not link the catalog.
#include "upsweep/core/catalog.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

algorithm listing() { return listed<problem, choose, run_on_host>("scan", {primitive::scan}, {variants()}); }

}  // namespace upsweep::detail::scan_impl
