#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// Stored with release by SetThreadSlots, loaded with acquire by handlers.
std::atomic<ThreadSlots*> g_slots{nullptr};

std::atomic<uint64_t> g_lost_without_thread[kSampleKindCount];
std::atomic<uint64_t> g_outside_windows[kSampleKindCount];
std::atomic<uint64_t> g_samples_without_root[kSampleKindCount];

}  // namespace

constinit SamplingState g_sampling;

void SetThreadSlots(ThreadSlots* slots) { g_slots.store(slots, std::memory_order_release); }

ThreadSlots* GetThreadSlots() { return g_slots.load(std::memory_order_acquire); }

std::atomic<uint64_t>& LostWithoutThread(SampleKind kind) {
  return g_lost_without_thread[static_cast<size_t>(kind)];
}

std::atomic<uint64_t>& OutsideWindows(SampleKind kind) {
  return g_outside_windows[static_cast<size_t>(kind)];
}

std::atomic<uint64_t>& SamplesWithoutRoot(SampleKind kind) {
  return g_samples_without_root[static_cast<size_t>(kind)];
}

}  // namespace jprof
