// The tour's tasks on text, signals, pictures and bodies. The standard library's equivalents are loops; loops with
// independent iterations also run on all threads by std::for_each.
#include <execution>
#include <numeric>

#include "cli/tour/data.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/lex.hpp"
#include "upsweep/nbody.hpp"
#include "upsweep/recurrence.hpp"
#include "upsweep/summed_area_table.hpp"

using upsweep::context;

namespace tour {

namespace {

// for_each(par, …) over the numbers below n.
template <class Turn>
void in_parallel(std::uint64_t n, Turn turn) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::for_each(std::execution::par_unseq, numbers.begin(), numbers.end(), turn);
}
template <class Turn>
void one_by_one(std::uint64_t n, Turn turn) {
  for (std::uint64_t i = 0; i < n; ++i) turn(i);
}

// --- Where the fields of a CSV file end.

std::string made_up_csv(std::uint64_t n) {
  std::string text;
  text.reserve(n + 80);
  generator random;
  for (std::uint64_t line = 1; text.size() < n; ++line) {
    const float price = 200 * random.uniform();
    const std::uint64_t count = random() % 5000, day = random() % 28 + 1;
    text += fmt::format("{},{:.2f},{},\"a name, quoted\",2026-09-{:02}\n", line, price, count, day);
  }
  text.resize(n);
  // Cut where it may be: a quote left open would be an error.
  text.resize(text.rfind('\n') + 1);
  return text;
}

std::uint64_t field_ends(const std::string& text, std::vector<std::uint64_t>& ends) {
  std::uint64_t found = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char b = text[i];
    if (b == '"')
      quoted = !quoted;
    else if (!quoted && (b == ',' || b == '\n'))
      ends[found++] = i;
  }
  return found;
}

instance csv(std::uint64_t n) {
  const auto text = std::make_shared<const std::string>(made_up_csv(n));
  const auto expected = array<std::uint64_t>(n / 4), out = array<std::uint64_t>(n / 4);
  const std::uint64_t fields = field_ends(*text, *expected);
  const auto found = std::make_shared<std::uint64_t>();
  const auto compare = [=](const std::vector<std::uint64_t>& got) {
    return *found == fields ? differs(got, *expected, fields)
                            : fmt::format("{} fields are found of {}", *found, fields);
  };
  instance i;
  i.theirs = {{"a plain loop", {}, [=] { *found = field_ends(*text, *out); }, [=] { return compare(*out); }}};
  i.ours = [=](const context& c, bool there) {
    if (there) {
      const auto from = std::make_shared<upsweep::buffer<char>>(c, std::span<const char>(text->data(), text->size()));
      const auto to = std::make_shared<upsweep::buffer<std::uint64_t>>(c, out->size());
      const auto run = [=] {
        *found = upsweep::find_fields(c, upsweep::device_span<const char>(from->span()), to->span()).fields;
      };
      return way{"", {}, run, [=] { return compare(to->download()); }};
    }
    const auto to = array<std::uint64_t>(out->size());
    return way{"", {}, [=] { *found = upsweep::find_fields(c, *text, *to).fields; }, [=] { return compare(*to); }};
  };
  return i;
}

// --- An exponential moving average. Each step shrinks what came before to nine tenths, and so the roundings: off by
// ten of them at most.

template <class T>
void smooth(const std::vector<float>& in, std::vector<T>& out) {
  T x = in[0];
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = x = T(0.9) * x + T(0.1) * T(in[i]);
}

instance moving_average(std::uint64_t n) {
  const auto in = uniform_floats(n), out = array<float>(n);
  const auto expected = array<double>(n);
  smooth(*in, *expected);
  const auto compare = [=](const std::vector<float>& got) { return is_off(got, *expected, 4e-6); };
  instance i;
  i.theirs = {{"a plain loop", {}, [=] { smooth(*in, *out); }, [=] { return compare(*out); }}};
  i.ours = [=](const context& c, bool there) {
    return mapped<float>(
        c, there, in, n, [=](const auto& from, auto&& to) { upsweep::moving_average(c, from, to, 0.1, (*in)[0]); },
        compare);
  };
  return i;
}

