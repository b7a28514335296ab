// upsweep_mpi.so: all that the command has of MPI.
#include "cli/processes/module.hpp"

#include "upsweep/communicator/mpi.hpp"

extern "C" {

__attribute__((visibility("default"))) upsweep::message_route* upsweep_mpi_begin() {
  int there = 0;
  MPI_Initialized(&there);
  if (!there) MPI_Init(nullptr, nullptr);
  return new upsweep::mpi_route(MPI_COMM_WORLD);
}

__attribute__((visibility("default"))) void upsweep_mpi_end() {
  upsweep::processes_are_gone() ? MPI_Abort(MPI_COMM_WORLD, 1) : MPI_Finalize();
}
}
