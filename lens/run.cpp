#include "lens/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/error.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::lens {

namespace {

constexpr std::uint64_t races_up_to = 1 << 18;
constexpr double most_work = 8e9;  // applications; some ten million a second

[[noreturn]] void refuse(const std::string& variant, const std::string& what, const std::string& remedy) {
  throw error(fault::bad_argument, "lens " + variant, what, remedy);
}

template <class T, class Op>
std::uint64_t apply(std::uint64_t a, std::uint64_t b) {
  T x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  const T z = Op{}(x, y);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &z, sizeof z);
  return bits;
}

template <unsigned bytes>
application<bytes> operator_of(op_kind op, dtype type) {
  application<bytes> a;
  with_type(type, [&]<class T>(type_tag<T>) {
    with_op(op, [&]<class Op>(Op) {
      if constexpr (accepts(Op::kind, dtype_of<T>)) {
        a.apply = apply<T, Op>;
        const T neutral = identity_of<T>(Op{});
        std::memcpy(&a.neutral, &neutral, sizeof neutral);
      }
    });
  });
  return a;
}

bool takes(const textbook_variant& r, op_kind op, dtype type) {
  if (r.what == detail::vector_add_impl::primitive::vector_add) return op == op_kind::plus;
  return accepts(op, type) && (op <= op_kind::maximum || (op == op_kind::compose_affine && r.keeps_order));
}

std::string sizes_text(const textbook_variant& r) {
  std::string text;
  for (const variant_at& s : r.sizes)
    text += (text.empty() ? "" : &s == &r.sizes.back() ? " or " : ", ") + std::to_string(s.block);
  return text;
}

const variant_at& size_for(const textbook_variant& r, unsigned block) {
  if (block == 0) return *r.at(r.standard);
  if (block > 1024)
    refuse(std::string(r.name), "a block has at most 1024 threads, not " + std::to_string(block),
           "choose a smaller --block");
  if (r.standard == 0) refuse(std::string(r.name), "its source fixes its block sizes", "leave --block out");
  if (const variant_at* found = r.at(block)) return *found;
  refuse(std::string(r.name),
         block % 32 != 0 ? "a block of " + std::to_string(block) + " threads is not a multiple of 32, a warp"
                         : "it does not run with blocks of " + std::to_string(block) + " threads",
         "give --block " + sizes_text(r));
}

// The memory that the run will use: input, output, and about as much scratch, each with the recorded state of its
// elements.
void require_memory(const job& j, bool races) {
  const double each = static_cast<double>(size_of(j.type)) + 5 + (races ? sizeof(shadow) : 0);
  const double wanted = static_cast<double>(j.n) * (each * 4 + 2 * static_cast<double>(size_of(j.type)));
  const double there = static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted > there)
    throw error(fault::out_of_memory, "lens " + j.variant,
                std::to_string(j.n) + " elements take about " +
                    std::to_string(static_cast<std::uint64_t>(wanted / 1048576)) + " MiB of memory here, and " +
                    std::to_string(static_cast<std::uint64_t>(there / 1048576)) + " MiB are free",
                "choose a smaller --n");
}

template <unsigned bytes>
void fill(memory_block& m, const std::vector<unsigned char>& from) {
  for (std::size_t i = 0; i < m.count(); ++i) {
    cell<bytes> c;
    std::memcpy(&c.bits, from.data() + i * bytes, bytes);
    m.put(i, c);
  }
}

template <unsigned bytes>
void run_as(machine& m, const job& j, const textbook_variant& r, const variant_at& size,
            const std::vector<unsigned char>& a, const std::vector<unsigned char>& b,
            std::vector<unsigned char>& result) {
  const std::uint64_t outputs = r.what == detail::reduce_impl::primitive::reduce ? 1 : j.n;
  memory_block& in = m.global_memory("in", j.n, bytes, true);
  fill<bytes>(in, a);
  operands<bytes> o;
  o.in = pointer<cell<bytes>>(&in, 0);
  if (r.what == detail::vector_add_impl::primitive::vector_add) {
    memory_block& second = m.global_memory("in2", j.n, bytes, true);
    fill<bytes>(second, b);
    o.in2 = pointer<cell<bytes>>(&second, 0);
  }
  memory_block& out = j.in_place ? in : m.global_memory("out", outputs, bytes, true);
  o.out = {&out, 0};
  o.n = j.n;
  o.inclusive = j.inclusive;
  o.op = operator_of<bytes>(j.op, j.type);
  grid g(m);
  if constexpr (bytes == 4) {
    size.run4(g, o);
  } else {
    size.run8(g, o);
  }
  for (std::uint64_t i = 0; i < outputs; ++i)
    if (!out.written[i]) throw stuck("element " + std::to_string(i) + " of the output was never written");
  result = out.bytes;
}

