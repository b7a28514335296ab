// Error messages of wrong calls: where, what is wrong, and what to write instead. compile_fail/ tests the compiler's
// messages.
#include <cmath>
#include <string>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;
using u64 = std::uint64_t;

struct SentencesOn : tests::on_each_device {
  const context& c = where();
  const std::vector<int> seven{5, 3, 1, 4, 2, 7, 6}, three{1, 2, 3}, sorted{1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> floats = std::vector<float>(7, 0.5f), floats3 = std::vector<float>(3);
  const std::vector<u64> offsets{0, 3, 7}, falling{0, 5, 3, 7}, beyond{0, 3, 9}, three64{1, 2, 3};
  const std::vector<int> one_one_two{1, 1, 2}, one_five_two{1, 5, 2};
  std::vector<int> out = std::vector<int>(7, -1), small = std::vector<int>(3, -1), big = std::vector<int>(20, -1);
  std::vector<u64> order = std::vector<u64>(7), small_order = std::vector<u64>(3), counts = std::vector<u64>(4);
  std::vector<float> float_out = std::vector<float>(7), small_floats = std::vector<float>(3);
  std::vector<double> sums = std::vector<double>(4);

  // The call ends in an error of ours that begins with these words, and has written nothing.
  template <class Call>
  void says(const std::string& words, Call&& call) {
    try {
      call();
      ADD_FAILURE() << "no error, where it should be: " << words;
    } catch (const error& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, words.size()), words);
      EXPECT_FALSE(e.remedy().empty()) << words;
    }
    for (const std::vector<int>* written : {&out, &small, &big})
      EXPECT_EQ(std::ranges::count(*written, -1), static_cast<std::ptrdiff_t>(written->size())) << words;
  }
};
INSTANTIATE_TEST_SUITE_P(, SentencesOn, testing::ValuesIn(tests::device_names()), tests::device_label);

TEST_P(SentencesOn, SizesThatDiffer) {
  says("scan: the input has 7 elements and the output 3; give both the same size",
       [&] { inclusive_scan(c, seven, small); });
  says("scan: the input has 7 elements and the output 20; give both the same size",
       [&] { exclusive_scan(c, seven, big); });
  says("scan: the input has 7 elements and the output 3; give both the same size",
       [&] { transform_inclusive_scan(c, seven, small, plus{}, square{}); });
  says("transform_reduce: there are 7 elements and 3; give both the same size",
       [&] { inner_product(c, seven, three); });
  says("sort: there are 7 keys and 3 output elements; give both the same size", [&] { sort(c, seven, small); });
  says("sort_by_key: there are 7 keys and 3 values; give both the same size", [&] { sort_by_key(c, out, small); });
  says("sort_by_key: there are 7 keys and 3 values; give both the same size",
       [&] { sort_by_key(c, seven, three, out, small); });
  says("argsort: there are 7 keys and 3 elements for indices; give both the same size",
       [&] { argsort(c, seven, small_order); });
  says("top_k: there are 3 elements for keys and 7 elements for indices; give both the same size",
       [&] { top_k(c, seven, small, order); });
  says("merge: there are 10 keys in both and 7 output elements; give both the same size",
       [&] { merge(c, sorted, three, out); });
  says("scan_by_key: the keys have 3 elements and the values 7; give both the same size",
       [&] { inclusive_scan_by_key(c, three, seven, out); });
  says("scan_by_key: the values have 7 elements and the output 3; give both the same size",
       [&] { exclusive_scan_by_key(c, seven, seven, small); });
  says("reduce_by_key: the keys have 3 elements and the values 7; give both the same size",
       [&] { reduce_by_key(c, three, seven, out, out); });
  says("reduce_by_key: the keys' output has 3 elements and 7 may be written; give that many",
       [&] { reduce_by_key(c, seven, seven, small, out); });
  says("copy_if: the output has 3 elements and 7 are kept; give that many",
       [&] { copy_if(c, seven, small, less_than(9)); });
  says("select_flagged: the elements have 7 elements and the flags 3; give both the same size",
       [&] { select_flagged(c, seven, std::vector<std::uint8_t>(3), out); });
  says("unique: the output has 3 elements and 7 are kept; give that many", [&] { unique(c, seven, small); });
  says("unique_by_key: the keys have 7 elements and the values 3; give both the same size",
       [&] { unique_by_key(c, seven, three, out, small); });
  says("partition: the elements of the input have 7 elements and the output 3; give both the same size",
       [&] { partition(c, seven, small, less_than(3)); });
  says("run_length_encode: the lengths' output has 3 elements and 7 may be written; give that many",
       [&] { run_length_encode(c, seven, out, small_order); });
  says("run_length_decode: the elements have 7 elements and the lengths 3; give both the same size",
       [&] { run_length_decode(c, seven, three64, big); });
  says("run_length_decode: the lengths add up to 6 and the output has 7 elements; give an output of exactly that size",
       [&] { run_length_decode(c, three, three64, out); });
}

