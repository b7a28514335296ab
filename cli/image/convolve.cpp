// upsweep convolve: signals, pictures and volumes of .npy files under a mask.
#include "upsweep/convolve.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "cli/image/convolve_integers.hpp"
#include "cli/image/filters.hpp"
#include "cli/io/npy.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/options.hpp"
#include "cli/process/message.hpp"

using namespace upsweep;

namespace {

struct convolve_options {
  source_options source;
  device_options where;
  output_options output;
  std::string mask, edge = "zero", memory;
  bool correlate = false, explain = false, channels_last = false;
};

template <class T>
mask<T> mask_of(const mask_values& m) {
  if constexpr (std::is_same_v<T, float>) return {m.size, std::span<const float>(m.singles)};
  std::vector<T> values;
  for (const double v : m.values) values.push_back(static_cast<T>(v));
  return {m.size, std::span<const T>(values)};
}

extent extent_of(std::vector<std::uint64_t> shape) {
  std::ranges::reverse(shape);
  shape.resize(3, 1);
  return {shape[0], shape[1], shape[2]};
}

void require_memory(const std::string& name, std::uint64_t elements, dtype type, std::uint64_t most) {
  const double bytes = 2.0 * static_cast<double>(elements) * static_cast<double>(size_of(type));
  if (bytes > static_cast<double>(most))
    throw error(fault::out_of_memory, name,
                fmt::format("the input and the result need {:.1f} GiB, and the limit is {:.1f} GiB", bytes / 0x1p30,
                            static_cast<double>(most) / 0x1p30),
                "raise --memory, or convolve parts of it");
}

template <class In>
std::vector<In> all_of(element_source& source, std::uint64_t memory) {
  constexpr std::uint64_t block = 1 << 20;
  std::vector<In> in;
  if (source.count) {
    require_memory(source.name, *source.count, source.type, memory);
    in.reserve(*source.count + block);  // a block is made room for before it is known how much of it there is
  }
  for (std::uint64_t n = block, at = 0; n == block; at += n) {
    in.resize(at + block);
    n = source.read(in.data() + at, block);
    in.resize(at + n);
    require_memory(source.name, in.size(), source.type, memory);
  }
  source.expect_end();
  if (source.count && in.size() != *source.count)
    throw error(fault::bad_argument, source.name,
                fmt::format("its header promises {} elements and it holds {}", *source.count, in.size()),
                "save it again");
  return in;
}

void write_result(const convolve_options& o, const element_source& source, std::vector<std::uint64_t> shape,
                  extent size, const void* out, std::uint64_t count) {
  const std::size_t last = shape.size() - (o.channels_last ? 2 : 1);
  for (std::size_t axis = 0; axis <= last && axis < 3; ++axis)
    shape[last - axis] = axis == 0 ? size.x : axis == 1 ? size.y : size.z;
  if (format_of_output(o.output.path, o.output.format, source.format) != file_format::npy || shape.size() == 1) {
    const auto sink = open_sink(o.output.path, o.output.format, source, {source.type, count, false, source.title});
    sink->write(out, count);
    return sink->commit();
  }
  refuse_own_input(o.output.path, source.name, source.device_number, source.inode);
  whole_file file(o.output.path);
  file.write(npy_header_text(source.type, shape));
  file.write(out, count * size_of(source.type));
  file.commit();
}

template <class In, class M>
void convolve_elements(const convolve_options& o, const context& where, element_source& source, const mask<M>& m,
                       image_layout picture, std::vector<std::uint64_t> shape, border edge) {
  std::vector<In> in = all_of<In>(source, memory_limit(o.memory));
  if (!source.count) shape = {in.size()}, picture.size = {in.size()};  // a CSV column
  if (o.explain) print_message("{}\n", explain(where, dtype_of<In>, picture, m, dtype_of<In>, edge));
  const extent size = convolved_size(picture.size, m.size(), edge);
  std::vector<In> out(size.count() * picture.channels);
  if (o.correlate)
    correlate(where, std::span<const In>(in), picture, m, std::span(out), edge);
  else
    convolve(where, std::span<const In>(in), picture, m, std::span(out), edge);
  write_result(o, source, shape, size, out.data(), out.size());
}

// i64, u64 and u32, modulo their range.
template <class In>
void convolve_long_integers(const convolve_options& o, const context& where, element_source& source,
                            const mask_values& m, image_layout picture, std::vector<std::uint64_t> shape, border edge) {
  if (!m.integers)
    throw error(fault::bad_argument, "--mask", "its numbers are not integers of 64 bits, and the elements are",
                "read the elements with --as f64");
  const std::vector<In> in = all_of<In>(source, memory_limit(o.memory) / (sizeof(In) == 4 ? 6 : 3));
  if (!source.count) shape = {in.size()}, picture.size = {in.size()};  // a CSV column
  if (o.explain) print_message("in pieces of their bits, each in doubles and exact\n");
  const std::vector<std::uint64_t> wide(in.begin(), in.end());
  const std::vector<std::uint64_t> sums =
      convolve_integers(where, wide, std::is_signed_v<In>, picture, m.size, m.whole, edge, o.correlate);
  const std::vector<In> out(sums.begin(), sums.end());
  write_result(o, source, shape, convolved_size(picture.size, m.size, edge), out.data(), out.size());
}

void convolve_file(const convolve_options& o) {
  require_no_overlap({{"-o", o.output.path}}, {{"--mask", o.mask}});
  const context where = open_context(o.where, {"convolve"}, o.source.path);
  const auto edge = border_named(o.edge);
  if (!edge)
    throw error(fault::bad_argument, "--border '" + o.edge + "'", "it is not known",
                "give none, zero, clamp, reflect, mirror or wrap");
  const mask_values given = mask_of_text("--mask", o.mask);
  const auto source = open_source(o.source);
  std::vector<std::uint64_t> shape = source->shape;
  if (source->format != file_format::npy) shape = {source->count.value_or(1)};
  image_layout picture;
  std::vector<std::uint64_t> places = shape;
  if (o.channels_last) {
    if (shape.size() < 2 || shape.back() < 1 || shape.back() > 4)
      throw error(fault::bad_argument, source->name, "its last axis does not hold 1 to 4 channels",
                  "leave out --channels-last");
    picture.channels = static_cast<std::uint32_t>(shape.back());
    places.pop_back();
  }
  if (places.empty() || places.size() > 3)
    throw error(fault::unsupported, source->name,
                fmt::format("it has {} axes to convolve along; 1 to 3 are supported", places.size()),
                "convolve parts of it");
  picture.size = extent_of(places);
  const auto whole_mask = [&] {
    for (const double v : given.values)
      if (!given.integers || !(std::abs(v) <= std::numeric_limits<std::int32_t>::max()))
        throw error(fault::bad_argument, "--mask", "its numbers are not integers of 32 bits, and the elements are",
                    "read the elements with --as f64");
    return mask_of<std::int32_t>(given);
  };
  switch (source->type) {
    case dtype::u8:
      return given.integers
                 ? convolve_elements<std::uint8_t>(o, where, *source, whole_mask(), picture, shape, *edge)
                 : convolve_elements<std::uint8_t>(o, where, *source, mask_of<float>(given), picture, shape, *edge);
    case dtype::i32: return convolve_elements<std::int32_t>(o, where, *source, whole_mask(), picture, shape, *edge);
    case dtype::u32: return convolve_long_integers<std::uint32_t>(o, where, *source, given, picture, shape, *edge);
    case dtype::i64: return convolve_long_integers<std::int64_t>(o, where, *source, given, picture, shape, *edge);
    case dtype::u64: return convolve_long_integers<std::uint64_t>(o, where, *source, given, picture, shape, *edge);
    case dtype::f16: return convolve_elements<half>(o, where, *source, mask_of<float>(given), picture, shape, *edge);
    case dtype::f32: return convolve_elements<float>(o, where, *source, mask_of<float>(given), picture, shape, *edge);
    case dtype::f64: return convolve_elements<double>(o, where, *source, mask_of<double>(given), picture, shape, *edge);
    default:
      throw error(fault::unsupported, source->name,
                  fmt::format("convolution of {} elements is not supported", name_of(source->type)),
                  "read them with --as i32, f32 or f64");
  }
}

}  // namespace

