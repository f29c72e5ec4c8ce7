#include "engines/validate/compiled_code.h"

#include <gtest/gtest.h>
#include <jvmticmlr.h>

#include <array>

namespace jprof {
namespace {

jmethodID Method(uintptr_t number) { return reinterpret_cast<jmethodID>(number); }

// Reports code from `begin` on, of 64 bytes, with an inlined method 2 at offset 16, and method 1
// alone at offset 32.
void Report(CompiledCode& code, uint64_t begin) {
  std::array<jmethodID, 2> inlined = {Method(2), Method(1)};
  std::array<jint, 2> inlined_at = {5, 9};
  std::array<PCStackInfo, 2> places = {
      {{reinterpret_cast<void*>(begin + 16), 2, inlined.data(), inlined_at.data()},
       {reinterpret_cast<void*>(begin + 32), 1, &inlined[1], &inlined_at[1]}}};
  jvmtiCompiledMethodLoadInlineRecord record = {};
  record.header.kind = JVMTI_CMLR_INLINE_INFO;
  record.numpcs = places.size();
  record.pcinfo = places.data();
  code.OnCompiledMethodLoad(nullptr, Method(1), 64, reinterpret_cast<void*>(begin), 0, nullptr,
                            &record);
}

TEST(CompiledCodeTest, AnInstructionHasTheFramesOfTheNextPlace) {
  CompiledCode code;
  code.EndEarlier();
  Report(code, 0x1000);
  for (const uint64_t pc : {0x1000, 0x1001, 0x1010}) {
    const auto decoded = code.Decode(pc);
    ASSERT_TRUE(decoded) << pc;
    ASSERT_EQ(decoded->frames.size(), 2u) << pc;
    EXPECT_EQ(decoded->frames[0].method, Method(2));
    EXPECT_EQ(decoded->frames[0].bci, 5);
    EXPECT_EQ(decoded->frames[1].method, Method(1));
    EXPECT_EQ(decoded->frames[1].bci, 9);
    EXPECT_FALSE(decoded->was_compiled_before);
  }
  ASSERT_TRUE(code.Decode(0x1011));
  EXPECT_EQ(code.Decode(0x1011)->frames.size(), 1u);
}

TEST(CompiledCodeTest, KnownCodeWithoutInformationHasNoFrames) {
  CompiledCode code;
  Report(code, 0x1000);
  ASSERT_TRUE(code.Decode(0x1021));
  EXPECT_TRUE(code.Decode(0x1021)->frames.empty());
  EXPECT_FALSE(code.Decode(0xfff));
  EXPECT_FALSE(code.Decode(0x1040));
}

TEST(CompiledCodeTest, CodeFromBeforeTheAgentIsMarked) {
  CompiledCode code;
  Report(code, 0x1000);
  code.EndEarlier();
  Report(code, 0x2000);
  EXPECT_TRUE(code.Decode(0x1000)->was_compiled_before);
  EXPECT_FALSE(code.Decode(0x2000)->was_compiled_before);
}

TEST(CompiledCodeTest, LaterCodeReplacesCodeAtTheSameAddresses) {
  CompiledCode code;
  Report(code, 0x1000);
  Report(code, 0x1020);
  EXPECT_FALSE(code.Decode(0x1000));
  ASSERT_TRUE(code.Decode(0x1030));
  EXPECT_EQ(code.Decode(0x1030)->frames.size(), 2u);
}

}  // namespace
}  // namespace jprof