// --- Pictures: 4 by 3 where they are large, square where not.

struct shape {
  std::uint64_t width, height;
};
shape shape_of(std::uint64_t pixels) {
  const bool large = pixels > 2'000'000;
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(pixels) / (large ? 12 : 1)) + 0.5);
  return large ? shape{4 * side, 3 * side} : shape{side, side};
}
std::uint64_t photo_size(std::uint64_t asked) {
  const shape s = shape_of(std::min<std::uint64_t>(asked, 12'000'000));
  return s.width * s.height;
}

constexpr float five[5]{1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f};

// Rows into `between`, then columns; the edge's pixels are repeated beyond it.
template <class T, class Each>
void gaussian(const std::vector<float>& in, std::vector<T>& between, std::vector<T>& out, shape s, Each each) {
  const auto w = static_cast<std::int64_t>(s.width), h = static_cast<std::int64_t>(s.height);
  each(s.height, [&, w](std::uint64_t y) {
    const float* const row = in.data() + y * s.width;
    T* const to = between.data() + y * s.width;
    const auto at = [&](std::int64_t x) { return T(row[std::clamp<std::int64_t>(x, 0, w - 1)]); };
    for (const std::int64_t x : {std::int64_t{0}, std::int64_t{1}, w - 2, w - 1})
      to[x] = T(five[0]) * (at(x - 2) + at(x + 2)) + T(five[1]) * (at(x - 1) + at(x + 1)) + T(five[2]) * at(x);
    for (std::int64_t x = 2; x < w - 2; ++x)
      to[x] = T(five[0]) * (T(row[x - 2]) + T(row[x + 2])) + T(five[1]) * (T(row[x - 1]) + T(row[x + 1])) +
              T(five[2]) * T(row[x]);
  });
  each(s.height, [&, h, w](std::uint64_t line) {
    const auto y = static_cast<std::int64_t>(line);
    const auto row = [&](std::int64_t at) { return between.data() + std::clamp<std::int64_t>(at, 0, h - 1) * w; };
    const T *const a = row(y - 2), *const b = row(y - 1), *const c = row(y), *const d = row(y + 1),
                   *const e = row(y + 2);
    T* const to = out.data() + y * w;
    for (std::int64_t x = 0; x < w; ++x)
      to[x] = T(five[0]) * (a[x] + e[x]) + T(five[1]) * (b[x] + d[x]) + T(five[2]) * c[x];
  });
}

instance blur(std::uint64_t n) {
  const shape s = shape_of(n);
  const auto in = uniform_floats(n), between = array<float>(n), out = array<float>(n);
  const auto expected = array<double>(n);
  {
    std::vector<double> rows(n);
    gaussian(*in, rows, *expected, s, [](std::uint64_t m, auto turn) { in_parallel(m, turn); });
  }
  // 25 products of weights that add up to 1 and pixels up to 1: convolve.hpp's bound.
  const auto compare = [=](const std::vector<float>& got) { return is_off(got, *expected, 33 * 0x1p-24); };
  const auto wrong = [=] { return compare(*out); };
  std::vector<float> weights;
  for (const float a : five)
    for (const float b : five) weights.push_back(a * b);
  const upsweep::mask<float> m({5, 5}, weights);
  instance i;
  i.theirs = {{"plain loops",
               {},
               [=] { gaussian(*in, *between, *out, s, [](std::uint64_t k, auto turn) { one_by_one(k, turn); }); },
               wrong},
              {"loops in for_each(par, …)",
               {},
               [=] { gaussian(*in, *between, *out, s, [](std::uint64_t k, auto turn) { in_parallel(k, turn); }); },
               wrong}};
  i.ours = [=](const context& c, bool there) {
    return mapped<float>(
        c, there, in, n,
        [=](const auto& from, auto&& to) {
          upsweep::convolve(c, from, upsweep::image_layout(upsweep::extent{s.width, s.height}), m, to,
                            upsweep::border::clamp);
        },
        compare);
  };
  return i;
}

