#include "sigsafe/native/frame_lookup.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <vector>

#include "elf/library_map.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/native/native_registers.h"

namespace jprof {
namespace {

constexpr size_t kMaxEntry = 2048;  // frame_lookup.h

// A header with one function in memory of this test, and entries that the test can damage.
class FrameInMemoryTest : public testing::Test {
 protected:
  static constexpr uint64_t kEntry = 0x100;
  static constexpr uint64_t kFunction = 0x2000;
  static constexpr uint64_t kSize = 0x80;

  FrameInMemoryTest() : bytes_(0x4000) {
    Put<uint8_t>(0, {1, 0x1b, 3, 0x3b});
    Put<uint32_t>(8, {1, kFunction, kEntry});
    Put<uint32_t>(0x40, {20, 0});
    Put<uint8_t>(0x48, {1, 'z', 'R', 0, 1, 0x78, kReturnAddressNumber, 1, 0x1b, 0x0c,
                        kStackPointerNumber, 8, 0x80 | kReturnAddressNumber, 1});
    Put<uint32_t>(kEntry, {20, kEntry + 4 - 0x40, kFunction - (kEntry + 8), kSize});
    Put<uint8_t>(kEntry + 16, {0, 0x41, 0x0e, 16});
  }

  template <typename T>
  void Put(size_t at, std::vector<T> values) {
    memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
  }

  uint64_t header() const { return reinterpret_cast<uint64_t>(bytes_.data()); }

  // Returns the offset of the CFA that the rule at `at` gives; 0 if there is no rule.
  int32_t CfaOffset(uint64_t at) const {
    UnwindRule rule;
    const bool is_found = FindRuleInLibrary(header(), header() + at, LoadFaults::kFatal, &rule);
    return is_found ? rule.cfa_offset : 0;
  }

 private:
  std::vector<uint8_t> bytes_;
};

TEST_F(FrameInMemoryTest, OnlyItsFunctionHasARule) {
  EXPECT_EQ(CfaOffset(kFunction - 1), 0);
  EXPECT_EQ(CfaOffset(kFunction), 8);
  EXPECT_EQ(CfaOffset(kFunction + 1), 16);
  EXPECT_EQ(CfaOffset(kFunction + kSize - 1), 16);
  EXPECT_EQ(CfaOffset(kFunction + kSize), 0);
}

TEST_F(FrameInMemoryTest, ADamagedEntryHasNoRule) {
  for (const uint32_t length :
       {uint32_t{0}, uint32_t{1}, uint32_t{kMaxEntry}, 0x7fffffffu, 0xffffffffu}) {
    Put<uint32_t>(kEntry, {length});
    EXPECT_EQ(CfaOffset(kFunction), 0) << length;
  }
  Put<uint32_t>(kEntry, {20, 0});
  EXPECT_EQ(CfaOffset(kFunction), 0) << "the entry is a CIE";
  Put<uint32_t>(kEntry, {20, 4});
  EXPECT_EQ(CfaOffset(kFunction), 0) << "the entry is its own CIE";
}

TEST_F(FrameInMemoryTest, AHeaderOfAnotherFormHasNoRules) {
  Put<uint8_t>(3, {0x1b});
  EXPECT_EQ(CfaOffset(kFunction), 0);
}

TEST_F(FrameInMemoryTest, ATooLargeCountHasAnEnd) {
  Put<uint32_t>(8, {0xffffffff});
  CfaOffset(kFunction);
}

TEST(FrameLookupTest, UnmappedMemoryHasNoRules) {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto address = reinterpret_cast<uint64_t>(page);
  UnwindRule rule;
  EXPECT_FALSE(FindRuleInLibrary(address, address + 100, LoadFaults::kFatal, &rule));
  munmap(page, 4096);
}

void ThisFunction() { FAIL() << "only its address is used"; }

TEST(NativeCodeLookupTest, WantsTablesAfterManyReadsOrAFailedOne) {
  const auto known = reinterpret_cast<uint64_t>(&ThisFunction);
  const LibraryMap map = LibraryMap::Snapshot();
  const Library* const program = map.Find(Pc{known});
  ASSERT_NE(program, nullptr);
  const AddressRange code = program->executable.front();
  const CodeRange range{code.begin, code.end, nullptr, program->frame_header.begin};
  UnwindRule rule;
  const auto reading = std::make_unique<NativeCode>();
  reading->Publish(&range, 1);
  for (uint32_t i = 0; i < NativeCode::kReadsBeforeTables; ++i) {
    ASSERT_FALSE(reading->WantsTables());
    ASSERT_TRUE(reading->FindRule(known, LoadFaults::kCaught, &rule));
    ASSERT_NE(rule.cfa, CfaKind::kNoInformation);
  }
  EXPECT_TRUE(reading->WantsTables());

  const auto failing = std::make_unique<NativeCode>();
  const CodeRange without{range.begin, range.end, nullptr, range.begin};
  failing->Publish(&without, 1);
  EXPECT_TRUE(failing->FindRule(known, LoadFaults::kCaught, &rule));
  EXPECT_EQ(rule.cfa, CfaKind::kNoInformation);
  EXPECT_TRUE(failing->WantsTables());
}

}  // namespace
}  // namespace jprof
