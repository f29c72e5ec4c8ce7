#include "session/sampling_memory.h"

#include <ctime>
#include <utility>
#include <vector>

#include "sigsafe/os/clock.h"
#include "sigsafe/stack/walk_buffers.h"

namespace jprof {
namespace {

// Address space; pages cost RAM as stacks are stored. 2^18 distinct stacks, 256 bytes each.
constexpr size_t kSlotBytes = (size_t{1} << 18) * sizeof(void*);
constexpr size_t kArenaBytes = size_t{64} << 20;

Status PrepareWalkBuffers(uint32_t depth) {
  WalkBuffers* current = WalkBuffers::Active();
  if (current == nullptr || current->capacity() < depth) {
    Result<Pages> pages = Pages::Reserve(WalkBuffers::RegionSize(depth));
    if (!pages) return pages.error();
    // No set is ever freed: a preempted handler may still be writing to it.
    static auto* const all_sets = new std::vector<WalkBuffers*>;
    current = new WalkBuffers(pages.value().Leak(), depth);
    all_sets->push_back(current);
    WalkBuffers::Install(current);
  }
  current->SetDepth(depth);
  return {};
}

}  // namespace

Result<std::unique_ptr<SamplingMemory>> SamplingMemory::Reserve(const Plan& plan) {
  const Status buffers = PrepareWalkBuffers(plan.max_depth);
  if (!buffers) return buffers.error();
  Result<Pages> slots = Pages::Reserve(kSlotBytes);
  if (!slots) return slots.error();
  Result<Pages> arena = Pages::Reserve(kArenaBytes);
  if (!arena) return arena.error();
  Result<Pages> ring = Pages::Reserve(SampleRing::kRegionSize);
  if (!ring) return ring.error();
  return std::unique_ptr<SamplingMemory>(new SamplingMemory(
      plan, std::move(slots).value(), std::move(arena).value(), std::move(ring).value()));
}

SamplingMemory::SamplingMemory(const Plan& plan, Pages slots, Pages arena, Pages ring)
    : slots_(std::move(slots)),
      arena_(std::move(arena)),
      ring_(std::move(ring)),
      state_(plan.session, MonotonicNanos(), plan.wall_interval_ns, slots_.region(),
             arena_.region(), ring_.region()) {}

void SamplingMemory::Activate() { ActiveSampling().store(&state_, std::memory_order_seq_cst); }

void SamplingMemory::Deactivate(ThreadRecords& records) {
  ActiveSampling().exchange(nullptr, std::memory_order_seq_cst);
  constexpr timespec kPause{0, 100'000};
  for (uint32_t i = 0; i < records.HighWater(); ++i) {
    while (IsHeld(records.At(i)->guards, &state_)) nanosleep(&kPause, nullptr);
  }
}

}  // namespace jprof
