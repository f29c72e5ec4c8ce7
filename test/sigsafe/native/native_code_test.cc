#include "sigsafe/native/native_code.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/signal_body.h"
#include "unwind/unwind_table_builder.h"

namespace jprof {
namespace {

UnwindRule RuleOf(int32_t offset) {
  UnwindRule rule;
  rule.cfa = CfaKind::kRegister;
  rule.cfa_offset = offset;
  return rule;
}

BuiltTable OneRule(uint64_t size, int32_t offset) {
  UnwindTableBuilder builder(size);
  builder.Add(0, RuleOf(offset));
  return builder.Build().value();
}

TEST(UnwindTableTest, EveryOffsetHasTheLastRuleBeforeIt) {
  std::mt19937 random(1);
  constexpr uint64_t kSize = 100000;
  UnwindTableBuilder builder(kSize);
  std::vector<int32_t> expected(kSize, -1);
  uint64_t at = 700;
  while (at < kSize) {
    const auto offset = static_cast<int32_t>(random() % 40);
    builder.Add(at, RuleOf(offset));
    std::fill(expected.begin() + static_cast<long>(at), expected.end(), offset);
    // Makes dense rows, and some distances of several blocks.
    at += random() % 10 == 0 ? random() % 5000 : 1 + random() % 6;
  }
  const BuiltTable built = builder.Build().value();
  for (uint64_t offset = 0; offset < kSize; ++offset) {
    const UnwindRule& rule = built.table->Find(offset);
    if (expected[offset] < 0) {
      ASSERT_EQ(rule.cfa, CfaKind::kNoInformation) << offset;
    } else {
      ASSERT_EQ(rule.cfa_offset, expected[offset]) << offset;
    }
  }
}

// Offsets come from the call frame information of libraries, and can have any value.
TEST(UnwindTableTest, KeepsRulesWithExtremeOffsets) {
  UnwindRule rule = RuleOf(INT32_MAX);
  rule.saved = {PlaceKind::kAtCfa, 0, INT32_MAX};
  UnwindTableBuilder builder(1000);
  builder.Add(10, rule);
  builder.Add(20, RuleOf(INT32_MIN));
  const BuiltTable built = builder.Build().value();
  EXPECT_EQ(built.table->Find(10), rule);
  EXPECT_EQ(built.table->Find(20), RuleOf(INT32_MIN));
}

TEST(UnwindTableTest, EqualNeighboursShareARow) {
  UnwindTableBuilder builder(1000);
  for (uint64_t at = 10; at < 500; at += 10) builder.Add(at, RuleOf(8));
  const BuiltTable built = builder.Build().value();
  EXPECT_EQ(built.rows, 2u);  // a row with kNoInformation, and one with RuleOf(8)
  EXPECT_EQ(built.rules, 2u);
}

TEST(UnwindTableTest, OmitsRulesBeyondTheCode) {
  UnwindTableBuilder builder(1024);
  builder.Add(1023, RuleOf(8));
  builder.Add(1024, RuleOf(16));
  builder.Add(uint64_t{1} << 40, RuleOf(24));
  const BuiltTable built = builder.Build().value();
  EXPECT_EQ(built.rows, 2u);
  EXPECT_EQ(built.table->Find(1023).cfa_offset, 8);
}

// Tests that a lookup ends and reads only the arrays, whatever they contain.
TEST(UnwindTableTest, ADamagedTableIsReadWithinItsBounds) {
  std::mt19937 random(1);
  constexpr uint32_t kRows = 8;
  constexpr uint32_t kRules = 3;
  constexpr uint64_t kBlocks = 4;
  const auto first_rows = std::make_unique<uint32_t[]>(kBlocks + 1);
  const auto rows = std::make_unique<uint32_t[]>(kRows);
  const auto rules = std::make_unique<UnwindRule[]>(kRules);
  for (uint32_t i = 0; i < kRules; ++i) rules[i] = RuleOf(8);
  for (int round = 0; round < 1000; ++round) {
    // Some numbers are small, so that they exceed the bounds by only a little.
    const auto any = [&] { return static_cast<uint32_t>(random()) >> (random() % 4 * 10); };
    for (uint64_t i = 0; i <= kBlocks; ++i) first_rows[i] = any();
    for (uint32_t i = 0; i < kRows; ++i) rows[i] = any();
    const UnwindTable table(
        {first_rows.get(), rows.get(), rules.get(), kBlocks * 512, kRows, kRules});
    for (const uint64_t offset : {uint64_t{0}, uint64_t{511}, uint64_t{700}, kBlocks * 512 - 1,
                                  kBlocks * 512, uint64_t{1} << 40, UINT64_MAX}) {
      const UnwindRule& rule = table.Find(offset);
      const bool is_known = rule.cfa != CfaKind::kNoInformation;
      EXPECT_TRUE(!is_known || (offset < kBlocks * 512 && rule.cfa_offset == 8)) << offset;
    }
  }
}

TEST(NativeCodeTest, FindsTheRangeThatHoldsAPc) {
  const BuiltTable table = OneRule(0x100, 8);
  const auto code = std::make_unique<NativeCode>();
  EXPECT_EQ(code->Find(0x1000).table, nullptr);
  const CodeRange ranges[] = {
      {0x1000, 0x1100, table.table}, {0x1100, 0x1200, table.table}, {0x3000, 0x3100, table.table}};
  code->Publish(ranges, 3);
  test::InSignal([&] {
    EXPECT_EQ(code->Find(0xfff).table, nullptr);
    EXPECT_EQ(code->Find(0x1000).begin, 0x1000u);
    EXPECT_EQ(code->Find(0x10ff).begin, 0x1000u);
    EXPECT_EQ(code->Find(0x1100).begin, 0x1100u);
    EXPECT_EQ(code->Find(0x1200).table, nullptr);
    EXPECT_EQ(code->Find(0x30ff).begin, 0x3000u);
    EXPECT_EQ(code->Find(UINT64_MAX).table, nullptr);
    UnwindRule rule;
    EXPECT_TRUE(code->FindRule(0x3001, LoadFaults::kFatal, &rule));
    EXPECT_EQ(rule.cfa_offset, 8);
    EXPECT_FALSE(code->FindRule(0, LoadFaults::kFatal, &rule));
  });
  code->Publish(ranges, 1);
  EXPECT_EQ(code->Find(0x3000).table, nullptr);
}

TEST(NativeCodeTest, OmitsRangesBeyondTheRoom) {
  const BuiltTable table = OneRule(0x10, 8);
  std::vector<CodeRange> ranges;
  for (uint64_t i = 0; i < NativeCode::kMaxRanges + 10; ++i) {
    ranges.push_back({0x1000 + i * 0x10, 0x1010 + i * 0x10, table.table});
  }
  const auto code = std::make_unique<NativeCode>();
  code->Publish(ranges.data(), ranges.size());
  EXPECT_NE(code->Find(0x1000 + (NativeCode::kMaxRanges - 1) * 0x10).table, nullptr);
  EXPECT_EQ(code->Find(0x1000 + NativeCode::kMaxRanges * 0x10).table, nullptr);
}

// Successive publications have different layouts and tables. The rule that is found shows to which
// layout its range must belong.
TEST(NativeCodeTest, AReaderNeverMixesTwoPublications) {
  constexpr uint64_t kRange = 0x1000;
  const auto code = std::make_unique<NativeCode>();
  std::vector<BuiltTable> tables;
  for (int32_t i = 0; i < 8; ++i) tables.push_back(OneRule(kRange, i));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> found{0};
  std::thread reader([&] {
    std::mt19937_64 random(2);
    while (!stop) {
      const uint64_t pc = random() % (kRange * 64);
      const CodeRange range = code->Find(pc);
      if (range.table == nullptr) continue;
      ASSERT_LE(range.begin, pc);
      ASSERT_GT(range.end, pc);
      ASSERT_EQ(range.end - range.begin, kRange);
      const auto layout = static_cast<uint64_t>(range.table->Find(pc - range.begin).cfa_offset);
      ASSERT_EQ(range.begin % kRange, layout * 16);
      found.fetch_add(1);
    }
  });
  std::mt19937 random(3);
  for (uint64_t n = 0; n < 20000 || found < 1000; ++n) {
    std::vector<CodeRange> ranges;
    const uint64_t layout = n % tables.size();
    for (uint64_t i = random() % 4; i < 62; i += 1 + random() % 3) {
      const uint64_t begin = i * kRange + layout * 16;
      ranges.push_back({begin, begin + kRange, tables[layout].table});
    }
    code->Publish(ranges.data(), ranges.size());
  }
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace jprof
