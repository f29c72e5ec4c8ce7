// The functions of ExactSumEvents (lock_engine.h).

#include <optional>
#include <utility>
#include <vector>

#include "chunks/thread_constants.h"
#include "engines/lock/lock_engine.h"
#include "engines/lock/thread_waits.h"
#include "jfr/writer/jfr_events.h"

namespace jprof {
namespace {

constexpr auto kEnter = static_cast<size_t>(WaitType::kMonitorEnter);
constexpr auto kWait = static_cast<size_t>(WaitType::kMonitorWait);
constexpr auto kPark = static_cast<size_t>(WaitType::kPark);

// Returns the sums over all virtual threads since the start of the recording.
VirtualThreadTime TimeOf(const VirtualSums& sums) {
  const ThreadWaits& waits = ThreadWaits::OfProcess();
  const WaitSums blocked = waits.OfVirtual(WaitType::kMonitorEnter);
  const WaitSums waiting = waits.OfVirtual(WaitType::kMonitorWait);
  const WaitSums parked = waits.OfVirtual(WaitType::kPark);
  VirtualThreadTime time{};
  time.first_id = sums.first_id;
  time.started = sums.lives.begun;
  time.ended = sums.lives.ended;
  time.lifetime_ns = sums.lives.total_ns;
  time.unstarted_ns = sums.first_waits.total_ns;
  time.blocks = blocked.waits;
  time.blocked_ns = static_cast<int64_t>(blocked.total_ns);
  time.waits = waiting.waits;
  time.waiting_ns = static_cast<int64_t>(waiting.total_ns);
  time.parks = parked.waits;
  time.parked_ns = static_cast<int64_t>(parked.total_ns);
  time.sleeps = sums.sleeps.begun;
  time.sleeping_ns = sums.sleeps.total_ns;
  return time;
}

VirtualThreadTime Less(VirtualThreadTime now, const VirtualThreadTime& before) {
  now.started -= before.started;
  now.ended -= before.ended;
  now.lifetime_ns -= before.lifetime_ns;
  now.unstarted_ns -= before.unstarted_ns;
  now.blocks -= before.blocks;
  now.blocked_ns -= before.blocked_ns;
  now.waits -= before.waits;
  now.waiting_ns -= before.waiting_ns;
  now.parks -= before.parks;
  now.parked_ns -= before.parked_ns;
  now.sleeps -= before.sleeps;
  now.sleeping_ns -= before.sleeping_ns;
  return now;
}

}  // namespace

void ExactSumEvents::Start() {
  is_started_ = true;
  registry_.AddListener(this);
}

void ExactSumEvents::Stop() {
  if (std::exchange(is_started_, false)) registry_.RemoveListener(this);
}

void ExactSumEvents::Collect(const VirtualLives& lives) {
  for (const ThreadWaits::OfThread& each : ThreadWaits::OfProcess().Take()) {
    threads_.push_back(each);
  }
  const VirtualSums sums = lives.Read();
  if (sums.first_id == 0) return;
  const VirtualThreadTime now = TimeOf(sums);
  const VirtualThreadTime grown = Less(now, std::exchange(before_, now));
  if (now.started != 0) virtual_ = grown;
}

void ExactSumEvents::Write(OpenChunk& chunk) {
  const std::vector<ThreadWaits::OfThread> ended = ThreadWaits::OfProcess().TakeEnded();
  threads_.insert(threads_.end(), ended.begin(), ended.end());
  for (const ThreadWaits::OfThread& each : std::exchange(threads_, {})) {
    const auto time = [&each](size_t type) {
      return static_cast<int64_t>(each.sums[type].total_ns);
    };
    chunk.writer.Append(WaitsOfThread{chunk.now_ns, chunk.threads.KeyOf(each.serial, each.tid),
                                      each.sums[kEnter].waits, time(kEnter), each.sums[kWait].waits,
                                      time(kWait), each.sums[kPark].waits, time(kPark)});
  }
  if (!virtual_) return;
  virtual_->time_ns = chunk.now_ns;
  chunk.writer.Append(*std::exchange(virtual_, std::nullopt));
}

uint64_t ExactSumEvents::Forget() {
  const uint64_t events =
      threads_.size() + ThreadWaits::OfProcess().TakeEnded().size() + (virtual_ ? 1 : 0);
  threads_.clear();
  virtual_.reset();
  return events;
}

}  // namespace jprof
