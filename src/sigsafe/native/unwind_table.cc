#include "sigsafe/native/unwind_table.h"

#include <algorithm>

namespace jprof {
namespace {

constexpr UnwindRule kNoRule;

}  // namespace

const UnwindRule& UnwindTable::Find(uint64_t offset) const {
  if (offset >= arrays_.code_size) return kNoRule;
  const uint64_t block = offset / kBlockSize;
  const auto place = static_cast<uint32_t>(offset % kBlockSize);
  // Searches the block's at most kBlockSize rows for the first row after `offset`.
  uint32_t low = arrays_.first_rows[block];
  uint32_t high = std::min(arrays_.first_rows[block + 1], arrays_.row_count);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (arrays_.rows[middle] >> kRuleBits <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 || low > arrays_.row_count) return kNoRule;
  const uint32_t rule = arrays_.rows[low - 1] & (kMaxRules - 1);
  return rule < arrays_.rule_count ? arrays_.rules[rule] : kNoRule;
}

}  // namespace jprof