void make_small(std::vector<unsigned char>& values, dtype type, std::uint64_t n) {
  with_type(type, [&]<class T>(type_tag<T>) {
    for (std::uint64_t i = 0; i < n; ++i) {
      T x;
      std::memcpy(&x, values.data() + i * sizeof(T), sizeof x);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof x);
      x = static_cast<T>(1 + (bits >> 8) % 9);
      std::memcpy(values.data() + i * sizeof(T), &x, sizeof x);
    }
  });
}

// Takes as many elements as the descriptor needs; a file may have more.
std::vector<unsigned char> own_elements(const job& j, const array& in) {
  if (j.elements.size() < in.bytes())
    refuse(j.variant,
           "it takes " + std::to_string(in.count) + " elements of " + std::to_string(in.size) +
               " bytes, and there are " + std::to_string(j.elements.size()) + " bytes",
           "choose a smaller --n");
  return {j.elements.begin(), j.elements.begin() + static_cast<std::ptrdiff_t>(in.bytes())};
}

// The operands of a primitive without a fold: filled by its conformance test, and copied to the machine.
class laid_out {
 public:
  laid_out(const conformance_test& e, problem& p, const job& j) : conformance_test_(e), problem_(p), job_(j) {
    for (array& a : e.arrays(p, j.seed, j.input)) {
      operand& o = all_.emplace_back();
      o.is = std::move(a);
      o.bytes.assign(o.is.bytes(), poison);
      if (o.is.fill && o.is.count > 0) fill_all(o.is, o.bytes.data());
      if (!j.elements.empty() && o.is.slot.name() == "in") o.bytes = own_elements(j, o.is);
      if (j.small_values && p.get_if<detail::sort_impl::problem>() && o.is.slot.name() == "in")
        make_small(o.bytes, p->type, p->n);
      total_ += o.is.count;
    }
  }
  std::uint64_t elements() const { return total_; }

  operand_blocks on(machine& m) {
    operand_blocks blocks;
    for (operand& o : all_) {
      const std::string_view name = o.is.slot.name();
      for (const auto& [output, input] : conformance_test_.in_place)
        if (job_.in_place && output == o.is.slot)
          for (const operand& other : all_)
            if (other.is.slot == input) o.block = other.block;
      if (o.block == nullptr) {
        o.block = &m.global_memory(name.data(), o.is.count, o.is.size, false);
        if (o.is.fill) {
          o.block->bytes = o.bytes;
          std::fill(o.block->written.begin(), o.block->written.end(), 1);
        }
      }
      place_of(blocks, name) = o.block;
    }
    return blocks;
  }

  // Compares the outputs with the conformance test's reference; cells that were never written are poison, as on a
  // device.
  std::string wrong(double span) {
    for (operand& o : all_) {
      for (std::size_t i = 0; o.is.written && i < o.is.count; ++i)
        if (o.block->written[i])
          std::memcpy(o.bytes.data() + i * o.is.size, o.block->bytes.data() + i * o.is.size, o.is.size);
      o.is.slot(problem_) = {o.bytes.data(), 0};
    }
    return conformance_test_.wrong(problem_, span);
  }

 private:
  struct operand {
    array is;
    std::vector<unsigned char> bytes;
    memory_block* block = nullptr;
  };
  static memory_block*& place_of(operand_blocks& b, std::string_view name) {
    if (name == "in") return b.in;
    if (name == "in2") return b.in2;
    if (name == "in3") return b.in3;
    if (name == "out") return b.out;
    if (name == "out2") return b.out2;
    return b.count;
  }

  const conformance_test& conformance_test_;
  problem& problem_;
  const job& job_;
  std::vector<operand> all_;
  std::uint64_t total_ = 0;
};

}  // namespace

