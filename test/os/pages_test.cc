#include "os/pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

bool IsMapped(const void* address) {
  char byte;
  return SafeLoad(address, &byte);
}

TEST(PagesTest, ARegionIsZeroedWritableAndAtLeastAsLargeAsAsked) {
  Result<Pages> pages = Pages::Reserve(100'000);
  ASSERT_TRUE(pages.ok());
  const Region region = pages.value().region();
  EXPECT_GE(region.size, 100'000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(region.data) % 4096, 0u);
  auto* bytes = static_cast<uint8_t*>(region.data);
  for (size_t i = 0; i < region.size; ++i) ASSERT_EQ(bytes[i], 0);
  bytes[0] = 1;
  bytes[region.size - 1] = 1;
}

TEST(PagesTest, PopulateChangesNothingAndDiscardMakesZeroes) {
  const Pages pages = std::move(Pages::Reserve(1 << 20)).value();
  auto* bytes = static_cast<uint8_t*>(pages.region().data);
  bytes[0] = 1;
  bytes[300'000] = 2;
  pages.Populate(0, size_t{1} << 40);  // ignores the part beyond the end
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[300'000], 2);
  pages.Discard(200'000);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[300'000], 2);
  pages.Discard(size_t{1} << 40);
  EXPECT_EQ(bytes[300'000], 0);
}

TEST(PagesTest, ARegionIsUnmappedWithItsOwner) {
  const void* address = nullptr;
  {
    Result<Pages> pages = Pages::Reserve(1);
    Pages moved(std::move(pages).value());
    address = moved.region().data;
    EXPECT_EQ(pages.value().region().data, nullptr);
    EXPECT_TRUE(IsMapped(address));
  }
  EXPECT_FALSE(IsMapped(address));
}

TEST(PagesTest, ALeakedRegionStays) {
  Region region{};
  {
    Result<Pages> pages = Pages::Reserve(1);
    region = pages.value().Leak();
    EXPECT_EQ(pages.value().region().data, nullptr);
  }
  EXPECT_TRUE(IsMapped(region.data));
}

TEST(PagesTest, AddressSpaceIsNotCommitted) {
  EXPECT_TRUE(Pages::Reserve(size_t{256} << 30).ok()) << "256 GiB of address space";
}

TEST(PagesTest, AnImpossibleSizeIsAnErrorThatNamesTheCall) {
  const Result<Pages> pages = Pages::Reserve(size_t{1} << 60);
  ASSERT_FALSE(pages.ok());
  EXPECT_EQ(pages.error().message().rfind("cannot mmap 1152921504606846976 bytes: ", 0), 0u);
}

}  // namespace
}  // namespace jprof
