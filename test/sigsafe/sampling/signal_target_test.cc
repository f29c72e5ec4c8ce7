#include "sigsafe/sampling/signal_target.h"

#include <gtest/gtest.h>

#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

siginfo_t InfoWith(int code, sigval value) {
  siginfo_t info{};
  info.si_code = code;
  info.si_value = value;
  return info;
}

TEST(SignalCookieTest, ACookieKeepsEverySlotIndex) {
  for (const uint32_t index : {0u, 1u, 4711u, uint32_t{ThreadSlots::kCapacity - 1}, ~0u}) {
    const siginfo_t info = InfoWith(SI_TIMER, MakeCookie(index));
    EXPECT_TRUE(IsOurs(info, SI_TIMER)) << index;
    EXPECT_EQ(SlotIndex(info), index);
  }
}

TEST(SignalCookieTest, ASignalWithAnotherCodeIsNotOurs) {
  const siginfo_t timer = InfoWith(SI_TIMER, MakeCookie(3));
  EXPECT_FALSE(IsOurs(timer, SI_QUEUE));
  EXPECT_FALSE(IsOurs(InfoWith(SI_USER, MakeCookie(3)), SI_TIMER));
  EXPECT_FALSE(IsOurs(InfoWith(SI_TKILL, MakeCookie(3)), SI_QUEUE));
}

TEST(SignalCookieTest, AValueWithoutTheMarkIsNotOurs) {
  sigval value;
  for (const uint64_t bits : {uint64_t{0}, uint64_t{3}, ~uint64_t{0}, kCookieMark,
                              kCookieMark << 31, (kCookieMark << 32) ^ (uint64_t{1} << 63)}) {
    value.sival_ptr = reinterpret_cast<void*>(bits);
    EXPECT_FALSE(IsOurs(InfoWith(SI_TIMER, value), SI_TIMER)) << std::hex << bits;
  }
}

}  // namespace
}  // namespace jprof
