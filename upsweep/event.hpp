// event: a point in the work of a context that other contexts or the host can wait for, like a cudaEvent_t.
//
//   upsweep::event sorted;
//   upsweep::sort(a.with({.record = &sorted}), x.span());                     // enqueued on a's stream
//   upsweep::reduce(b.with({.wait_for = {sorted}}), x.span(), total.span());  // on b's, after the sort
//   if (!sorted.done()) sorted.synchronize();                                 // the host
//
// Copies of an event share its state. An event that was never recorded is done. On the CPU every call is done on
// return. Between two CUDA contexts, and between two queues of one OpenCL context, the devices wait; in all other cases
// the host waits. A CUDA stream that is being captured can record an event and wait for one (the waiting stream then
// joins the capture), but the host must not query the event.
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

  // Records the work that was enqueued on that context so far. Replaces an earlier record.
  void record(const context&) const;
  // Work that is enqueued on that context from now on starts after the recorded work.
  void wait(const context&) const;
  // Whether the recorded work is done. While a copy of a context that is to record this event still exists, the work
  // that counts is that enqueued at the first call of done(), or at the last wait if there was one.
  bool done() const;
  void synchronize() const;

  // For context::with: records the event on the device when the last copy of the returned pointer is destroyed, or
  // earlier if the event is queried.
  std::shared_ptr<const void> recorded_after(std::shared_ptr<device>) const;

 private:
  std::shared_ptr<core::event_state> state_;
};

}  // namespace upsweep
