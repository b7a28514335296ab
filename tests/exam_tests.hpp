// An exam is put to the test with a variant that is right, and with variants that are wrong in one way each: the check
// must tell them apart.
#pragma once

#include <gtest/gtest.h>

#include "upsweep/context.hpp"
#include "upsweep/proof/check.hpp"

namespace upsweep::tests {

// How a variant runs problems of one room.
template <class P>
using runner = void (*)(device&, const P&);

template <class P>
check_report examined(decltype(P::what) what, runner<P> run, bool quick = true,
                      std::uint64_t max_n = check_options{}.max_n) {
  variant_of<P> v;
  const std::string name = std::string(name_of(what)) + "/for-this-test";
  v.name = name;
  v.what = what;
  v.run = run;
  check_options options;
  options.quick = quick;
  options.max_n = max_n;
  return check_variant(context::cpu(1).dev(), erased(v), options);
}

template <class P>
void expect_passes(decltype(P::what) what, runner<P> run) {
  const check_report report = examined<P>(what, run);
  EXPECT_TRUE(report.ok()) << name_of(what) << ": "
                           << (report.failures.empty() ? "no cases"
                                                       : report.failures[0].what + ": " + report.failures[0].wrong);
}

// Somebody must say `words`.
template <class P>
void expect_caught(decltype(P::what) what, runner<P> run, const std::string& words) {
  const check_report report = examined<P>(what, run);
  EXPECT_FALSE(report.ok()) << name_of(what) << ": nobody said '" << words << "'";
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << name_of(what) << ": nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing"
                                                : report.failures[0].what + ": " + report.failures[0].wrong);
}

}  // namespace upsweep::tests
