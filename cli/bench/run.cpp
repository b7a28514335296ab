#include "cli/bench/run.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "cli/bench/text.hpp"
#include "cli/lens/listed.hpp"
#include "cli/names.hpp"
#include "upsweep/conformance/check.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/nbody/nbody_problem.hpp"

using upsweep::backend;
using upsweep::device;
using upsweep::primitive;
using upsweep::problem;
using upsweep::variant;
using upsweep::variant_kind;
using nbody_problem = upsweep::detail::nbody_impl::problem;
namespace peers = upsweep::peers;

namespace bench {

namespace {

using upsweep::conformance_test;

// A variant or a peer, ready to be called on problems of one shape.
struct contestant {
  const variant* ours = nullptr;
  const peers::peer* peer = nullptr;
  peers::prepared call;
  bool chosen = false;
  double seconds = 0;  // of one warm call, roughly
  measurement row;
};

// "scan" asks for the primitive; "scan/blelloch-padded" and "scan/bl" for variants. An exact name hides those that it
// begins.
bool asks_for(const std::string& name, const variant& v) {
  if (v.name == name) return true;
  const bool exact = std::any_of(upsweep::catalog().begin(), upsweep::catalog().end(),
                                 [&](const variant& w) { return w.name == name; });
  return !exact && !names_primitive(name) && v.name.starts_with(name);
}

bool named(const plan& wanted, const variant& v) {
  return std::ranges::any_of(wanted.names,
                             [&](const std::string& name) { return name == name_of(v.what) || asks_for(name, v); });
}

// Whether it applies an operator.
bool folds(primitive what) {
  return std::ranges::any_of(upsweep::catalog(), [&](const variant& v) { return v.what == what && v.folds; });
}

bool asks_for_any(const device& d, const plan& wanted, primitive what) {
  return std::ranges::any_of(upsweep::catalog(), [&](const variant& v) {
    return v.what == what && v.where == d.kind() && (wanted.names.empty() || named(wanted, v));
  });
}

// Calls visit(form, kind of input, shifted) for all that the plan asks for.
template <class Visit>
void each_form(const device& d, const plan& wanted, Visit visit) {
  for (const primitive what : upsweep::all_primitives()) {
    if (!asks_for_any(d, wanted, what)) continue;
    const conformance_test& e = upsweep::conformance_test_of(what);
    for (upsweep::dtype type : wanted.types)
      for (upsweep::op_kind op : wanted.ops) {
        if (!folds(what) && op != wanted.ops[0]) continue;  // once, whatever the operators
        if (!d.supports(type)) continue;
        for (bool inclusive : {false, true})
          for (const problem& form : e.timed(type, op, inclusive)) {
            if (form_text(form).find(wanted.form) == std::string::npos) continue;
            for (upsweep::input_kind kind : wanted.inputs)
              for (bool shifted : {false, true})
                if ((e.kinds || kind == wanted.inputs[0]) && (shifted ? wanted.shifted : wanted.aligned))
                  visit(form, kind, shifted);
          }
      }
  }
}

class session {
 public:
  session(device& d, const std::vector<peers::ceiling>& ceilings, const plan& wanted, const listener& hears,
          results& to)
      : device_(d), ceilings_(ceilings), plan_(wanted), listener_(hears), results_(to), evict_(d) {}

  void run() {
    each_form(device_, plan_,
              [&](const problem& form, upsweep::input_kind kind, bool shifted) { run_group(form, kind, shifted); });
  }

 private:
  void run_group(problem shape, upsweep::input_kind kind, bool shifted) {
    bool announced = false;
    reached_.clear();
    kind_ = kind;
    shifted_ = shifted;
    for (std::uint64_t n : plan_.sizes) {
      shape->n = n;
      problem whole = shape;  // what runs may depend on what follows from n, such as the number of segments
      upsweep::conformance_test_of(shape.what()).complete(whole, plan_.seed + n, 1);
      std::vector<contestant> all = variants_for(whole);
      if (all.empty()) continue;
      if (!announced && listener_.group) listener_.group(device_, row_for(shape));
      announced = true;
      try {
        bench_data data(device_, shape, plan_.seed + n, kind, shifted);
        run_size(data.shape(), all, data);
      } catch (const upsweep::error& e) {
        if (e.why() != upsweep::fault::out_of_memory) throw;
        skip(all[0].row.who, shape, e.problem());
      }
    }
  }