TEST_P(SentencesOn, MemoryThatOverlaps) {
  says(
      "scan: the input and the output overlap without being the same; work in place exactly, or give a separate output",
      [&] { inclusive_scan(c, std::span(out).first(6), std::span(out).last(6)); });
  says(
      "sort: the input and the output overlap without being the same; work in place exactly, or give a separate output",
      [&] { sort(c, std::span(big).first(10), std::span(big).subspan(5, 10)); });
  says("sort_by_key: the keys and the values' output overlap; give a separate output",
       [&] { sort_by_key(c, out, out); });
  says("top_k: the keys and the keys' output overlap; give a separate output",
       [&] { top_k(c, big, std::span(big).first(3)); });
  says("merge: the first keys and the output overlap; give a separate output",
       [&] { merge(c, std::span(big).first(3), std::span(big).subspan(3, 3), std::span(big).first(6)); });
}

TEST_P(SentencesOn, MoreThanThereIs) {
  says("top_k: 20 keys are requested from 7; request at most that number", [&] { top_k(c, seven, big); });
  says("nth_element: rank 7 is requested from 7 elements; give a rank from 0 to the number of elements - 1",
       [&] { (void)nth_element(c, seven, 7); });
  says("nth_element: rank 0 is requested from 0 elements; give a rank from 0 to the number of elements - 1",
       [&] { (void)nth_element(c, std::vector<int>{}, 0); });
  says("sort: bits 9 to 3 are none; let last_bit be larger than first_bit, or leave both 0 for the whole key",
       [&] { sort(c, out, sort_options{.first_bit = 9, .last_bit = 3}); });
  says("sort: bits 0 to 99 are requested, and a key has 32; end the range inside the key",
       [&] { sort(c, out, sort_options{.last_bit = 99}); });
}

TEST_P(SentencesOn, OffsetsThatAreNone) {
  says("segmented_sort: offset 2 is 3, less than the 5 before it; give offsets that never decrease",
       [&] { segmented_sort(c, out, falling); });
  says("segmented_sort: offset 2 is 9, past the end of 7 elements; the last offset must be the size of the input",
       [&] { segmented_sort(c, out, beyond); });
  says("segmented_sort: there are no offsets; give one more than there are segments",
       [&] { segmented_sort(c, out, std::vector<u64>{}); });
  says("segmented_reduce: the segments have 2 elements and the output 3; give both the same size",
       [&] { segmented_reduce(c, seven, offsets, small); });
  says("segmented_reduce: offset 2 is 3, less than the 5 before it; give offsets that never decrease",
       [&] { segmented_reduce(c, seven, falling, small); });
  says("segmented_reduce: offset 2 is 9, past the end of 7 elements; the last offset must be the size of the input",
       [&] { segmented_reduce(c, seven, beyond, std::span(small).first(2)); });
  says("segmented_scan: offset 2 is 3, less than the 5 before it; give offsets that never decrease",
       [&] { segmented_inclusive_scan(c, seven, falling, out); });
}

TEST_P(SentencesOn, BinsThatHoldNothing) {
  says("histogram: the bounds [5, 5) hold nothing; give a lower bound below the upper one",
       [&] { histogram(c, seven, counts, 5, 5); });
  says("histogram: the bounds [5, 1) hold nothing; give a lower bound below the upper one",
       [&] { histogram(c, seven, counts, 5, 1); });
  says("histogram: the bounds [0.000000, nan) hold nothing; give a lower bound below the upper one",
       [&] { histogram(c, floats, counts, 0.0f, NAN); });
  says(
      "histogram: the width of the bins over [0.000000, inf) is not a finite number; give bounds that are neither that "
      "far nor that close",
      [&] { histogram(c, floats, counts, 0.0f, INFINITY); });
  says("histogram: there are no bins; give at least one count", [&] { histogram(c, seven, std::span<u64>(), 0, 8); });
  says("histogram: edge 1 is not above the one before it; give edges that increase",
       [&] { histogram(c, seven, one_one_two, std::span(counts).first(2)); });
  says("histogram: edge 2 is not above the one before it; give edges that increase",
       [&] { histogram(c, seven, one_five_two, std::span(counts).first(2)); });
  says("histogram: 4 bins have 5 edges, and 3 are given; give one edge more than there are bins",
       [&] { histogram(c, seven, three, counts); });
  says("weighted_histogram: the samples have 7 elements and the weights 3; give both the same size",
       [&] { weighted_histogram(c, seven, floats3, sums, 0, 8); });
}

