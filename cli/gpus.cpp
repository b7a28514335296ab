#include "cli/gpus.hpp"

#if UPSWEEP_WITH_CUDA
#include "upsweep/cuda/device_info.hpp"
#include "upsweep/cuda/tuning_policies.hpp"

nlohmann::json tuning_rows(std::string_view variant, const upsweep::context* on) {
  static const std::vector<upsweep::cuda::tuning_policy> all = upsweep::cuda::tuning_policies_of_all_algorithms();
  nlohmann::json list = nlohmann::json::array();
  for (const auto& row : all)
    if (row.variant == variant)
      list.push_back({{"elements", row.elements},
                      {"row", row.row},
                      {"threads", row.threads},
                      {"items", row.items},
                      {"stages", row.stages},
                      {"blocks_a_multiprocessor", row.blocks},
                      {"shared_bytes", row.shared_bytes},
                      {"measured", row.measured},
                      {"taken", on ? nlohmann::json(is_taken(all, row, upsweep::cuda::numbers_of(*on).shared_bytes))
                                   : nlohmann::json(nullptr)}});
  return list;
}

nlohmann::json gpu_json(const std::string& device) {
  try {
    const auto gpu = upsweep::cuda::numbers_of(upsweep::context::named(device));
    return {{"compute_capability", gpu.capability / 10.0},
            {"multiprocessors", gpu.multiprocessors},
            {"shared_bytes_a_block", gpu.shared_bytes},
            {"cache_bytes", gpu.cache_bytes},
            {"ready_code", gpu.ready},
            {"translated_from", gpu.ready ? nlohmann::json(nullptr) : nlohmann::json(gpu.translated_from / 10.0)}};
  } catch (const upsweep::error& e) {
    return {{"cannot", e.what()}};
  }
}

double translate_reduce(const std::string& device) {
  return upsweep::cuda::seconds_to_load_reduce(upsweep::context::named(device));
}
#else
nlohmann::json tuning_rows(std::string_view, const upsweep::context*) { return nlohmann::json::array(); }
nlohmann::json gpu_json(const std::string&) { return {}; }
double translate_reduce(const std::string&) { return 0; }
#endif