  void run_size(const problem& shape, std::vector<contestant>& all, bench_data& data) {
    if (plan_.peers) add_peers(shape, all);
    for (contestant& c : all) count_moves(c.row, shape);
    std::erase_if(all, [&](contestant& c) { return !prepare(c, shape, data); });
    if (all.empty()) return;
    if (plan_.cold) time_cold(all, data);
    if (plan_.hot) time_hot(all, data);
    if (plan_.transfers && device_.kind() != backend::cpu && has_transfers(shape) && !shifted_)
      time_transfers(all, data);
    std::vector<measurement> rows;
    for (contestant& c : all) rows.push_back(c.row);
    if (listener_.rows) listener_.rows(rows);
    results_.rows.insert(results_.rows.end(), rows.begin(), rows.end());
  }

  // Variants of the library that were requested and support the problem.
  std::vector<contestant> variants_for(const problem& shape) const {
    const variant* fastest = nullptr;
    try {
      fastest = &choose(device_, shape);
    } catch (const upsweep::error&) {  // no variant supports this, which is not an error of a bench
      return {};
    }
    std::vector<contestant> all;
    for (const variant& v : upsweep::catalog())
      if (why_not(v, device_, shape).empty() && wanted(v, v.name == fastest->name, shape.inclusive())) {
        contestant c;
        c.ours = &v;
        c.chosen = &v == fastest;
        c.call = [this, &v](const problem& p) { v.run(device_, p); };
        c.row = row_for(shape);
        c.row.who = v.name;
        c.row.chosen = c.chosen;
        all.push_back(std::move(c));
      }
    return all;
  }

  bool wanted(const variant& v, bool is_fastest, bool inclusive) const {
    // Scans run as inclusive or exclusive, as requested. A textbook variant that supports only the other form runs that
    // form.
    if (v.what == upsweep::detail::scan_impl::primitive::scan && inclusive != plan_.inclusive &&
        (plan_.inclusive ? v.inclusive : v.exclusive))
      return false;
    const bool eligible = plan_.all || is_fastest;
    if (plan_.names.empty()) return eligible;
    return std::any_of(plan_.names.begin(), plan_.names.end(), [&](const std::string& name) {
      return asks_for(name, v) || (eligible && name == name_of(v.what));
    });
  }

  void add_peers(const problem& shape, std::vector<contestant>& all) const {
    for (const peers::peer& peer : peers::all())
      if (peer.where == device_.kind() && peer.what == shape.what() && peer.takes(shape)) {
        contestant c;
        c.peer = &peer;
        c.row = row_for(shape);
        c.row.who = peer.name;
        c.row.version = peer.version;
        c.row.note = peer.note;
        c.row.setting = peer.setting;
        c.row.peer = true;
        all.push_back(std::move(c));
      }
  }

  measurement row_for(const problem& shape) const {
    measurement m;
    m.device = device_.name();
    m.shape = shape;
    m.input = kind_;
    m.shifted = shifted_;
    return m;
  }

  // `shape` says all that follows from its size, too.
  void count_moves(measurement& m, const problem& shape) const {
    m.shape = shape;
    m.moves = upsweep::conformance_test_of(shape.what()).moves(shape, kind_);
    set_roof(m, ceilings_);
  }