TEST_P(SentencesOn, PicturesAndMasks) {
  says(
      "convolve: the output has 3 elements, and 7 are between the first and the last of 7 x 1 pixels; give that "
      "many",
      [&] { convolve(c, floats, mask<float>({2, 1, 1}, {1, 1}), small_floats); });
  says("mask: a mask of 3 x 1 does not match 2 values; give one value for each element, x fastest",
       [&] { (void)mask<float>({3, 1, 1}, {1, 1}); });
  says("mask: it has no elements; give at least one along each axis", [&] { (void)mask<float>({0, 1, 1}, {}); });
  says("median: a radius of 1000 is more than 255; make the picture smaller first",
       [&] { median(c, floats, image_layout{7, 1}, 1000, float_out); });
  says("median: the output has 3 elements, and the picture spans 7; give that many",
       [&] { median(c, floats, image_layout{7, 1}, 1, small_floats); });
  says("bilateral: the sigmas must be above 0, and that of space at most 100; give such",
       [&] { bilateral(c, floats, image_layout{7, 1}, -1.0f, 1.0f, float_out); });
  says("bilateral: the sigmas must be above 0, and that of space at most 100; give such",
       [&] { bilateral(c, floats, image_layout{7, 1}, NAN, 1.0f, float_out); });
  if (c.kind() == backend::cpu)
    says("recursive_gaussian: sigma must be from 0.5 to 1000; give such",
         [&] { recursive_gaussian(c, floats, image_layout{7, 1}, -1.0f, float_out); });
  says("hysteresis_threshold: the thresholds must satisfy 0 < low <= high; give such",
       [&] { hysteresis_threshold(c, floats, extent{7, 1}, 2, 1, float_out); });
  says("resize: a picture of 0 x 1 is empty; give at least one pixel",
       [&] { resize(c, floats, image_layout{7, 1}, float_out, extent{0, 1}, resampling::linear); });
}

TEST_P(SentencesOn, NamesThatAreNone) {
  says("device 'gpu': the kind of device is unknown; name one of cpu, cuda:N, opencl:N, best",
       [&] { (void)context::named("gpu"); });
  says("device 'cpu:many': the text after the colon is not a number; write cuda:0, opencl:1 or cpu:4",
       [&] { (void)context::named("cpu:many"); });
  says("device '': the kind of device is unknown; name one of cpu, cuda:N, opencl:N, best",
       [&] { (void)context::named(""); });
  says("variant 'reduce/no-such': no variant has that name;", [&] { (void)c.with({.variant = "reduce/no-such"}); });
  says("variant 'nothing/at-all': no variant has that name;", [&] { (void)c.with({.variant = "nothing/at-all"}); });
}

TEST_P(SentencesOn, BuffersThatDoNotFit) {
  says("buffer: 4611686018427387904 elements of 4 bytes are more than memory can hold; request fewer elements",
       [&] { (void)buffer<int>(c, u64(1) << 62); });
  says("buffer: 2305843009213693952 elements of 8 bytes are more than memory can hold; request fewer elements",
       [&] { (void)buffer<double>(c, u64(1) << 61); });
  says("buffer::upload: the host span has 7 elements and the buffer 3; give both the same size",
       [&] { (void)buffer<int>(c, 3).upload(seven); });
  says("buffer::download: the host span has 7 elements and the buffer 3; give both the same size",
       [&] { (void)buffer<int>(c, 3).download(out); });
  says("device_span::subspan: elements 2 to 4 of 3; give a range inside the span",
       [&] { (void)buffer<int>(c, 3).span().subspan(2, 2); });
  says("upload: the host span has 7 elements and the device span 3; give both the same size",
       [&] { (void)upload(c, seven, buffer<int>(c, 3).span()); });
}

TEST_P(SentencesOn, Recurrences) {
  says("recurrence: sequences of 7 and 3 elements; give all one size",
       [&] { recurrence(c, floats, floats3, float_out); });
  says("moving_average: alpha is 2.000000; give a number from 0 to 1",
       [&] { moving_average(c, floats, float_out, 2.0); });
  says("moving_average: alpha is nan; give a number from 0 to 1", [&] { moving_average(c, floats, float_out, NAN); });
  says("iir_filter: sequences of 7 and 3 elements; give all one size",
       [&] { iir_filter(c, biquad{}, floats, small_floats); });
}

}  // namespace
