// UnwindTableBuilder builds the table of one range of code, from rules in ascending order of
// addresses.
//
// Not for signal handlers. An object is used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "os/pages.h"
#include "sigsafe/native/unwind_table.h"

namespace jprof {

struct BuiltTable {
  const UnwindTable* table;
  size_t rows;
  size_t rules;
  size_t bytes;
  Pages pages;  // contain the table; leaked before a signal handler can find it
};

class UnwindTableBuilder {
 public:
  // `code_size` is in bytes; Build fails for 2^32 and more.
  explicit UnwindTableBuilder(uint64_t code_size);

  // Adds `rule` for the code from `offset` on. Of several rules with equal offsets, the last one is
  // used. Rules with offsets beyond the code are ignored. REQUIRES: `offset` is not less than that
  // of the previous call.
  void Add(uint64_t offset, const UnwindRule& rule);

  // Returns the table in read-only pages of its own.
  Result<BuiltTable> Build();

 private:
  struct Hash {
    size_t operator()(const UnwindRule& rule) const;
  };
  uint32_t NumberOf(const UnwindRule& rule);
  uint32_t MakeNumber(const UnwindRule& rule);
  uint32_t& RecentNumber(const UnwindRule& rule);
  void BeginBlocks(uint64_t count);

  const uint64_t code_size_;
  // Rows in the table's format. A deque, because there can be hundreds of thousands of rows.
  std::deque<uint32_t> rows_;
  // The index of the first row of each block of code (unwind_table.h), up to the block of the last
  // row.
  std::vector<uint32_t> first_rows_;
  uint32_t last_offset_ = 0;
  uint32_t last_rule_ = 0;
  std::vector<UnwindRule> rules_;
  std::unordered_map<UnwindRule, uint32_t, Hash> numbers_;
  // Numbers of rules that were added before, found by a simpler hash than in numbers_. Nearly all
  // rules of a library are among a few.
  std::array<uint32_t, 256> recent_ = {};
};

}  // namespace jprof
