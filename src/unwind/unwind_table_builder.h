// UnwindTableBuilder: makes the table of one stretch of code from rules in ascending order.
//
// Not for handlers, one thread.
#pragma once

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
  Pages pages;  // hold the table; to be leaked before a handler may find it
};

class UnwindTableBuilder {
 public:
  // `code_size`: below 2^32, larger code gets no table.
  explicit UnwindTableBuilder(uint64_t code_size);

  // `rule` holds from `offset` on. Offsets must not descend; of equal ones the last counts; those
  // beyond the code are left out.
  void Add(uint64_t offset, const UnwindRule& rule);

  // The table in pages of its own, which nobody can write to any more and which stay for the life
  // of the process: a handler may be reading them at any time.
  Result<BuiltTable> Build();

 private:
  struct Hash {
    size_t operator()(const UnwindRule& rule) const;
  };
  uint32_t NumberOf(const UnwindRule& rule);
  void BeginBlocks(uint64_t count);

  const uint64_t code_size_;
  std::deque<uint32_t> rows_;         // as the table has them; hundreds of thousands, never moved
  std::vector<uint32_t> first_rows_;  // of the blocks up to the last row's
  uint32_t last_offset_ = 0;
  uint32_t last_rule_ = 0;
  std::vector<UnwindRule> rules_;
  std::unordered_map<UnwindRule, uint32_t, Hash> numbers_;
};

}  // namespace jprof
