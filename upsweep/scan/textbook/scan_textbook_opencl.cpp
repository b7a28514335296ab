// The textbook scans of KIT's OpenCL assignment (2015): host code and catalog entries. The kernels are in
// textbook/*.cl.
#include <array>

#include "upsweep/opencl/textbook_kernel.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

namespace {

using opencl::groups_for;
using opencl::levels;
using opencl::log2_up;
using opencl::textbook_call;

void run_hillis_steele(device& d, const problem& p) {
  if (p.n == 0) return;
  textbook_call r(d, p, "scan/textbook/hillis_steele.cl", {});
  memory from = r.scratch(2 * p.n), to = from.plus_bytes(p.n * r.f.size);
  const std::uint64_t groups = groups_for(p.n, r.group);
  r.launch("take_in_shifted", groups, r.at(p.in), r.at(from), cl_ulong(p.n), cl_uint(p.inclusive), r.f.init);
  for (std::uint64_t distance = 1; distance < p.n; distance *= 2) {
    r.launch("add_from", groups, r.at(from), r.at(to), cl_ulong(p.n), cl_ulong(distance));
    std::swap(from, to);
  }
  d.copy(p.out, from, p.n * r.f.size);
}

// Scans in[0 … n) by sections; the sections' folds go to `sums`, are scanned in place by the same function, and are
// added.
void scan_level(textbook_call<problem>& r, memory in, memory out, memory sums, std::uint64_t n, bool first_level,
                bool inclusive) {
  const std::uint64_t section = 2 * r.group, sections = groups_for(n, section);
  r.launch("scan_sections", sections, r.at(in), r.at(out), r.at(sums), cl_ulong(n), cl_uint(first_level),
           cl_uint(inclusive), cl_uint(sections == 1), r.f.init);
  if (sections == 1) return;
  scan_level(r, sums, sums, sums.plus_bytes(sections * r.f.size), sections, false, false);
  r.launch("add_sums", groups_for(n, r.group), r.at(out), r.at(sums), cl_ulong(n), cl_uint(inclusive));
}

void run_blelloch(device& d, const problem& p, std::string_view file) {
  if (p.n == 0) return;
  textbook_call r(d, p, file, "opencl/add_section_sums.cl");
  std::uint64_t sums = 0;
  for (std::uint64_t n = p.n; n > 1 || sums == 0;) sums += n = groups_for(n, 2 * r.group);
  scan_level(r, p.in, p.out, r.scratch(sums), p.n, true, p.inclusive);
}

void run_blelloch_block(device& d, const problem& p) { run_blelloch(d, p, "scan/textbook/blelloch_block.cl"); }
void run_blelloch_padded(device& d, const problem& p) { run_blelloch(d, p, "scan/textbook/blelloch_padded.cl"); }

variant textbook_variant_of(const char* name, int year, const char* source, const char* teaches,
                            void (*run)(device&, const problem&)) {
  variant v;
  v.name = name;
  v.where = backend::opencl;
  v.what = primitive::scan;
  v.year = year;
  v.source = source;
  v.teaches = teaches;
  v.run = run;
  return v;
}

variant work_efficient(variant v) {
  v.work = {"3n", [](double n) { return 3 * n; }};
  v.span = {"20 a level of 512", [](double n) { return 20 * levels(n); }};
  v.launches = {"2⌈log512 n⌉ - 1", [](double n) { return 2 * levels(n) - 1; }};
  v.traffic = {"4n + 6n/511", [](double n) { return n > 512 ? 4 * n + 6 * n / 511 : 2 * n; }};
  return v;
}

}  // namespace

std::span<const variant> opencl_textbook() {
  static const std::array list = [] {
    std::array all{textbook_variant_of(
                       "scan/hillis-steele", 2015, "kit, article",
                       "the window doubles each launch, two buffers take turns: n·log2 n additions in log2 n steps",
                       run_hillis_steele),
                   work_efficient(textbook_variant_of(
                       "scan/blelloch-block", 2015, "kit, harris2007",
                       "up-sweep and down-sweep in local memory; the sections' folds scanned alike and added back",
                       run_blelloch_block)),
                   work_efficient(textbook_variant_of(
                       "scan/blelloch-padded", 2015, "kit, harris2007",
                       "the same with a gap after every 32 cells, against bank conflicts", run_blelloch_padded))};
    variant& naive = all[0];
    naive.work = {"n⌈log2 n⌉", [](double n) { return n * log2_up(n); }};
    naive.span = {"⌈log2 n⌉ + 1", [](double n) { return log2_up(n) + 1; }};
    naive.launches = {"⌈log2 n⌉ + 1", [](double n) { return log2_up(n) + 1; }};
    naive.traffic = {"3n⌈log2 n⌉ + 4n", [](double n) { return 3 * n * log2_up(n) + 4 * n; }};
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::scan_impl
