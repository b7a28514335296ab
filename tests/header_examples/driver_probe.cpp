#include "upsweep/driver_probe.hpp"

#include <iostream>

#include "tests/header_examples/example.hpp"
#include "upsweep/context.hpp"

HEADER_EXAMPLE(driver_probe, everywhere) {
#include "driver_probe.example"
  upsweep::probe_drivers(false);
  bool listed = any.kind() == upsweep::backend::cpu;
  for (const auto& d : upsweep::list_devices()) listed = listed || (d.usable && d.name == any.name());
  EXPECT_TRUE(listed) << "of " << gpu.name() << " and " << cpu.name();
}