// Each place of the table has the sum of all that is above and to the left of it.
void sum_areas(const std::vector<std::uint8_t>& in, std::vector<std::uint32_t>& table, shape s) {
  for (std::uint64_t y = 0; y < s.height; ++y) {
    const std::uint8_t* const row = in.data() + y * s.width;
    std::uint32_t* const to = table.data() + y * s.width;
    std::uint32_t running = 0;
    for (std::uint64_t x = 0; x < s.width; ++x) to[x] = (running += row[x]) + (y ? to[x - s.width] : 0);
  }
}

instance areas(std::uint64_t n) {
  const shape s = shape_of(n);
  const auto in = made<std::uint8_t>(n, [](generator& g) { return g(); });
  const auto expected = array<std::uint32_t>(n), out = array<std::uint32_t>(n);
  // The reference goes another way: columns of sums, then rows.
  std::vector<std::uint32_t> column(s.width);
  for (std::uint64_t y = 0; y < s.height; ++y) {
    for (std::uint64_t x = 0; x < s.width; ++x) column[x] += (*in)[y * s.width + x];
    std::partial_sum(column.begin(), column.end(), expected->begin() + static_cast<std::ptrdiff_t>(y * s.width));
  }
  instance i;
  i.theirs = {{"a plain loop", {}, [=] { sum_areas(*in, *out, s); }, [=] { return differs(*out, *expected); }}};
  i.ours = [=](const context& c, bool there) {
    return mapped<std::uint32_t>(
        c, there, in, n,
        [=](const auto& from, auto&& to) { upsweep::summed_area_table(c, from, to, {s.width, s.height}); },
        [=](const auto& got) { return differs(got, *expected); });
  };
  return i;
}

// --- Bodies that attract each other, one step of all pairs. The size is the number of pairs.

constexpr double softening = 0.05, dt = 1e-3;

std::uint64_t bodies_in(std::uint64_t pairs) {
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(pairs)) + 0.5), 4096);
}

template <class T>
struct motion {
  upsweep::nbody::bodies<T> b;
  std::vector<T> ax, ay, az;

  explicit motion(const upsweep::nbody::bodies<float>& start) : ax(start.size()), ay(start.size()), az(start.size()) {
    b.resize(start.size());
    for (std::size_t i = 0; i < start.size(); ++i) {
      b.x[i] = start.x[i], b.y[i] = start.y[i], b.z[i] = start.z[i], b.mass[i] = start.mass[i];
      b.vx[i] = start.vx[i], b.vy[i] = start.vy[i], b.vz[i] = start.vz[i];
    }
  }
  template <class Each>
  void attract(Each each) {
    each(b.size(), [this](std::uint64_t i) {
      const T *const x = b.x.data(), *const y = b.y.data(), *const z = b.z.data(), *const mass = b.mass.data();
      T sx = 0, sy = 0, sz = 0;
      for (std::size_t j = 0; j < b.size(); ++j) {
        const T dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        const T square = dx * dx + dy * dy + dz * dz + T(softening * softening), root = std::sqrt(square);
        const T pull = mass[j] / (square * root);
        sx += pull * dx, sy += pull * dy, sz += pull * dz;
      }
      ax[i] = sx, ay[i] = sy, az[i] = sz;
    });
  }
  void kick() {
    for (std::size_t i = 0; i < b.size(); ++i)
      b.vx[i] += T(dt / 2) * ax[i], b.vy[i] += T(dt / 2) * ay[i], b.vz[i] += T(dt / 2) * az[i];
  }
  template <class Each>
  void step(Each each) {  // leapfrog: kick, drift, kick
    kick();
    for (std::size_t i = 0; i < b.size(); ++i)
      b.x[i] += T(dt) * b.vx[i], b.y[i] += T(dt) * b.vy[i], b.z[i] += T(dt) * b.vz[i];
    attract(each);
    kick();
  }
};

