// An exam is put to the test with a variant that is right, and with variants that are wrong in one way each: the check
// must tell them apart.
#pragma once

#include <gtest/gtest.h>

#include "upsweep/context.hpp"
#include "upsweep/proof/check.hpp"

namespace upsweep::tests {

using runner = void (*)(device&, const problem&);

inline check_report examined(primitive what, runner run) {
  variant v;
  v.name = "for-this-test";
  v.what = what;
  v.run = run;
  check_options quick;
  quick.quick = true;
  return check_variant(context::cpu(1).dev(), v, quick);
}

inline void expect_passes(primitive what, runner run) {
  const check_report report = examined(what, run);
  EXPECT_TRUE(report.ok()) << name_of(what) << ": "
                           << (report.failures.empty() ? "no cases"
                                                       : report.failures[0].what + ": " + report.failures[0].wrong);
}

// Somebody must say `words`.
inline void expect_caught(primitive what, runner run, const std::string& words) {
  const check_report report = examined(what, run);
  EXPECT_FALSE(report.ok()) << name_of(what) << ": nobody said '" << words << "'";
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << "nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing"
                                                : report.failures[0].what + ": " + report.failures[0].wrong);
}

}  // namespace upsweep::tests
