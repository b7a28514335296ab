// CSV fields on a GPU (or a CPU) by user-defined steps, compared with find_fields. The automaton has five states, so a
// map from state to state is five small numbers. With each the map stores the number of fields that are found on that
// path, so that each step knows where to write the ends of its fields. find_fields has only two states, inside and
// outside of quotes, and processes 48 bytes in a step. This program shows the requirements of any small automaton.
#include "show.hpp"

using namespace upsweep;
using u64 = std::uint64_t;

struct csv_steps {
  enum : std::uint8_t { begins, plain, quoted, closing, wrong, count };
  struct state {
    u64 fields;
    u64 now;
  };
  struct map {
    std::uint32_t fields[count];  // of a tile: far below 2^32
    std::uint8_t to[count];
  };
  const char* text;
  u64* ends;
  u64 capacity;

  // The state after a byte, and whether a field ends there.
  UPSWEEP_HD static std::uint8_t after(std::uint8_t s, char c, bool& ends_field) {
    ends_field = false;
    if (s == quoted) return c == '"' ? closing : quoted;
    if (s == wrong) return wrong;
    ends_field = c == ',' || c == '\n';
    if (ends_field) return begins;
    if (s == begins) return c == '"' ? quoted : plain;
    if (s == plain) return plain;
    return c == '"' ? quoted : c == '\r' ? closing : wrong;
  }
  UPSWEEP_HD map identity() const {
    map f;
    for (std::uint8_t s = 0; s < count; ++s) f.to[s] = s, f.fields[s] = 0;
    return f;
  }
  UPSWEEP_HD map extend(map f, u64 i) const {
    for (std::uint8_t s = 0; s < count; ++s) {
      bool ends_field;
      f.to[s] = after(f.to[s], text[i], ends_field);
      f.fields[s] += ends_field;
    }
    return f;
  }
  UPSWEEP_HD map operator()(const map& f, const map& g) const {
    map r;
    for (std::uint8_t s = 0; s < count; ++s) r.to[s] = g.to[f.to[s]], r.fields[s] = f.fields[s] + g.fields[f.to[s]];
    return r;
  }
  UPSWEEP_HD state apply(const map& f, state s) const { return {s.fields + f.fields[s.now], f.to[s.now]}; }
  UPSWEEP_HD state step(u64 i, state s) const {
    bool ends_field;
    s.now = after(static_cast<std::uint8_t>(s.now), text[i], ends_field);
    if (ends_field && s.fields < capacity) ends[s.fields] = i;
    s.fields += ends_field;
    return s;
  }
};

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 20);
    const context where = context::named(o.device);
    std::string text;
    for (u64 k = 0; text.size() < o.n; ++k)
      text += k % 5 ? std::to_string(k * 7919) + ",x\r\n" : "\"quoted, \"\"so\"\"\n\",y\n";
    const std::string_view whole(text);
    std::vector<u64> want(count_fields(context::cpu(), whole).fields);
    const double on_cpu = show::seconds(context::cpu(), [&] { find_fields(context::cpu(), whole, want); });
    const buffer<char> there(where, text);
    buffer<u64> ends(where, want.size());
    csv_steps::state last{};
    const csv_steps steps{there.span().data(), ends.span().data(), want.size()};
    const double taken = show::seconds(where, [&] { last = recur(where, text.size(), steps, {0, csv_steps::begins}); });
    const double roof = show::copy_rate(where, text.size()), bytes = double(text.size() + 8 * want.size());
    show::row("CSV fields by steps", taken, on_cpu, bytes, roof);
    show::verdict("CSV", last.fields == want.size() && last.now == csv_steps::begins && ends.download() == want);
    buffer<u64> found(where, want.size());
    const double by_masks = show::seconds(where, [&] { find_fields(where, there.span(), found.span()); });
    show::row("CSV fields by find_fields", by_masks, on_cpu, bytes, roof);
    std::printf("    %.1f and %.1f GB of text a second\n", double(text.size()) / taken * 1e-9,
                double(text.size()) / by_masks * 1e-9);
    show::verdict("find_fields", found.download() == want);
  });
}