  // Checks it; false when it is not to be timed.
  bool prepare(contestant& c, const problem& shape, bench_data& data) {
    say(c, shape, "checking");
    // The library's variants also do quadratic work if all pairs are requested.
    const bool may_be_slow = c.ours && (c.ours->kind == variant_kind::textbook || shape.get_if<nbody_problem>());
    if (may_be_slow && !affordable(c, shape, data)) return false;
    try {
      if (c.peer) c.call = c.peer->prepare(device_, data.first());
      // A peer's float sum is timed however far off it is, and its row says how far.
      const double span = c.ours && c.ours->span.value ? c.ours->span.value(static_cast<double>(shape->n))
                                                       : static_cast<double>(shape->n);
      const bool forgiven = c.peer && is_floating(shape->type);
      // Nor need a peer's picture be better than to a hundredth, as where it works in fixed point.
      const double allowed = c.peer ? std::max(span, 0x1p24 / 100) : span;
      const verdict v = data.check(c.call, forgiven ? 1.0 : rounding_tolerance(shape, span), allowed);
      c.row.error = v.error;
      const double eps = shape->type == upsweep::dtype::f32 ? std::numeric_limits<float>::epsilon()
                                                            : std::numeric_limits<double>::epsilon();
      c.row.inaccurate = is_floating(shape->type) && v.error > 1000 * eps;
      if (!v.right()) return fail(c, shape, v.wrong);
      device_.synchronize();
      c.seconds = device_.seconds([&] { c.call(data.first()); });
    } catch (const upsweep::error& e) {
      return fail(c, shape, e.what());
    }
    return true;
  }

  // Textbook variants with quadratic work, or with all work in one thread, stop at the size where a run would take too
  // long. The prediction uses the times of smaller sizes, from sixteenth to whole.
  bool affordable(contestant& c, const problem& shape, bench_data& data) {
    if (shape->n <= std::uint64_t{1} << (shape.get_if<nbody_problem>() ? 12 : 16)) return true;
    if (!has_transfers(shape) && !has_reference(shape)) {
      // Its operands have no first part that stands alone; the declared work must do, at 10^9 applications a second and
      // more.
      const double x = static_cast<double>(shape->n);
      const double chain = device_.kind() == backend::cpu ? 0 : c.ours->span.value(x) * 1e-7;
      const double expected = std::max(c.ours->work.value(x) * (device_.kind() == backend::cuda ? 1e-11 : 1e-9), chain);
      if (expected <= plan_.longest_run) return true;
      skip(c.row.who, shape, "one run would take about " + time_text(expected));
      return false;
    }
    const auto cost = [&](std::uint64_t n) {
      return c.ours->work.value ? std::max(c.ours->work.value(static_cast<double>(n)), 1.0) : static_cast<double>(n);
    };
    const auto once = [&](std::uint64_t n) { return device_.seconds([&] { c.call(data.first(n)); }); };
    std::uint64_t& n = reached_[c.ours->name];
    if (n == ~std::uint64_t{0}) {
      skip(c.row.who, shape, "a smaller size took too long");
      return false;
    }
    n = std::max<std::uint64_t>(n, std::min<std::uint64_t>(shape->n, 4096));
    once(n);
    while (n < shape->n) {
      const std::uint64_t next = std::min(shape->n, n * 16);
      const double expected = once(n) * cost(next) / cost(n);
      if (expected > plan_.longest_run) {
        n = ~std::uint64_t{0};
        skip(c.row.who, shape,
             (next == shape->n ? "one run would take about " : "one run would take far more than ") +
                 time_text(expected));
        return false;
      }
      n = next;
    }
    return true;
  }

  void time_cold(std::vector<contestant>& all, bench_data& data) {
    time_all(all, plan_.each, &measurement::cold, true, [&](contestant& c) {
      const problem p = data.next();
      evict_(p, data.arrays());
      return device_.seconds([&] { c.call(p); });
    });
  }

  void time_hot(std::vector<contestant>& all, bench_data& data) {
    time_all(all, plan_.each, &measurement::hot, true, [&](contestant& c) {
      const problem p = data.first();
      const int calls = calls_for(c.seconds, device_.kind());
      settle(device_.kind());
      c.call(p);
      return device_.seconds([&] {
        for (int i = 0; i < calls; ++i) c.call(p);
      }) / calls;
    });
  }

