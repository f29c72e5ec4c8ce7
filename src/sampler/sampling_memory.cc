#include "sampler/sampling_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "walking/walking.h"

namespace jprof {
namespace {

// 1/kSampleShare of the memory is for samples that the recorder has not taken yet; the rest is for
// stacks.
constexpr size_t kSampleShare = 8;

size_t BlocksIn(size_t bytes) {
  const size_t blocks = bytes / SampleBlocks::RegionSize(64) * 64;
  return std::clamp<size_t>(blocks, 64, SampleBlocks::kMaxBlocks);
}

}  // namespace

Result<std::unique_ptr<SamplingMemory>> SamplingMemory::Reserve(const Plan& plan,
                                                                ThreadSlots& slots) {
  const Status buffers = Walking::ReserveBuffers(plan.max_depth, plan.root_depth);
  if (!buffers) return buffers.error();
  const size_t blocks = BlocksIn(plan.memory_bytes / kSampleShare);
  const size_t sample_bytes = SampleBlocks::RegionSize(blocks);
  Result<Pages> samples = Pages::Reserve(sample_bytes);
  if (!samples) return samples.error();
  Result<Pages> names = Pages::Reserve(VirtualThreadNames::kRegionSize);
  if (!names) return names.error();
  Result<std::unique_ptr<CallTraceRotation>> traces = CallTraceRotation::Create(
      Sampling().traces, slots, plan.memory_bytes - plan.memory_bytes / kSampleShare);
  if (!traces) return traces.error();
  return std::unique_ptr<SamplingMemory>(new SamplingMemory(plan, slots, std::move(traces).value(),
                                                            std::move(samples).value(), blocks,
                                                            std::move(names).value()));
}

SamplingMemory::SamplingMemory(const Plan& plan, ThreadSlots& slots,
                               std::unique_ptr<CallTraceRotation> traces, Pages sample_pages,
                               size_t blocks, Pages name_pages)
    : plan_(plan),
      slots_(slots),
      traces_(std::move(traces)),
      sample_pages_(std::move(sample_pages)),
      samples_(sample_pages_.region(), blocks),
      name_pages_(std::move(name_pages)),
      names_(name_pages_.region()) {}

size_t SamplingMemory::ResidentBytes() const {
  return sample_pages_.ResidentBytes() + name_pages_.ResidentBytes() + traces_->ResidentBytes();
}

void SamplingMemory::Activate() {
  SamplingState& state = Sampling();
  JPROF_CHECK(!state.traces.active());
  state.run = plan_.run;
  state.start_ns = MonotonicNanos();
  state.window.OpenPermanently();
  for (const SampleKindRow& row : kSampleKinds) state.SetInterval(row.kind, 0);
  state.unknown_threads.store(plan_.priming.Has(PrimingPath::kClaim) ? UnknownThreads::kClaimSlot
                                                                     : UnknownThreads::kStayUnknown,
                              std::memory_order_relaxed);
  state.samples = &samples_;
  state.names = &names_;
  traces_->Activate();
}

bool SamplingMemory::Deactivate() {
  if (!traces_->Deactivate()) return false;
  // The slots have to forget their blocks, because the blocks of the next run might have the same
  // addresses.
  for (uint32_t i = 0; i < slots_.HighWater(); ++i) {
    for (auto& block : slots_.At(i)->sample_block) {
      block.store(nullptr, std::memory_order_relaxed);
    }
  }
  return true;
}

void SamplingMemory::Abandon(std::unique_ptr<SamplingMemory> memory) {
  static auto* const abandoned = new std::vector<std::unique_ptr<SamplingMemory>>;
  abandoned->push_back(std::move(memory));
}

}  // namespace jprof
