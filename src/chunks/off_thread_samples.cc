#include "chunks/off_thread_samples.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sigsafe/sampling/context_reader.h"

namespace jprof {

void OffThreadSamples::Push(ThreadSlot& thread, const Sample& sample) {
  const std::lock_guard lock(mutex_);
  if (samples_.size() < kCapacity) {
    samples_.push_back(sample);
  } else {
    thread.AddLost(sample.kind, LostReason::kSamplesFull, sample.weight);
  }
}

std::vector<Sample> OffThreadSamples::Take(uint32_t last_epoch) {
  std::vector<Sample> taken;
  const std::lock_guard lock(mutex_);
  const auto later = std::stable_partition(
      samples_.begin(), samples_.end(),
      [last_epoch](const Sample& sample) { return Value(sample.trace) >> 32 <= last_epoch; });
  taken.assign(samples_.begin(), later);
  samples_.erase(samples_.begin(), later);
  return taken;
}

void OffThreadSamples::KeepLive(LiveCallTraces& live) const {
  const std::lock_guard lock(mutex_);
  for (const Sample& sample : samples_) {
    live.Keep(sample.trace);
    live.Keep(ContextIdOf(sample.trace, sample.context));
  }
}

void OffThreadSamples::SetLater(SampleKind kind, CountLater count) {
  const std::lock_guard lock(later_mutex_);
  later_[static_cast<size_t>(kind)] = std::move(count);
}

uint64_t OffThreadSamples::Later(SampleKind kind) const {
  const std::lock_guard lock(later_mutex_);
  const CountLater& count = later_[static_cast<size_t>(kind)];
  return count == nullptr ? 0 : count();
}

Sample SampleOfLastStack(const ThreadSlot& thread, SampleKind kind, uint64_t weight,
                         Nanos time_ns) {
  const LastStack& last = thread.LastStackOf(kind);
  const int64_t virtual_thread = last.virtual_thread.load(std::memory_order_relaxed);
  Sample sample{};
  sample.time_ns = time_ns;
  sample.trace = last.trace.load(std::memory_order_relaxed);
  sample.weight = weight;
  sample.context = last.context.load(std::memory_order_relaxed);
  sample.thread = virtual_thread != 0
                      ? SampledThread::Virtual(virtual_thread)
                      : SampledThread::Platform(thread.serial.load(std::memory_order_relaxed),
                                                thread.tid.load(std::memory_order_relaxed));
  sample.kind = kind;
  sample.SetLastStackTime(last.time_ns.load(std::memory_order_relaxed));
  return sample;
}

}  // namespace jprof
