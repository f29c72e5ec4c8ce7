#include "engines/alloc/watched_threads.h"

#include <gtest/gtest.h>

#include "threads/registry_world.h"

namespace jprof::test {
namespace {

using FirstSamples = WatchedThreads::FirstSamples;

class WatchedThreadsTest : public RegistryTest {
 protected:
  ~WatchedThreadsTest() override {
    for (const void* env : {&env_, &other_}) registry_.OnJavaThreadEnd(env);
  }

  // Admits a sample of the thread of `env`. Returns the factor of the gap (the bytes between two
  // samples) that ends with the sample.
  uint16_t Sample(const void* env, uint16_t next_factor) {
    return threads_.Admit(env, 0, next_factor, false).interval_factor;
  }

  const HotspotLayout layout_{};
  const AllocatedBytes counters_{layout_};
  RateBound rate_{1000, true};
  WatchedThreads threads_{registry_, counters_, rate_, FirstSamples::kForOthers};
  int env_ = 0;
  int other_ = 0;
};

TEST_F(WatchedThreadsTest, ASampleStandsForTheIntervalOfThePreviousSample) {
  threads_.Begin();
  EXPECT_EQ(Sample(&env_, 1), 1);
  EXPECT_EQ(Sample(&env_, 5), 1);
  EXPECT_EQ(Sample(&env_, 5), 5);
  EXPECT_EQ(Sample(&env_, 2), 5);
  EXPECT_EQ(Sample(&other_, 2), 1) << "each thread has gaps of its own";
  EXPECT_EQ(Sample(&env_, 1), 2);
  threads_.End();
}

TEST_F(WatchedThreadsTest, TheFirstGapHasTheIntervalOfTheAttachment) {
  threads_.Begin();
  rate_.Use(7);
  registry_.OnJavaThreadStart(&env_, {});
  rate_.Use(3);
  EXPECT_EQ(Sample(&env_, 3), 7);
  EXPECT_EQ(Sample(&env_, 3), 3);
  threads_.End();
}

// The JNIEnv of a new thread can have the address of the JNIEnv of an ended thread.
TEST_F(WatchedThreadsTest, ANewThreadWithTheSameJniEnvHasItsOwnGapAndNumber) {
  threads_.Begin();
  registry_.OnJavaThreadStart(&env_, {});
  const uint32_t number = threads_.Admit(&env_, 0, 9, false).number;
  registry_.OnJavaThreadEnd(&env_);
  registry_.OnJavaThreadStart(&env_, {});
  const WatchedThreads::Admission next = threads_.Admit(&env_, 0, 1, false);
  EXPECT_EQ(next.interval_factor, 1);
  EXPECT_NE(next.number, number);
  threads_.End();
}

}  // namespace
}  // namespace jprof::test
