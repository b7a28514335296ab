// Elements of any size moved by index: launches. The kernels are in select_opencl_records.cl.
#include "upsweep/select/select_records.hpp"

#include <algorithm>
#include <string>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::detail::select_impl {

void move_records_on_opencl(device& where, const moved_records& r) {
  opencl::device& d = opencl::of(where);
  const std::uint64_t word = detail::sort_impl::word_of_records(r.bytes, r.in.offset | r.out.offset, 8),
                      words_an_element = r.bytes / word, words = r.n * words_an_element;
  const std::string options =
      std::string("-D WORD=") + opencl::word_name(word) + " -D INDEX=" + opencl::word_name(r.index_bytes);
  const std::uint64_t group = std::min<std::uint64_t>(128, d.max_group_size()), groups = (words + group - 1) / group;
  const opencl::operand in{r.in, word}, index{r.index, r.index_bytes}, out{r.out, word};
  const auto kernel = [&](const char* name) -> opencl::loaded_kernel {
    return d.kernel({"select/opencl/select_opencl_records.cl"}, options, name);
  };
  if (r.flags.base == nullptr)
    d.launch(kernel("move_all"), groups, group, in, index, out, cl_ulong(words), cl_ulong(words_an_element),
             cl_uint(r.gathers));
  else
    d.launch(kernel("move_flagged"), groups, group, in, index, opencl::operand{r.flags, 1}, out, cl_ulong(words),
             cl_ulong(words_an_element), cl_uint(r.gathers));
}

}  // namespace upsweep::detail::select_impl
