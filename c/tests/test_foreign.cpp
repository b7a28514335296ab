// Memory of another device, and indices that lead out of memory, are refused on every device.
#include "device.hpp"

namespace {

constexpr std::size_t n = 100;

class Foreign : public on_a_device {};

TEST_P(Foreign, MemoryIsRefused) {
  const context cpu = open_device("cpu");
  void *device_memory = nullptr, *host = nullptr;
  OK(upsweep_allocate(c, n * sizeof(float), &device_memory));
  OK(upsweep_allocate(cpu.get(), n * sizeof(float), &host));
  std::vector<float> ones(n, 1), back(n, 7);
  OK(upsweep_upload(c, device_memory, ones.data(), n * sizeof(float)));
  OK(upsweep_upload(cpu.get(), host, ones.data(), n * sizeof(float)));
  REFUSED(upsweep_reduce(cpu.get(), UPSWEEP_F32, device_memory, n, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, host),
          UPSWEEP_BAD_ARGUMENT, "the input is memory of");
  REFUSED(upsweep_reduce(c, UPSWEEP_F32, host, n, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, device_memory),
          UPSWEEP_BAD_ARGUMENT, "the input is memory of cpu");
  REFUSED(upsweep_scan(c, UPSWEEP_F32, device_memory, n, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, host),
          UPSWEEP_BAD_ARGUMENT, "the output is memory of cpu");
  REFUSED(upsweep_upload(cpu.get(), device_memory, ones.data(), n), UPSWEEP_BAD_ARGUMENT, "is memory of");
  // Host memory on the host's side of a copy may be a CPU context's.
  OK(upsweep_download(c, host, device_memory, n * sizeof(float)));
  OK(upsweep_deallocate(c, device_memory));
  OK(upsweep_deallocate(cpu.get(), host));
}

TEST_P(Foreign, IndicesAndOffsetsAreLookedAt) {
  std::vector<void*> held;
  const auto uploaded = [&](const auto& values) {
    void* device_memory = nullptr;
    const std::size_t bytes = values.size() * sizeof values[0];
    EXPECT_EQ(upsweep_allocate(c, bytes, &device_memory), UPSWEEP_OK);
    EXPECT_EQ(upsweep_upload(c, device_memory, values.data(), bytes), UPSWEEP_OK);
    held.push_back(device_memory);
    return device_memory;
  };
  using u64s = std::vector<std::uint64_t>;
  void *x = uploaded(std::vector<float>(n, 1)), *y = uploaded(std::vector<float>(n, 5));
  void* far = uploaded(u64s{1'000'000'000'000});
  void* next = uploaded(u64s{n});
  void* good = uploaded(u64s{n - 1});
  void* cuts = uploaded(u64s{0, 10'000'000'000});
  void* falling = uploaded(u64s{0, 7, 3, n});
  for (void* wrong : {far, next}) {
    REFUSED(upsweep_gather(c, x, 4, n, wrong, 8, nullptr, 1, y), UPSWEEP_BAD_ARGUMENT, "index");
    REFUSED(upsweep_scatter(c, x, 4, 1, wrong, 8, nullptr, y, n), UPSWEEP_BAD_ARGUMENT, "index");
  }
  OK(upsweep_gather(c, x, 4, n, good, 8, nullptr, 1, y));
  const auto* offsets = static_cast<const std::uint64_t*>(cuts);
  REFUSED(upsweep_segmented_reduce(c, UPSWEEP_F32, x, n, offsets, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y),
          UPSWEEP_BAD_ARGUMENT, "past the end");
  offsets = static_cast<const std::uint64_t*>(falling);
  REFUSED(upsweep_segmented_reduce(c, UPSWEEP_F32, x, n, offsets, 3, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y),
          UPSWEEP_BAD_ARGUMENT, "less than");
  REFUSED(upsweep_run_length_decode(c, x, 4, static_cast<std::uint64_t*>(far), 1, y, n), UPSWEEP_BAD_ARGUMENT,
          "1000000000000");
  std::vector<float> back(1);
  OK(upsweep_download(c, back.data(), y, 4));
  EXPECT_EQ(back[0], 1) << "what was refused wrote nothing";
  for (void* h : held) OK(upsweep_deallocate(c, h));
}

INSTANTIATE_TEST_SUITE_P(Devices, Foreign, testing::Values("cuda:0", "opencl:0"), device_label);

}  // namespace
