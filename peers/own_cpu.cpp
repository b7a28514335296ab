// Work by functions of the caller's own on the CPU: the standard library's calls on one thread and by its policies, and
// oneTBB's sort.
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <execution>

#include "peers/fold.hpp"
#include "peers/own.hpp"
#include "peers/peers.hpp"

namespace upsweep::peers {

namespace {

using prepared_own = std::function<void(const own_operands&)>;

enum class way { select, select_par, stable, unstable, stable_par, unstable_par, tbb };

template <way Way>
bool takes(own_work w, std::uint64_t) {
  return (w == own_work::select_words) == (Way == way::select || Way == way::select_par);
}

template <way Way>
prepared_own prepare(const context& where, own_work w, const own_operands&) {
  return with_element(w, [&]<class T>(type_tag<T>) -> prepared_own {
    return [d = &where.device()](const own_operands& o) {
      [[maybe_unused]] upsweep::device& threads = *d;
      const T *first = o.in.as<const T>(), *last = first + o.n;
      T* out = o.out.as<T>();
      constexpr auto policy = std::execution::par;
      if constexpr (Way == way::select || Way == way::select_par) {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
          const T* end = out;
          if constexpr (Way == way::select_par)
            in_arena(threads, [&] { end = std::copy_if(policy, first, last, out, own_test{}); });
          else
            end = std::copy_if(first, last, out, own_test{});
          *o.count.as<std::uint64_t>() = static_cast<std::uint64_t>(end - out);
        }
      } else if constexpr (Way == way::stable || Way == way::unstable) {
        std::copy(first, last, out);
        Way == way::stable ? std::stable_sort(out, out + o.n, own_less{}) : std::sort(out, out + o.n, own_less{});
      } else {
        in_arena(threads, [&] {
          std::copy(policy, first, last, out);
          if constexpr (Way == way::tbb)
            oneapi::tbb::parallel_sort(out, out + o.n, own_less{});
          else if constexpr (Way == way::stable_par)
            std::stable_sort(policy, out, out + o.n, own_less{});
          else
            std::sort(policy, out, out + o.n, own_less{});
        });
      }
    };
  });
}

}  // namespace

void add_own_on_cpu(std::vector<own_side>& list) {
  const std::string version = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  const char* const copied = "sorts: its input is copied first";
  const auto side = [&]<way Way>(std::integral_constant<way, Way>, const char* name, const char* setting) {
    list.push_back({name, version, copied, setting, true, backend::cpu, takes<Way>, prepare<Way>});
  };
  side(std::integral_constant<way, way::select>{}, "std", "");
  side(std::integral_constant<way, way::select_par>{}, "std-par", "");
  side(std::integral_constant<way, way::stable>{}, "std", "stable_sort");
  side(std::integral_constant<way, way::unstable>{}, "std", "sort");
  side(std::integral_constant<way, way::stable_par>{}, "std-par", "stable_sort");
  side(std::integral_constant<way, way::unstable_par>{}, "std-par", "sort");
  side(std::integral_constant<way, way::tbb>{}, "tbb", "parallel_sort");
  list.back().version = "oneTBB " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR);
}

}  // namespace upsweep::peers
