#include "linux/nvml.h"

#include <gtest/gtest.h>

namespace muster::linux_os {
namespace {

TEST(Nvml, AMissingLibraryIsNotFound) {
  const auto driver = load_nvml("libmuster-no-such-library.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().reason, Reason::kNotFound);
}

TEST(Nvml, ALibraryWithoutItsFunctionsDoesNotWork) {
  const auto driver = load_nvml("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().reason, Reason::kServiceUnavailable);
}

TEST(Nvml, DevicesHaveAnIdentityAndAUse) {
  const auto driver = load_nvml(MUSTER_NVML_FOR_TESTS);
  ASSERT_TRUE(driver) << driver.error().message;
  const auto gpus = (*driver)->devices();
  ASSERT_TRUE(gpus) << gpus.error().message;
  ASSERT_EQ(gpus->size(), 2U);
  EXPECT_EQ((*gpus)[1].uuid, "GPU-bbbb");
  EXPECT_EQ((*gpus)[1].minor, 7);
  EXPECT_EQ((*gpus)[1].name, "Fake GPU");
  EXPECT_EQ((*gpus)[1].memory, 1000);
  const auto use = (*driver)->use("GPU-bbbb");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->utilisation, 93);
  EXPECT_EQ(use->memory, 300) << "without what the driver keeps for itself";
}

TEST(Nvml, AnOlderDriverTellsTheMemoryInItsOwnWay) {
  const auto driver = load_nvml(MUSTER_NVML_FOR_TESTS);
  ASSERT_TRUE(driver);
  const auto use = (*driver)->use("GPU-aaaa");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->memory, 400);
}

TEST(Nvml, AnErrorHasNvmlsWords) {
  const auto driver = load_nvml(MUSTER_NVML_FOR_TESTS);
  ASSERT_TRUE(driver);
  const auto use = (*driver)->use("GPU-cccc");
  ASSERT_FALSE(use);
  EXPECT_EQ(use.error().message, "nvmlDeviceGetHandleByUUID: Not Found");
}

}  // namespace
}  // namespace muster::linux_os