void add_convolve(CLI::App& app) {
  auto o = std::make_shared<convolve_options>();
  o->source.narrow = true;
  CLI::App* command = app.add_subcommand("convolve", "Convolve a signal, a matrix or a volume with a mask");
  add_source_options(*command, o->source);
  command
      ->add_option("--mask", o->mask,
                   "Mask: a .npy file, or numbers with rows separated by /: '1 2 1 / 2 4 2 / 1 2 1'. A mask of one "
                   "row is applied to each row separately")
      ->required()
      ->type_name("MASK");
  command
      ->add_option("--border", o->edge,
                   "Values beyond the ends: none (the result is shorter), zero, clamp, reflect, mirror or wrap. "
                   "Default: zero")
      ->type_name("B");
  command->add_flag("--correlate", o->correlate, "Do not flip the mask");
  command->add_flag("--channels-last", o->channels_last, "The last axis is 1 to 4 channels, each convolved separately");
  command->add_flag("--explain", o->explain, "Report on standard error the algorithm and the reason for it");
  add_output_options(*command, o->output, "Output file");
  command->add_option("--memory", o->memory, "Memory limit, such as 4G. Default: half of the free memory")
      ->type_name("BYTES");
  add_device_options(*command, o->where);
  command->footer(
      "The result has the input's type: i32, u32, i64, u64 (exact, modulo 2^32 or 2^64), f32, f64, f16 or u8 (rounded "
      "and saturated); --as converts other types. The centre of the mask is element size / 2 along each axis, as in "
      "numpy.convolve(x, mask, 'same') for odd sizes; --border none is 'valid'.\n"
      "Examples:\n"
      "  upsweep convolve data.npy --mask mask.npy -o smooth.npy\n"
      "  upsweep convolve signal.csv --column 2 --mask '1 2 4 2 1' --border mirror -o out.csv\n"
      "  upsweep convolve matrix.npy --mask '0 1 0 / 1 -4 1 / 0 1 0' --as f32 -o bends.npy --explain");
  command->callback([o] { convolve_file(*o); });
}