problem fold_of(const job& j) {
  const auto asked = [&](auto p) -> problem {
    p.type = j.type, p.n = j.n, p.op = j.op, p.init = identity_scalar(j.op, j.type);
    if constexpr (requires { p.inclusive; }) p.inclusive = j.inclusive;
    return p;
  };
  const primitive what = require_textbook_variant(j.variant).what;
  if (what == detail::scan_impl::primitive::scan) return asked(detail::scan_impl::problem{});
  if (what == detail::vector_add_impl::primitive::vector_add) return asked(detail::vector_add_impl::problem{});
  return asked(detail::reduce_impl::problem{});
}

memory& slot_of(problem& p, std::string_view name) {
  if (auto* q = p.get_if<detail::vector_add_impl::problem>())
    return name == "in" ? q->in : name == "in2" ? q->in2 : q->out;
  if (auto* q = p.get_if<detail::scan_impl::problem>()) return name == "in" ? q->in : q->out;
  auto& q = p.as<detail::reduce_impl::problem>();
  return name == "in" ? q.in : q.out;
}

problem problem_of(const job& j) {
  const textbook_variant& r = require_textbook_variant(j.variant);
  const conformance_test& e = conformance_test_of(r.what);
  const auto completed = [&](problem p, std::uint64_t turn) {
    p->n = j.n;
    e.complete(p, j.seed, turn);
    return p;
  };
  const auto refused = [&](const problem& p) { return r.cannot ? r.cannot(p) : nullptr; };
  if (j.op != op_kind::plus || j.inclusive)
    refuse(j.variant, "it folds nothing and has no operator", "leave --op and --inclusive out");
  if (j.form) {
    const problem p = completed(*j.form, j.seed);
    if (const char* what = refused(p))
      refuse(j.variant, std::string("it does not take ") + what, "ask for another form");
    return p;
  }
  const char* why = nullptr;
  const std::vector<problem> forms = e.forms(false);
  // If the request names no type and the variant has no form of the default type, another type is used.
  const auto of_that_type = [&](const problem& p) { return p->type == j.type; };
  const bool any_type = j.type == job{}.type && std::none_of(forms.begin(), forms.end(), of_that_type);
  for (const problem& form : forms) {
    if (form->type != j.type && !any_type) continue;
    // Parameters that depend on n (such as the number of bins) may be unsupported in one turn and supported in the
    // next.
    for (std::uint64_t turn = j.seed; turn < j.seed + 8; ++turn) {
      const problem p = completed(form, turn);
      const char* what = refused(p);
      if (what == nullptr) return p;
      if (why == nullptr) why = what;
    }
  }
  refuse(j.variant,
         "it does not take " + (why != nullptr ? std::string(why) + ", with " : std::string()) +
             std::string(name_of(j.type)) + (r.limits.empty() ? "" : " (" + std::string(r.limits) + ")"),
         "choose another --type");
}

namespace {

std::vector<declared> hold_against(const textbook_variant& r, const variant_at& size, const job& j, const problem* p,
                                   const counts& c) {
  const double n = static_cast<double>(j.n);
  std::array<double, 4> values{size.work.value(n), size.span.value(n), size.launches.value(n), size.traffic.value(n)};
  if (p && size.counts_of) values = size.counts_of(*p);
  const bool binding = !r.by_digits || size_of(j.type) == 4;
  const auto line = [&](const char* what, const formula& f, double value, double counted, auto agrees, bool binding) {
    return declared{what, f.text, value, counted, agrees(counted, value), binding};
  };
  const auto equal = [](double a, double b) { return a == b; };
  const auto at_most = [](double a, double b) { return a <= b; };
  const auto at_least = [](double a, double b) { return a >= b; };
  // Formulas with "at most" or "at least" bound counts that depend on timing or on the keys.
  const auto as_said = [=](const formula& f) -> bool (*)(double, double) {
    const std::string_view text = f.text;
    if (text.starts_with("at least")) return at_least;
    if (text.starts_with("at most")) return at_most;
    return equal;
  };
  const double moved = static_cast<double>(c.global().elements + c.copied_bytes / size_of(j.type));
  return {line("work", size.work, values[0], static_cast<double>(c.work()), as_said(size.work), binding),
          line("span", size.span, values[1], static_cast<double>(c.span), at_most, binding),
          line("launches", size.launches, values[2], static_cast<double>(c.launches), equal, binding),
          line("elements moved", size.traffic, values[3], moved, as_said(size.traffic), false)};
}

// Everything about the run but its result.
report finished(report& result, const machine& m, const textbook_variant& r, const variant_at& size, const job& j,
                const problem* p, std::chrono::steady_clock::time_point begin) {
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.total = m.total();
  result.launches = m.launches();
  result.findings = m.findings();
  result.barriers = m.barriers();
  if (result.finished) result.against = hold_against(r, size, j, p, result.total);
  result.steps = m.steps();
  result.step_memories = m.step_memories();
  result.places = m.places();
  return std::move(result);
}

}  // namespace

