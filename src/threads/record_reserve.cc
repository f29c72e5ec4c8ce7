#include "threads/record_reserve.h"

#include <algorithm>
#include <utility>

namespace jprof {

Result<RecordReserve*> RecordReserve::Create() {
  Result<Pages> pages = Pages::Reserve(ThreadRecords::kRegionSize);
  if (!pages) return pages.error();
  return new RecordReserve(std::move(pages).value());
}

// Twice as far as is needed, so that most calls find nothing to do.
void RecordReserve::KeepAhead() {
  const size_t needed = std::min(records_.HighWater() + kAhead, ThreadRecords::kCapacity);
  if (populated_ >= needed) return;
  const size_t until = std::min(needed + kAhead, ThreadRecords::kCapacity);
  pages_.Populate(populated_ * sizeof(ProfiledThread), until * sizeof(ProfiledThread));
  populated_ = until;
}

}  // namespace jprof
