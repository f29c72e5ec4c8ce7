#include "sigsafe/native/native_code.h"

#include <algorithm>

#include "sigsafe/base/check.h"
#include "sigsafe/native/frame_lookup.h"

namespace jprof {
namespace {

constexpr int kMaxAttempts = 4;  // publications are milliseconds apart, a search takes nanoseconds

constinit NativeCode g_code_of_process;

}  // namespace

NativeCode& NativeCode::OfProcess() { return g_code_of_process; }

void NativeCode::Publish(const CodeRange* ranges, size_t count) {
  const uint64_t publication = begun_.load(std::memory_order_relaxed) + 1;
  begun_.store(publication, std::memory_order_relaxed);
  Array& array = arrays_[publication & 1];
  const size_t kept = std::min(count, kMaxRanges);
  for (size_t i = 1; i < kept; ++i) JPROF_CHECK(ranges[i - 1].end <= ranges[i].begin);
  for (size_t i = 0; i < kept; ++i) {
    array.begin[i].store(ranges[i].begin, std::memory_order_release);
    array.end[i].store(ranges[i].end, std::memory_order_release);
    array.table[i].store(ranges[i].table, std::memory_order_release);
    array.frame_header[i].store(ranges[i].frame_header, std::memory_order_release);
  }
  array.count.store(kept, std::memory_order_release);
  published_.store(publication, std::memory_order_release);
}

CodeRange NativeCode::Search(const Array& array, uint64_t pc) {
  size_t low = 0;
  size_t high = array.count.load(std::memory_order_acquire);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (array.begin[middle].load(std::memory_order_acquire) <= pc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return {};
  const CodeRange found = {array.begin[low - 1].load(std::memory_order_acquire),
                           array.end[low - 1].load(std::memory_order_acquire),
                           array.table[low - 1].load(std::memory_order_acquire),
                           array.frame_header[low - 1].load(std::memory_order_acquire)};
  // If Publish is filling the array at the same time, the entry might no longer be the one that the
  // search has found.
  return found.begin <= pc && pc < found.end ? found : CodeRange();
}

CodeRange NativeCode::Find(uint64_t pc) const {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const uint64_t published = published_.load(std::memory_order_acquire);
    const CodeRange found = Search(arrays_[published & 1], pc);
    if (begun_.load(std::memory_order_relaxed) <= published + 1) return found;
  }
  return {};
}

bool NativeCode::FindRule(uint64_t pc, LoadFaults faults, UnwindRule* rule) const {
  const CodeRange range = Find(pc);
  if (range.table != nullptr) {
    *rule = range.table->Find(pc - range.begin);
    return true;
  }
  if (range.frame_header == 0) return false;
  *rule = {};
  const bool is_found = FindRuleInLibrary(range.frame_header, pc, faults, rule);
  const uint32_t reads = is_found ? 1 : kReadsBeforeTables;
  if (!WantsTables()) wants_.fetch_add(reads, std::memory_order_relaxed);
  return true;
}

}  // namespace jprof
