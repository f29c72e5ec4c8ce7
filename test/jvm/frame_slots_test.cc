#include "jvm/frame_slots.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace jprof {
namespace {

using Barrier = std::array<uint8_t, kReturnBarrierBytes>;

#if defined(__x86_64__)
// mov rsp, [r15 + offset]
Barrier BarrierThatLoads(uint32_t offset) {
  Barrier code = {0x49, 0x8b, 0xa7};
  memcpy(&code[3], &offset, sizeof offset);
  return code;
}
#elif defined(__aarch64__)
// ldr x8, [x28, #offset]; mov sp, x8
Barrier BarrierThatLoads(uint32_t offset) {
  const uint32_t words[] = {0xf9400388 | offset / 8 << 10, 0x9100011f};
  Barrier code;
  memcpy(code.data(), words, sizeof words);
  return code;
}
#endif

TEST(FrameSlotsTest, ReadsTheOffsetThatTheReturnBarrierLoads) {
  for (const uint32_t offset : {0u, 0x4c8u, 32760u}) {
    EXPECT_EQ(ContinuationOffset(BarrierThatLoads(offset).data()), offset);
  }
}

TEST(FrameSlotsTest, CodeWithADifferentByteHasNoOffset) {
  for (const size_t byte : {0, 1}) {
    Barrier code = BarrierThatLoads(0x4c8);
    code[byte] ^= 1;
    EXPECT_EQ(ContinuationOffset(code.data()), std::nullopt) << byte;
  }
}

#if defined(__x86_64__)
TEST(FrameSlotsTest, AnOffsetThatNoThreadHasIsRefused) {
  for (const uint32_t offset : {0x4c9u, 0x4ccu, 32768u, 0xfffffff8u}) {
    EXPECT_EQ(ContinuationOffset(BarrierThatLoads(offset).data()), std::nullopt) << offset;
  }
}
#endif

}  // namespace
}  // namespace jprof
