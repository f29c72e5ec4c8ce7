#include "engines/lock/thread_waits.h"

#include <algorithm>
#include <utility>

#include "engines/lock/wait_totals.h"
#include "sigsafe/base/check.h"

namespace jprof {

ThreadWaits& ThreadWaits::OfProcess() {
  static ThreadWaits& waits = *new ThreadWaits;
  return waits;
}

void ThreadWaits::Begin(Nanos interval_ns) {
  JPROF_CHECK(interval_ns > 0);
  interval_ns_.store(interval_ns, kRelaxed);
  CountVirtualFrom(INT64_MAX);
  virtual_.Clear();
  others_.Clear();
  const std::lock_guard lock(mutex_);
  ForEachCell([this](WaitCells& cell) { Empty(cell); });
  ended_.clear();
  of_ended_ = {};
}

void ThreadWaits::Add(const ThreadSlot* thread, WaitType type, Nanos waited_ns) {
  const auto row = static_cast<size_t>(type);
  JPROF_CHECK(row < kTypes);
  if (thread == nullptr) {
    others_.Add(type, waited_ns, interval_ns(), waited_ns);
  } else {
    CellOf(*thread).sums[row].Add(waited_ns, interval_ns());
  }
}

void ThreadWaits::AddVirtual(int64_t id, WaitType type, Nanos waited_ns) {
  WaitTotals& totals = id >= first_virtual_.load(kRelaxed) ? virtual_ : others_;
  totals.Add(type, waited_ns, interval_ns(), id);
}

ThreadWaits::WaitCells& ThreadWaits::CellOf(const ThreadSlot& thread) {
  const uint32_t serial = thread.serial.load(kRelaxed);
  std::atomic<Block*>& place = blocks_[thread.index / kBlock];
  Block* block = place.load(std::memory_order_acquire);
  if (block != nullptr) {
    WaitCells& cell = (*block)[thread.index % kBlock];
    if (cell.serial.load(kRelaxed) == serial) return cell;
  }
  const std::lock_guard lock(mutex_);
  block = place.load(kRelaxed);
  if (block == nullptr) {
    block = new Block;
    place.store(block, std::memory_order_release);
  }
  WaitCells& cell = (*block)[thread.index % kBlock];
  if (cell.serial.load(kRelaxed) != serial) {
    EndCell(cell);
    cell.tid = thread.tid.load(kRelaxed);
    cell.serial.store(serial, kRelaxed);
  }
  return cell;
}

void ThreadWaits::End(const ThreadSlot& thread) {
  Block* const block = blocks_[thread.index / kBlock].load(std::memory_order_acquire);
  if (block == nullptr) return;
  WaitCells& cell = (*block)[thread.index % kBlock];
  const std::lock_guard lock(mutex_);
  if (cell.serial.load(kRelaxed) == thread.serial.load(kRelaxed)) EndCell(cell);
}

void ThreadWaits::EndCell(WaitCells& cell) {
  const OfThread last = NewOf(cell);
  if (last.serial != 0 && ended_.size() < kMostEnded) ended_.push_back(last);
  Empty(cell);
}

void ThreadWaits::Empty(WaitCells& cell) {
  for (size_t i = 0; i < kTypes; ++i) {
    of_ended_[i].Add(cell.sums[i].Read());
    cell.sums[i].Clear();
  }
  cell.written = {};
  cell.serial.store(0, kRelaxed);
}

ThreadWaits::OfThread ThreadWaits::NewOf(WaitCells& cell) {
  OfThread result{cell.serial.load(kRelaxed), cell.tid, {}};
  bool has_waited = false;
  for (size_t i = 0; i < kTypes; ++i) {
    const WaitSums now = cell.sums[i].Read();
    WaitSum& written = cell.written[i];
    result.sums[i] = {now.waits - written.waits, now.total_ns - written.total_ns};
    written = {now.waits, now.total_ns};
    has_waited |= result.sums[i].waits != 0;
  }
  return has_waited ? result : OfThread{};
}

WaitSums ThreadWaits::Of(WaitType type) const {
  WaitSums sums = virtual_.Of(type);
  sums.Add(others_.Of(type));
  const auto row = static_cast<size_t>(type);
  const std::lock_guard lock(mutex_);
  sums.Add(of_ended_[row]);
  ForEachCell([&](const WaitCells& cell) { sums.Add(cell.sums[row].Read()); });
  return sums;
}

std::vector<ThreadWaits::OfThread> ThreadWaits::TakeEnded() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

std::vector<ThreadWaits::OfThread> ThreadWaits::Take() {
  const std::lock_guard lock(mutex_);
  std::vector<OfThread> taken;
  ForEachCell([&taken](WaitCells& cell) {
    const OfThread sums = NewOf(cell);
    if (sums.serial != 0) taken.push_back(sums);
  });
  return taken;
}

}  // namespace jprof
