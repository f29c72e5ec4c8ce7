#include "sigsafe/native/unwind_table.h"

namespace jprof {

const UnwindRule& UnwindTable::Find(uint64_t offset) const {
  const uint64_t block = offset / kBlockSize;
  const auto place = static_cast<uint32_t>(offset % kBlockSize);
  // The first row of the block that lies behind `offset`: of at most kBlockSize rows.
  uint32_t low = arrays_.first_rows[block];
  uint32_t high = arrays_.first_rows[block + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (arrays_.rows[middle] >> kRuleBits <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return arrays_.rules[arrays_.rows[low - 1] & (kMaxRules - 1)];
}

}  // namespace jprof
