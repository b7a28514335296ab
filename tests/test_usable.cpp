// Which GPUs can be used, and the message for those that cannot. Requires no GPU.
#include <gtest/gtest.h>

#include "upsweep/cuda/usable_devices.hpp"

namespace upsweep::cuda {
namespace {

TEST(Usable, ABuildCarriesWhatCMakeWasAskedFor) {
  const auto three = carried_by("75-virtual,80-real;90");
  ASSERT_EQ(three.size(), 3u);
  EXPECT_TRUE(three[0].capability == 75 && three[0].ptx && !three[0].code);
  EXPECT_TRUE(three[1].capability == 80 && !three[1].ptx && three[1].code);
  EXPECT_TRUE(three[2].capability == 90 && three[2].ptx && three[2].code);
  const auto special = carried_by("90a-real;100f");
  ASSERT_EQ(special.size(), 2u);
  EXPECT_TRUE(special[0].reach == code_reach::only && special[0].code && !special[0].ptx);
  EXPECT_TRUE(special[1].reach == code_reach::family && special[1].code && special[1].ptx);
  for (const char* unknown : {"", "native", "all-major", "80;all"}) EXPECT_TRUE(carried_by(unknown).empty()) << unknown;
}

TEST(Usable, CodeRunsInItsGenerationAndPtxFromItsOwnOn) {
  const auto build = carried_by("75-virtual;80-real;90-real");
  for (int ready : {80, 86, 87, 89, 90}) EXPECT_TRUE(has_ready_code(build, ready)) << ready;
  for (int translated : {75, 100, 120}) {
    EXPECT_FALSE(has_ready_code(build, translated)) << translated;
    EXPECT_EQ(translated_from(build, translated), 75) << translated;
  }
  EXPECT_EQ(translated_from(carried_by("75;90"), 120), 90);  // the newest that there is
  EXPECT_EQ(translated_from(carried_by("90"), 80), 0);
  EXPECT_FALSE(has_ready_code(carried_by("89"), 86));
  EXPECT_FALSE(has_ready_code(carried_by("90a"), 100) || translated_from(carried_by("90a"), 100));
  EXPECT_TRUE(has_ready_code(carried_by("90a"), 90));
  EXPECT_TRUE(has_ready_code(carried_by("100f"), 103) && !has_ready_code(carried_by("100f"), 120));
  EXPECT_EQ(translated_from(carried_by("100f"), 120), 0);
}

// The sentence used for the error message; "" if the GPU is used.
std::string said(const std::optional<reason>& why) { return why ? why->what + "; " + why->remedy : ""; }

TEST(Usable, EveryGpuFromTuringOnForWhichThereIsCode) {
  for (int capability : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121})
    EXPECT_EQ(said(why_unusable({0, capability}, carried_by("75-virtual;80-real;90-real"))), "") << capability;
  EXPECT_EQ(said(why_unusable({0, 86}, carried_by("native"))),
            "");  // the code it contains is unknown: a launch will show
  EXPECT_EQ(said(why_unusable({0, 80, sharing::one_process}, carried_by("80"))),
            "");  // as long as no other process has it
}

TEST(Usable, OneSentenceForEachThatIsNot) {
  EXPECT_EQ(said(why_unusable({0, 70}, carried_by("75"))),
            "this GPU has compute capability 7.0, and Upsweep needs 7.5 (Turing); use cpu, opencl:N or best");
  EXPECT_EQ(said(why_unusable({1, 86}, carried_by("75-real;90"))),
            "this GPU has compute capability 8.6, and this build has code for 7.5, 9.0; build again with "
            "-DUPSWEEP_CUDA_ARCHITECTURES=86");
  EXPECT_EQ(
      said(why_unusable({2, 90, sharing::prohibited}, carried_by("90"))),
      "the compute mode of this GPU is prohibited; run nvidia-smi -i 2 -c DEFAULT as root, or use another device");
  // The first reported reason is the one that no setting can fix.
  EXPECT_EQ(why_unusable({0, 61, sharing::prohibited}, carried_by("90"))->why, fault::unsupported);
  EXPECT_EQ(why_unusable({0, 90, sharing::prohibited}, carried_by("90"))->why, fault::no_device);
}

TEST(Usable, WhatIsRefusedWhenItIsOpened) {
  EXPECT_EQ(said(why_refused(refusal::taken, {3, 90, sharing::one_process})),
            "another process uses this GPU, which is in exclusive mode; wait for it, run nvidia-smi -i 3 -c DEFAULT as "
            "root, or use another device");
  EXPECT_EQ(said(why_refused(refusal::taken, {0, 90})),
            "this GPU is busy or unavailable; see nvidia-smi -i 0 to see which process uses it, or use another device");
  EXPECT_EQ(why_refused(refusal::no_memory, {0, 90})->why, fault::out_of_memory);
  EXPECT_NE(said(why_refused(refusal::old_for_ptx, {0, 86})).find("=86"), std::string::npos);
  for (refusal r : {refusal::taken, refusal::no_memory, refusal::mps, refusal::not_ready, refusal::old_for_ptx,
                    refusal::no_translator}) {
    const auto why = why_refused(r, {0, 80});
    ASSERT_TRUE(why);
    EXPECT_FALSE(why->what.empty() || why->remedy.empty());
  }
  EXPECT_FALSE(why_refused(refusal::other, {0, 80}));  // said in the runtime's words
}

TEST(Usable, WhyThereIsNone) {
  const auto all = [](refusal r, int driver, const char* visible) {
    return said(why_no_gpu(r, driver, 13000, visible, "the runtime's words"));
  };
  EXPECT_EQ(all(refusal::no_gpu, 13000, nullptr), "no NVIDIA GPU was found; use cpu, opencl:N or best");
  EXPECT_EQ(all(refusal::no_gpu, 13000, ""),
            "CUDA_VISIBLE_DEVICES=\"\" hides every NVIDIA GPU; unset it, or use cpu, opencl:N or best");
  EXPECT_EQ(all(refusal::old_driver, 0, ""),
            "no NVIDIA GPU or driver was found; install the driver, or use cpu, opencl:N or best");
  EXPECT_EQ(
      all(refusal::old_driver, 12040, nullptr),
      "the NVIDIA driver is too old: it supports CUDA 12.4, and this build needs CUDA 13.0 or newer; update it, or "
      "use another device");
  EXPECT_NE(all(refusal::mps, 13000, nullptr).find("MPS"), std::string::npos);
  EXPECT_EQ(all(refusal::other, 13000, nullptr), "the runtime's words; use cpu, opencl:N or best");
}

}  // namespace
}  // namespace upsweep::cuda
