#include "upsweep/lex/where.hpp"

namespace upsweep::lex_room {

namespace {

template <class T>
void send(device& d, T* to, const std::vector<T>& from, std::uint64_t count) {
  if (count > 0) d.upload({to, 0}, from.data(), count * sizeof(T));
}

}  // namespace

cut_end cut_where(const context& where, const automaton& a, const kinds_skipped& skip, std::string_view text,
                  const cut_output& out) {
  if (where.kind() == backend::cpu) return cut(where, a, skip, text, out);
  device& d = where.dev();
  if (const auto found = cut_on_cuda(d, a, skip, text, out)) return *found;
  std::string here(text.size(), ' ');
  d.download(here.data(), {const_cast<char*>(text.data()), 0}, here.size());
  const std::uint64_t room = std::min<std::uint64_t>(out.room, text.size() + 1);
  std::vector<token> tokens(out.tokens ? room + 1 : 0);  // never without an address
  std::vector<std::uint64_t> ends(out.ends ? room + 1 : 0);
  const cut_end all = cut(context::cpu(), a, skip, here,
                          {out.tokens ? tokens.data() : nullptr, out.ends ? ends.data() : nullptr, room});
  if (out.tokens) send(d, out.tokens, tokens, all.kept);
  if (out.ends) send(d, out.ends, ends, all.kept);
  return all;
}

void store_where(const context& where, const cut_output& out, std::uint64_t first, std::uint64_t end,
                 std::uint32_t kind, std::uint64_t at) {
  if (where.kind() == backend::cpu) return store(out, first, end, kind, at);
  token t{};
  std::uint64_t e = 0;
  store({out.tokens ? &t : nullptr, out.ends ? &e : nullptr, at < out.room}, first, end, kind, 0);
  if (out.tokens) where.dev().upload({out.tokens + at, 0}, &t, sizeof t);
  if (out.ends) where.dev().upload({out.ends + at, 0}, &e, sizeof e);
}

}  // namespace upsweep::lex_room