  // From host memory to host memory, by the host's clock. Textbook variants are skipped: their transfers are the same.
  void time_transfers(std::vector<contestant>& all, bench_data& data) {
    effort e = plan_.each;
    e.at_least = std::min(e.at_least, 3);
    e.at_most = std::min(e.at_most, 30);
    const problem host = data.on_host();
    time_all(all, e, &measurement::end_to_end, false, [&](contestant& c) {
      const auto start = std::chrono::steady_clock::now();
      c.ours ? through_library(*c.ours, host) : through_memory(c, host, data.arrays());
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
  }

  void through_library(const variant& v, const problem& host) {
    const upsweep::chosen_variants this_one{{std::string(name_of(v.what)), v.own}};
    run_on_host(upsweep::target(device_, this_one), host);
  }

  // Work on the host that a caller of a peer does with operands.
  void through_memory(const contestant& c, const problem& host, const std::vector<upsweep::array>& operands) {
    problem p = host;
    std::vector<std::unique_ptr<peers::lent_memory>> lent;
    for (const upsweep::array& a : operands) {
      lent.push_back(std::make_unique<peers::lent_memory>(device_, a.bytes()));
      a.slot(p) = lent.back()->where();
      if (!a.written) device_.upload(a.slot(p), a.slot(host).address(), a.bytes());
    }
    c.call(p);
    for (const upsweep::array& a : operands)
      if (a.written) device_.download(a.slot(host).address(), a.slot(p), a.bytes());
  }

  void time_all(std::vector<contestant>& all, const effort& e, statistics measurement::* into, bool textbook_too,
                const std::function<double(contestant&)>& sample) {
    std::vector<timed> sides;
    std::vector<contestant*> who;
    for (contestant& c : all)
      if (textbook_too || !c.ours || c.ours->kind == variant_kind::tuned) {
        sides.push_back({[&] { return sample(c); }, {}});
        who.push_back(&c);
      }
    if (!who.empty()) say(*who[0], who[0]->row.shape, "timing");
    sample_in_turn(sides, e);
    for (std::size_t i = 0; i < who.size(); ++i) who[i]->row.*into = summarize(sides[i].seconds);
  }

  bool fail(const contestant& c, const problem& shape, const std::string& why) {
    const std::string who = c.row.who + (c.row.setting.empty() ? "" : ", " + c.row.setting);
    results_.failures.push_back({who, device_.name(), words(shape), shape->n, why, c.row.peer});
    return false;
  }
  void skip(const std::string& who, const problem& shape, const std::string& why) {
    results_.skipped.push_back({who, device_.name(), words(shape), shape->n, why, false});
  }
  std::string words(const problem& shape) const { return whole_text(row_for(shape)); }
  void say(const contestant& c, const problem& shape, const char* doing) const {
    if (listener_.now)
      listener_.now(std::string(doing) + " " + c.row.who + " on " + device_.name() + ", " + words(shape) +
                    ", n = " + std::to_string(shape->n));
  }

  device& device_;
  const std::vector<peers::ceiling>& ceilings_;
  const plan& plan_;
  const listener& listener_;
  results& results_;
  evictor evict_;
  upsweep::input_kind kind_ = upsweep::input_kind::uniform;
  bool shifted_ = false;
  std::map<std::string_view, std::uint64_t>
      reached_;  // the size at which a textbook variant was tried; the largest number: too slow beyond it
};

}  // namespace

bool has_work(const device& d, const plan& wanted) {
  bool any = false;
  each_form(d, wanted, [&](const problem&, upsweep::input_kind, bool) { any = true; });
  return any;
}

void measure(device& d, const std::vector<peers::ceiling>& ceilings, const plan& wanted, const listener& hears,
             results& to) {
  session(d, ceilings, wanted, hears, to).run();
}

void require_names(const std::vector<std::string>& names, const std::vector<backend>& where) {
  for (const std::string& name : names) {
    if (names_primitive(name) || name == "own") continue;
    const auto all = upsweep::catalog();
    const auto known = [&](const variant& v) { return asks_for(name, v); };
    const auto here = [&](const variant& v) {
      return known(v) && std::find(where.begin(), where.end(), v.where) != where.end();
    };
    if (std::any_of(all.begin(), all.end(), here)) continue;
    const auto first = std::find_if(all.begin(), all.end(), known);
    refuse_on_lens_alone(name);
    // The catalog's error: similar names, or the backends that have the variant.
    upsweep::require_variant(first == all.end() ? name : std::string(first->name),
                             where.empty() ? backend::cpu : where[0]);
  }
}

std::string form_text(const problem& p) {
  const std::string words = upsweep::describe(p);
  if (has_reference(p))
    return (!p.get_if<upsweep::detail::scan_impl::problem>() ? std::string(name_of(p.what()))
            : p.inclusive()                                  ? "inclusive scan"
                                                             : "exclusive scan") +
           ", " + std::string(name_of(p->type)) + " " + std::string(name_of(p.fold()->op));
  return std::string(name_of(p.what())) + ", " + words;
}

std::string form_text(const measurement& m) { return m.form.empty() ? form_text(m.shape) : m.form; }

std::string whole_text(const measurement& m) {
  const bool kinds = m.form.empty() && upsweep::conformance_test_of(m.shape.what()).kinds;
  return form_text(m) + (kinds ? ", " + std::string(name_of(m.input)) + " input" : "") +
         (m.shifted ? ", operands off alignment" : "");
}

void set_roof(measurement& m, const std::vector<peers::ceiling>& ceilings) {
  const bool reads_only = m.moves.written < m.moves.read / 8;
  m.roof_name = reads_only ? "read" : "copy";
  m.roof = best_rate(ceilings, reads_only ? peers::limit::read : peers::limit::copy);
}

bool has_transfers(const problem& p) {
  return p.get_if<upsweep::detail::reduce_impl::problem>() || p.get_if<upsweep::detail::scan_impl::problem>();
}

double ratio(const statistics& peer, const statistics& ours) {
  return peer.samples && ours.samples && ours.median > 0 ? peer.median / ours.median : 0;
}

bool stands(const measurement& m, const std::vector<measurement>& all, statistics measurement::* way) {
  if (!m.peer || !(m.*way).samples) return true;
  for (const measurement& other : all) {
    if (&other == &m || !other.peer || other.who != m.who || other.version != m.version || !(other.*way).samples)
      continue;
    const double theirs = (other.*way).median, its = (m.*way).median;
    if (theirs < its || (theirs == its && &other < &m)) return false;
  }
  return true;
}

std::vector<loss> losses(const results& r) {
  struct timing {
    statistics measurement::* way;
    const char* name;
  };
  constexpr timing timings[]{{&measurement::cold, "cold"}, {&measurement::hot, "hot"}};
  const auto same_work = [](const measurement& a, const measurement& b) {
    return a.device == b.device && a.shape->n == b.shape->n && whole_text(a) == whole_text(b);
  };
  std::vector<loss> all;
  for (std::size_t begin = 0; begin < r.rows.size();) {
    std::size_t end = begin + 1;
    while (end < r.rows.size() && same_work(r.rows[begin], r.rows[end])) ++end;
    const std::vector<measurement> one_size(r.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                            r.rows.begin() + static_cast<std::ptrdiff_t>(end));
    const measurement* ours = ours_among(one_size);
    for (const timing& t : timings) {
      const measurement* best = nullptr;
      for (const measurement& m : one_size)
        if (m.peer && !m.inaccurate && (m.*t.way).samples && (!best || (m.*t.way).median < (best->*t.way).median))
          best = &m;
      if (!ours || !best) continue;
      const double so_much = ratio(best->*t.way, ours->*t.way);
      const auto in_rows = [&](const measurement* m) {
        return &r.rows[begin + static_cast<std::size_t>(m - &one_size[0])];
      };
      if (so_much > 0 && so_much < 1) all.push_back({in_rows(ours), in_rows(best), t.name, so_much});
    }
    begin = end;
  }
  return all;
}

const measurement* ours_among(const std::vector<measurement>& rows) {
  const measurement* best = nullptr;
  for (const measurement& m : rows) {
    if (m.peer) continue;
    if (m.chosen) return &m;
    if (!best || m.best_known().median < best->best_known().median) best = &m;
  }
  return best;
}

}  // namespace bench
