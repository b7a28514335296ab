// What three files of one program share: a type and a comparison that stand in all of them by one name, compiled by the
// host's compiler, by nvcc, and with calls checked. Whichever object the linker meets first, each file's calls must be
// its own.
#pragma once

namespace upsweep::tests {

struct weight {
  int grams;
};

struct lighter {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      bool
      operator()(weight a, weight b) const {
    return a.grams < b.grams;
  }
};

// No strict weak order: everything stands before everything.
struct always {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      bool
      operator()(weight, weight) const {
    return true;
  }
};

struct heaviest {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      weight
      operator()(weight a, weight b) const {
    return a.grams < b.grams ? b : a;
  }
#if defined(__CUDACC__)
  __host__ __device__
#endif
      static weight
      identity() {
    return {-2147483647};
  }
};

}  // namespace upsweep::tests