// The second step is timed: the first finds the accelerations that it starts with.
instance attraction(std::uint64_t pairs) {
  using upsweep::nbody::simulation;
  const std::uint64_t n = bodies_in(pairs);
  const auto start = std::make_shared<upsweep::nbody::bodies<float>>();
  start->resize(n);
  generator random;
  for (std::size_t i = 0; i < n; ++i) {
    for (auto* each : {&start->x, &start->y, &start->z}) (*each)[i] = random.uniform() - 0.5f;
    for (auto* each : {&start->vx, &start->vy, &start->vz}) (*each)[i] = random.uniform() - 0.5f;
    start->mass[i] = 1.0f / static_cast<float>(n);
  }
  const auto parallel = [](std::uint64_t k, auto turn) { in_parallel(k, turn); };
  const auto alone = [](std::uint64_t k, auto turn) { one_by_one(k, turn); };
  const auto expected = std::make_shared<motion<double>>(*start);
  expected->attract(parallel);
  expected->step(parallel), expected->step(parallel);
  double strongest = 0;
  for (const double a : expected->ax) strongest = std::max(strongest, std::abs(a));
  // Places are exact to a few roundings; accelerations to as much as the rounding of the nearest bodies' distances
  // makes of it.
  const auto compare = [=](const upsweep::nbody::bodies<float>& b, const std::vector<float>& ax,
                           const std::vector<float>& ay, const std::vector<float>& az) {
    for (const std::string& wrong :
         {is_off(b.x, expected->b.x, 1e-6), is_off(b.y, expected->b.y, 1e-6), is_off(b.z, expected->b.z, 1e-6),
          is_off(ax, expected->ax, 1e-4 * strongest), is_off(ay, expected->ay, 1e-4 * strongest),
          is_off(az, expected->az, 1e-4 * strongest)})
      if (!wrong.empty()) return wrong;
    return std::string();
  };
  const auto now = std::make_shared<motion<float>>(*start);
  const auto again = [=] {
    *now = motion<float>(*start);
    now->attract(parallel), now->step(parallel);
  };
  const auto wrong = [=] { return compare(now->b, now->ax, now->ay, now->az); };
  instance i;
  i.theirs = {{"plain loops", again, [=] { now->step(alone); }, wrong},
              {"loops in for_each(par, …)", again, [=] { now->step(parallel); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    if (!there && c.kind() != upsweep::backend::cpu) return way{};  // bodies live on the device from step to step
    const auto s = std::make_shared<std::unique_ptr<simulation<float>>>();
    const auto begin = [=] {
      upsweep::nbody::parameters rules;
      rules.softening = softening, rules.method = upsweep::nbody::method::all_pairs;
      *s = std::make_unique<simulation<float>>(c, *start, rules, upsweep::nbody::integrator::leapfrog, dt);
      (*s)->step();
      c.synchronize();
    };
    const auto run = [=] {
      (*s)->step();
      c.synchronize();
    };
    return way{"", begin, run, [=] {
                 const auto field = (*s)->forces();
                 return compare((*s)->state(), field.ax, field.ay, field.az);
               }};
  };
  return i;
}

std::uint64_t pairs_of(std::uint64_t asked) { return bodies_in(asked) * bodies_in(asked); }

}  // namespace

std::vector<task> shaped_tasks() {
  return {{"n-body step", "upsweep::nbody::simulation", "f32, all pairs of up to 4096 bodies", "pairs", 0, pairs_of,
           attraction},
          {"5×5 Gaussian", "upsweep::convolve", "f32, one channel, up to 4000×3000", "pixels", 24, photo_size, blur},
          {"summed-area table", "upsweep::summed_area_table", "u8 into u32, up to 4000×3000", "pixels", 13, photo_size,
           areas},
          {"fields of CSV", "upsweep::find_fields", "text with quotes", "bytes", 7, {}, csv},
          {"moving average", "upsweep::moving_average", "f32", "elements", 20, {}, moving_average}};
}

}  // namespace tour
