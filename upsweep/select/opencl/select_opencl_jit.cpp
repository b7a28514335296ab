// Selections by classes: one byte for each element gives its destination, so that elements may have any size. The
// classes come from user-defined predicates or an equality, in select_predicate_classes.cl, or from flags.
#include "upsweep/select/jit/select_jit.hpp"

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/select/opencl/select_opencl.hpp"

namespace upsweep::opencl {

namespace {

using detail::select_impl::selection;

loaded_kernel kernel_of(device& d, const question& q, const char* name) {
  return d.kernel({"select/opencl/select_predicate_classes.cl"}, "", name, q.before);
}

memory classes_of(device& d, const selection_jit& s) {
  const memory classes = d.scratch("select/opencl/classes", std::max<std::uint64_t>(s.n, 1));
  d.launch(kernel_of(d, s.asked, s.how == selection::unique ? "note_runs" : "note_classes"), groups_for(s.n), lanes,
           operand{s.in, s.asked.bytes}, operand{classes, 1}, cl_ulong(s.n), cl_uint(s.negated), cl_uint(!s.negated));
  return classes;
}

// The selection runs on the classes, and the elements, or their indices, follow them as values.
void move_by_classes(device& d, selection how, by what, memory classes, std::uint64_t n, memory count,
                     const moved_elements& moved) {
  detail::select_impl::problem p;
  p.type = dtype::u8, p.how = how, p.n = n, p.in = classes, p.in3 = classes, p.count = count;
  p.out = d.scratch("select/opencl/classes in order", std::max<std::uint64_t>(n, 1));
  const bool places = moved.bytes != 0 && moved.in.base == nullptr;
  if (!places) p.value_bytes = moved.bytes, p.in2 = moved.in, p.out2 = moved.out;
  enqueue_selection(d, p, places ? moved.out : memory{}, what);
}

}  // namespace

void note_first_of_runs(device& d, const question& q, memory in, std::uint64_t n, memory firsts) {
  d.launch(kernel_of(d, q, "note_runs"), groups_for(n), lanes, operand{in, q.bytes}, operand{firsts, 1}, cl_ulong(n),
           cl_uint(1), cl_uint(0));
}

void select_by(upsweep::device& any, const selection_jit& s, std::initializer_list<moved_elements> moved) {
  device& d = of(any);
  require_lanes(d, s.call);
  const memory classes = classes_of(d, s);
  if (moved.size() == 0) move_by_classes(d, s.how, by::classes, classes, s.n, s.count, {});
  for (const moved_elements& m : moved) move_by_classes(d, s.how, by::classes, classes, s.n, s.count, m);
}

void select_by_flags(upsweep::device& any, const char* call, const detail::select_impl::problem& p,
                     std::size_t element_bytes) {
  device& d = of(any);
  require_lanes(d, call);
  move_by_classes(d, selection::flagged, by::flags, p.in3, p.n, p.count, {p.in, p.out, element_bytes});
}

void run_lengths_by(upsweep::device& any, const selection_jit& s, memory out, memory lengths) {
  device& d = of(any);
  require_lanes(d, s.call);
  const memory starts = starts_in_scratch(d, s.n);
  select_by(any, s, {{s.in, out, s.asked.bytes}, {{}, starts, 8}});
  enqueue_lengths(d, starts, s.count, lengths, s.n);
}

}  // namespace upsweep::opencl
