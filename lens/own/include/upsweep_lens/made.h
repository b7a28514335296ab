// A main for a file of kernels alone: memory for its pointers, n for its integers, 1 for its numbers.
#pragma once

#include <string>
#include <vector>

namespace upsweep_lens {

template <class T>
const char* name_of_type() {
  if (std::is_same_v<T, float>) return "float";
  if (std::is_same_v<T, double>) return "double";
  if (std::is_same_v<T, bool>) return "bool";
  if (!std::is_integral_v<T>) return sizeof(T) == 1 ? "1-byte" : "structured";
  const bool sign = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1: return sign ? "signed char" : "unsigned char";
    case 2: return sign ? "short" : "unsigned short";
    case 4: return sign ? "int" : "unsigned";
    default: return sign ? "long long" : "unsigned long long";
  }
}

class made_up {
 public:
  made_up(std::vector<std::string> names, unsigned long long n, unsigned seed)
      : names_(std::move(names)), n_(n), state_(seed) {}

  template <class P>
  P argument(size_t i) {
    const std::string name = i < names_.size() && !names_[i].empty() ? names_[i] : "argument " + std::to_string(i + 1);
    said_ += (said_.empty() ? "" : ", ") + name + " = ";
    if constexpr (std::is_pointer_v<P>) {
      using T = std::remove_cv_t<std::remove_pointer_t<P>>;
      static_assert(std::is_trivially_copyable_v<T>,
                    "write a main: the lens cannot make up what such a pointer points to");
      return (P)memory<T>(name);
    } else if constexpr (std::is_same_v<P, bool>) {
      said_ += "true";
      return true;
    } else if constexpr (std::is_integral_v<P>) {
      said_ += std::to_string(n_);
      return (P)n_;
    } else if constexpr (std::is_floating_point_v<P>) {
      said_ += "1";
      return 1;
    } else {
      said_ += "all zero";
      return P{};
    }
  }
  const std::string& said() const { return said_; }

 private:
  unsigned long long next() {
    state_ += 0x9E3779B97F4A7C15u;
    unsigned long long z = (state_ ^ state_ >> 30) * 0xBF58476D1CE4E5B9u;
    return z ^ z >> 31;
  }
  template <class T>
  T random() {
    const unsigned long long bits = next();
    if constexpr (std::is_floating_point_v<T>)
      return (T)((double)(bits >> 11) * 0x1p-53);
    else if constexpr (std::is_integral_v<T>)
      return (T)(bits % 100);
    T value;
    unsigned char* bytes = (unsigned char*)&value;
    for (size_t i = 0; i < sizeof value; i += 4) {
      const float f = (float)((next() >> 40) * 0x1p-24);
      memcpy(bytes + i, &f, sizeof value - i < 4 ? sizeof value - i : 4);
    }
    return value;
  }
  template <class T>
  T* memory(const std::string& name) {
    std::vector<T> values(n_);
    for (size_t i = 0; i < n_; ++i) values[i] = random<T>();
    T* at = nullptr;
    if (upsweep_allocate((void**)&at, n_ * sizeof(T), sizeof(T), name.c_str(), device) != 0) {
      fprintf(stderr, "upsweep: lens: there is no room for %llu elements of %s: choose a smaller --n\n", n_,
              name.c_str());
      exit(1);
    }
    upsweep_copy(at, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice, "the main that was made up");
    said_ += std::to_string(n_) + " random " + name_of_type<T>();
    return at;
  }
  std::vector<std::string> names_;
  unsigned long long n_, state_;
  std::string said_;
};

inline std::string text_of(dim3 d) {
  std::string text = std::to_string(d.x);
  if (d.y > 1 || d.z > 1) text += "x" + std::to_string(d.y);
  if (d.z > 1) text += "x" + std::to_string(d.z);
  return text;
}

// A grid of 0: as many blocks as have n threads. Dynamic shared memory of -1: none; -2: 8 bytes a thread.
template <class... P>
int run_made(const char* name, void (*kernel)(P...), std::vector<std::string> names, unsigned long long n, dim3 grid,
             dim3 block, long long shared, unsigned seed) {
  const unsigned long long threads = (unsigned long long)block.x * block.y * block.z;
  if (grid.x == 0) grid = dim3((unsigned)((n + threads - 1) / (threads > 0 ? threads : 1)));
  if (shared == -2) shared = (long long)(8 * threads);
  if (shared < 0) shared = 0;
  made_up m(std::move(names), n, seed);
  size_t i = 0;
  std::tuple<void (*)(P...), std::decay_t<P>...> all{kernel, m.argument<std::decay_t<P>>(i++)...};
  std::string said = std::string(name) + "<<<" + text_of(grid) + ", " + text_of(block) +
                     (shared > 0 ? ", " + std::to_string(shared) : std::string()) + ">>>(" + m.said() + ")";
  upsweep_say(said.c_str());
  return launch_all(configuration(grid, block, (size_t)shared), name, (const void*)kernel, all,
                    std::index_sequence_for<P...>{}) != cudaSuccess;
}

}  // namespace upsweep_lens
