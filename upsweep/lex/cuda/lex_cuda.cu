// CUDA's ways over a text, and their entries.
#include <string>

#include "upsweep/lex/cpu/lex_cpu.hpp"
#include "upsweep/lex/cuda/lex_cuda_fields.cuh"
#include "upsweep/lex/cuda/lex_cuda_tokens.cuh"

namespace upsweep::detail::lex_impl {

namespace {

template <class T>
void upload(device& d, T* to, const std::vector<T>& from, std::uint64_t count) {
  if (to && count > 0) d.upload({to, 0}, from.data(), count * sizeof(T));
}

// A text that leaves more states possible somewhere than are followed is fetched, and cut on the CPU.
cut_end cut_there(device& d, const automaton& a, const kinds_skipped& skip, std::string_view text,
                  const cut_output& out) {
  const bool large = cuda::tile_ring_fits<cuda::token_work<large_token_tuning>>(cuda::of(d));
  const auto cut_on_device = large ? cuda::cut_in<large_token_tuning> : cuda::cut_in<small_token_tuning>;
  if (const auto found = cut_on_device(cuda::of(d), a, skip, text, out)) return *found;
  std::string here(text.size(), ' ');
  d.download(here.data(), {const_cast<char*>(text.data()), 0}, here.size());
  const std::uint64_t capacity = std::min<std::uint64_t>(out.capacity, text.size() + 1);
  std::vector<token> tokens(out.tokens ? capacity + 1 : 0);  // never without an address
  std::vector<std::uint64_t> ends(out.ends ? capacity + 1 : 0);
  const context host = context::cpu();
  const cut_end all = cut(host.device(), a, skip, here,
                          {out.tokens ? tokens.data() : nullptr, out.ends ? ends.data() : nullptr, capacity});
  upload(d, out.tokens, tokens, all.kept);
  upload(d, out.ends, ends, all.kept);
  return all;
}

std::optional<table_carry> fields_by_ring(device& d, std::string_view text, char separator, std::uint64_t* ends,
                                          std::uint64_t capacity) {
  const bool large = cuda::tile_ring_fits<cuda::fields_work<large_fields_shape>>(cuda::of(d));
  const auto fields_on_device = large ? cuda::fields_in<large_fields_shape> : cuda::fields_in<small_fields_shape>;
  return fields_on_device(cuda::of(d), text, separator, ends, capacity);
}

void cut_tokens(device& d, const problem& p) { run_tokens(d, p, {cut_there}); }
void cut_fields(device& d, const problem& p) { run_fields(d, p, {cut_there}); }
void find_by_parity(device& d, const problem& p) { run_fields(d, p, {cut_there, fields_by_ring}); }

variant entry(primitive what, std::string_view name, std::string_view teaches, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep", v.teaches = teaches;
  v.work = {"2.7 look-ups a byte and state", [](double n) { return 2.7 * n; }};
  // A run-up of 96 bytes, a run of 144 twice, joins within a tile, and one chain of batches of 32 tiles.
  v.span = {"n/1769472 + 450", [](double n) { return n / 1769472 + 450; }};
  v.launches = {"1 for every 2^30 bytes", [](double n) { return 1 + n / 0x1p30; }};
  v.cannot = without_rules;
  v.limits = "a text that leaves more than four states possible after 64 KB is cut on the CPU";
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cuda() {
  static const std::array list = [] {
    variant tokens = entry(primitive::tokens, "tokens/subset-run-up",
                           "Which states are possible in the middle of a text is what the subset construction, begun "
                           "with every state, keeps: a look-up a byte. The few that are left are followed, and the "
                           "scan's ring of tiles joins the followings.",
                           cut_tokens);
    tokens.traffic = {"n, and 16 a token", [](double n) { return n; }};
    variant automaton =
        entry(primitive::fields, "fields/subset-run-up",
              "Fields as the tokens of an automaton of six states, which takes quotes anywhere.", cut_fields);
    variant parity = entry(primitive::fields, "fields/quote-parity",
                           "A thread counts the fields that end in its 48 bytes both ways, outside of quotes and "
                           "inside; parities join on the scan's ring of tiles. Quotes inside unquoted fields send the "
                           "text to the automaton.",
                           find_by_parity);
    parity.work = {"n", [](double n) { return n; }};
    parity.span = {"n/1179648 + 150", [](double n) { return n / 1179648 + 150; }};
    parity.limits = "";
    automaton.traffic = parity.traffic = {"n, and 8 a field", [](double n) { return n; }};
    return std::array{tokens, automaton, parity};
  }();
  return list;
}

}  // namespace upsweep::detail::lex_impl
