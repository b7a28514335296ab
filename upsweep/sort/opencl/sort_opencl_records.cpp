#include <algorithm>
#include <string>

#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::detail::sort_impl {

void gather_records_on_opencl(device& where, memory in, std::uint64_t record_bytes, memory index,
                              std::uint32_t index_bytes, std::uint64_t n, memory out) {
  opencl::device& d = opencl::of(where);
  const std::uint64_t word = word_of_records(record_bytes, in.offset | out.offset, 8),
                      words_a_record = record_bytes / word;
  const char* names[]{"", "uchar", "ushort", "", "uint", "", "", "", "ulong"};
  const std::string options = std::string("-D WORD=") + names[word] + " -D INDEX=" + names[index_bytes];
  const std::uint64_t group = std::min<std::uint64_t>(128, d.max_group_size());
  const std::uint64_t words = n * words_a_record;
  d.launch(d.kernel({"sort/opencl/sort_opencl_records.cl"}, options, "gather_words"), (words + group - 1) / group,
           group, opencl::operand{in, word}, opencl::operand{index, index_bytes}, opencl::operand{out, word},
           cl_ulong(words), cl_ulong(words_a_record));
}

}  // namespace upsweep::detail::sort_impl
