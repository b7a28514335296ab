// Checks that threads can be started before oneTBB needs them.
#pragma once

namespace upsweep::cpu {

// Whether the system lets this process run that many threads, including the caller.
//
// oneTBB fails if it cannot start a thread: within a loop it abandons the loop's tasks, and if one of its own threads
// fails to start the next, the process ends. So before a loop that needs more threads than any loop before it, this
// function starts that many threads and ends them (about 20 µs each). Then it starts the threads of oneTBB, while no
// work can be lost. If the system refuses threads, the function tries again a second later. If a thread of oneTBB
// cannot be started after all, the process uses only the callers' threads from then on.
bool threads_are_there(int threads);

}  // namespace upsweep::cpu
