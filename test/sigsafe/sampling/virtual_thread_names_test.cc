#include "sigsafe/sampling/virtual_thread_names.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace jprof {
namespace {

class VirtualThreadNamesTest : public testing::Test {
 protected:
  static ThreadNameBytes NameOf(int64_t id) {
    ThreadNameBytes name{};
    const std::string text = "thread " + std::to_string(id);
    name.size = static_cast<uint8_t>(text.size());
    memcpy(name.bytes, text.data(), text.size());
    return name;
  }

  std::map<int64_t, std::string> TakeAll() {
    std::map<int64_t, std::string> taken;
    names_.TakeAll([&](int64_t id, const ThreadNameBytes& name) {
      taken[id] = std::string(name.bytes, name.size);
    });
    return taken;
  }

  std::vector<int64_t> memory_ =
      std::vector<int64_t>(VirtualThreadNames::kRegionSize / sizeof(int64_t));
  VirtualThreadNames names_{{memory_.data(), VirtualThreadNames::kRegionSize}};
};

TEST_F(VirtualThreadNamesTest, ANameIsTakenOnce) {
  names_.Publish(42, NameOf(42));
  EXPECT_TRUE(names_.Has(42));
  EXPECT_FALSE(names_.Has(43));
  EXPECT_EQ(TakeAll(), (std::map<int64_t, std::string>{{42, "thread 42"}}));
  EXPECT_FALSE(names_.Has(42));
  EXPECT_TRUE(TakeAll().empty());
}

TEST_F(VirtualThreadNamesTest, TakesTheNameOfOneThreadOnly) {
  names_.Publish(42, NameOf(42));
  names_.Publish(43, NameOf(43));
  int visits = 0;
  names_.Take(43, [&](int64_t id, const ThreadNameBytes&) {
    EXPECT_EQ(id, 43);
    ++visits;
  });
  EXPECT_EQ(visits, 1);
  EXPECT_EQ(TakeAll().size(), 1u);
}

TEST_F(VirtualThreadNamesTest, ThreadsWithTheSamePlaceUseOtherPlaces) {
  constexpr auto kStep = static_cast<int64_t>(VirtualThreadNames::kPlaces);
  for (int64_t id = 5; id < 5 + 4 * kStep; id += kStep) names_.Publish(id, NameOf(id));
  for (int64_t id = 5; id < 5 + 4 * kStep; id += kStep) EXPECT_TRUE(names_.Has(id));
  EXPECT_EQ(TakeAll().size(), 4u);
}

// Ids are consecutive, so threads whose ids differ by the number of places have the same first
// place.
TEST_F(VirtualThreadNamesTest, PublishesTwoRunsOfIdsOnTheSamePlaces) {
  constexpr auto kStep = static_cast<int64_t>(VirtualThreadNames::kPlaces);
  constexpr int64_t kRun = kStep / 8;
  for (int64_t i = 0; i < kRun; ++i) {
    names_.Publish(1 + i, NameOf(1 + i));
    names_.Publish(1 + i + kStep, NameOf(1 + i + kStep));
  }
  EXPECT_EQ(names_.refused(), 0u);
  EXPECT_EQ(TakeAll().size(), 2u * kRun);
}

TEST_F(VirtualThreadNamesTest, RefusedNamesAreCountedAndCanBePublishedLater) {
  constexpr auto kThreads = static_cast<int64_t>(VirtualThreadNames::kPlaces) + 100;
  for (int64_t id = 1; id <= kThreads; ++id) names_.Publish(id, NameOf(id));
  EXPECT_GE(names_.refused(), 100u);
  EXPECT_FALSE(names_.Has(kThreads));
  EXPECT_EQ(TakeAll().size() + names_.refused(), static_cast<size_t>(kThreads));
  names_.Publish(kThreads, NameOf(kThreads));
  EXPECT_TRUE(names_.Has(kThreads));
}

}  // namespace
}  // namespace jprof
