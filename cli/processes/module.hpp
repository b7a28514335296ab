// Symbols that the command loads from upsweep_mpi.so. Both are from the same build.
#pragma once

namespace upsweep {
class message_route;
}

extern "C" {
// Starts MPI; the caller deletes the result before it finalizes MPI.
upsweep::message_route* upsweep_mpi_begin();
void upsweep_mpi_end();
}
