// What the command finds in upsweep_mpi.so by name. Both are of one build.
#pragma once

namespace upsweep {
class exchange;
}

extern "C" {
// Starts MPI; the caller deletes what it gets before it ends it.
upsweep::exchange* upsweep_mpi_begin();
void upsweep_mpi_end();
}