bool report::ok() const {
  if (!findings.empty() || !wrong.empty()) return false;
  for (const declared& d : against)
    if (d.binding && !d.agrees) return false;
  return true;
}

report run(const job& j) {
  const textbook_variant& r = require_textbook_variant(j.variant);
  const variant_at& size = size_for(r, j.block);
  if (j.n == 0) refuse(j.variant, "a kernel needs at least one element", "give --n 1 or more");
  if (j.n > size.max_n)
    refuse(j.variant,
           "it takes at most " + std::to_string(size.max_n) + " elements, not " + std::to_string(j.n) +
               (r.limits.empty() ? "" : " (" + std::string(r.limits) + ")"),
           "choose a smaller --n");
  if (r.folds() && !takes(r, j.op, j.type))
    refuse(j.variant,
           "it does not take " + std::string(name_of(j.op)) + " on " + std::string(name_of(j.type)) +
               (r.keeps_order || commutes(j.op) ? "" : ", which does not commute"),
           "textbook variants take plus, multiplies, minimum and maximum, those that keep order compose_affine on u64, "
           "vector sums plus only");
  if (j.resident == 0) refuse(j.variant, "no block could run", "give --resident 1 or more");
  if (size.work.value(static_cast<double>(j.n)) > most_work)
    refuse(j.variant,
           "that many elements mean " +
               std::to_string(static_cast<std::uint64_t>(size.work.value(static_cast<double>(j.n)))) +
               " applications of the operator, hours of emulation",
           "choose a smaller --n");

  report result;
  result.asked = j;
  result.what = &r, result.size = &size;
  result.raced = j.races.value_or(j.n <= races_up_to);
  require_memory(j, result.raced);

  options o;
  o.resident = j.resident, o.seed = j.seed, o.races = result.raced, o.record = j.record, o.real = is_floating(j.type);
  o.withheld = j.withheld, o.without = j.without;
  machine m(o);
  const auto begin = std::chrono::steady_clock::now();
  if (!r.folds()) {
    problem p = problem_of(j);
    result.words = conformance_test_of(r.what).words(p);
    laid_out operands(conformance_test_of(r.what), p, j);
    try {
      grid g(m);
      size.run_problem(g, p, operands.on(m));
      result.wrong = operands.wrong(size.span.value(static_cast<double>(j.n)));
      result.finished = true;
    } catch (const stuck& s) {
      result.wrong = s.what();
    }
    return finished(result, m, r, size, j, &p, begin);
  }
  if (!j.elements.empty()) refuse(j.variant, "its input is drawn", "give --in to sorts, selections and histograms");
  result.words = std::string(name_of(j.type)) + " " + std::string(name_of(j.op));

  problem p = fold_of(j);
  std::vector<unsigned char> a(j.n * size_of(j.type)),
      b(r.what == detail::vector_add_impl::primitive::vector_add ? a.size() : 0), out;
  random_input(j.type, j.op, j.n, j.seed).fill(a.data(), 0, j.n);
  if (!b.empty()) random_input(j.type, j.op, j.n, j.seed + 1).fill(b.data(), 0, j.n);
  if (j.small_values) {
    make_small(a, j.type, j.n);
    if (!b.empty()) make_small(b, j.type, j.n);
  }

  try {
    if (size_of(j.type) == 4) {
      run_as<4>(m, j, r, size, a, b, out);
    } else {
      run_as<8>(m, j, r, size, a, b, out);
    }
    slot_of(p, "in") = {a.data(), 0};
    if (!b.empty()) slot_of(p, "in2") = {b.data(), 0};
    result.wrong = what_is_wrong(p, out.data(), size.span.value(static_cast<double>(j.n)));
    result.finished = true;
  } catch (const stuck& s) {
    result.wrong = s.what();
  }
  return finished(result, m, r, size, j, nullptr, begin);
}

}  // namespace upsweep::lens
