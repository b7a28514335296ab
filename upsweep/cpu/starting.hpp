// The threads that oneTBB is going to want.
#pragma once

namespace upsweep::cpu {

// Whether the system gives this process that many threads, the caller's among them. oneTBB does not bear it where it
// cannot start one: in the midst of a loop it leaves the loop's tasks behind, and where one of its threads starts the
// next it ends the process. So before a loop wants more of them than one before it, as many are started at once and
// ended, which takes some 20 µs each, and then oneTBB's own, where nothing is lost. Where they are refused, it is asked
// again a second later; where one of oneTBB's is after all, the process does its work by the caller's threads from then
// on.
bool threads_are_there(int threads);

}  // namespace upsweep::cpu
