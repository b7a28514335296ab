// A point in the work of a context, for others to wait for: contexts on other streams, other devices, or the host.
//
//   upsweep::event sorted;
//   upsweep::sort(a.with({.signal = &sorted}), x.span());               // enqueued on a's stream
//   upsweep::reduce(b.with({.after = {sorted}}), x.span(), total.span());  // on b's, after the sort
//   if (!sorted.done()) sorted.synchronize();                             // the host
//
// Copies are one event. An event that was never recorded is done. On the CPU all is done at once. Between two CUDA
// contexts, and between two queues of one OpenCL context, the devices wait; between any others the host does. A CUDA
// stream that is being captured may record and wait (the capture goes over to the waiting stream), but not be asked.
#pragma once

#include <memory>

namespace upsweep {

class context;
class device;
namespace core {
class event_state;
}

class event {
 public:
  event();
  event(const event&) = default;
  event& operator=(const event&) = default;

  // From now on stands for what was enqueued on that context so far.
  void record(const context&) const;
  // What is enqueued on that context from now on comes after it.
  void wait(const context&) const;
  // While a context that is to signal it is still held: whether that is done which was enqueued when somebody asked
  // first, or waited last.
  bool done() const;
  void synchronize() const;

  // For context::with: recorded on the device when the last copy of what is returned goes, or before, if asked.
  std::shared_ptr<const void> recorded_after(std::shared_ptr<device>) const;

 private:
  std::shared_ptr<core::event_state> state_;
};

}  // namespace upsweep
