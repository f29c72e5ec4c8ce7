#include "native/walk_probe/fuzz_task.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "sigsafe/os/clock.h"
#include "sigsafe/stack/native_frames.h"

namespace jprof::test {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kSlotBytes = Scratch::kStackBytes + Scratch::kThreadBytes + 2 * kPage;
constexpr size_t kRoot = 0;
constexpr size_t kFull = 1;
constexpr size_t kBroken = 2;
constexpr StackMode kModes[] = {StackMode::kVm, StackMode::kVmx, StackMode::kFp, StackMode::kNo};
constexpr const char* kWalkerNames[] = {"vm", "vmx", "fp", "no", "native only"};

thread_local uint64_t t_walk = 0;

Scratch ScratchOf(uint8_t* start, size_t slot) {
  uint8_t* const stack = start + slot * kSlotBytes;
  return {stack, stack + Scratch::kStackBytes + kPage};
}

bool AreFrames(const Frame* frames, uint32_t count, uint32_t depth) {
  if (count > depth) return false;
  return std::all_of(frames, frames + count,
                     [](const Frame& frame) { return frame.kind <= FrameKind::kOutcome; });
}

}  // namespace

uint64_t WalkUnderWay() { return t_walk; }

std::unique_ptr<FuzzTask> FuzzTask::Make(const HotspotLayout& vm, uint64_t seed, uint64_t walks) {
  Result<Pages> pages = Pages::Reserve(kSlotBytes * WalkBuffers::kBuffers);
  if (!pages) return nullptr;
  auto* const start = static_cast<uint8_t*>(pages.value().Leak().data);
  for (size_t slot = 0; slot < WalkBuffers::kBuffers; ++slot) {
    const Scratch scratch = ScratchOf(start, slot);
    mprotect(scratch.stack + Scratch::kStackBytes, kPage, PROT_NONE);
    mprotect(scratch.thread + Scratch::kThreadBytes, kPage, PROT_NONE);
  }
  return std::unique_ptr<FuzzTask>(new FuzzTask(vm, seed, walks, start));
}

void FuzzTask::Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) {
  if (IsDone()) return;
  AlteredThread thread(vm_, jni_env, context, ScratchOf(scratch_, buffer.slot));
  const uint64_t first = begun_.fetch_add(kBatch, std::memory_order_relaxed);
  for (uint64_t i = 0; i < kBatch; ++i) WalkOnce(first + i, thread, buffer);
}

void FuzzTask::WalkOnce(uint64_t index, AlteredThread& thread, WalkBuffer buffer) {
  t_walk = index;
  Random random(seed_ + index * 0x2545f4914f6cdd1d);
  const uint32_t depths[] = {1, 2, 7, 64, buffer.depth, buffer.depth};
  buffer.depth = depths[random.Below(sizeof depths / sizeof depths[0])];
  buffer.root_depth = random.Once(2) ? 0 : static_cast<uint32_t>(random.Below(buffer.depth));
  // One of 64 walks is on an unaltered thread.
  const size_t what = random.Once(64) ? 0 : 1 + random.Below(kAlterations - 1);
  const size_t walker = random.Below(kWalkers);
  thread.Alter(static_cast<Alteration>(what), random);
  const Nanos start_ns = ThreadCpuNanos();
  const size_t end = EndOf(walker, thread, buffer);
  const auto nanos = static_cast<uint64_t>(ThreadCpuNanos() - start_ns);
  thread.Restore();
  by_walker_[walker].fetch_add(1, std::memory_order_relaxed);
  ends_[what][end].fetch_add(1, std::memory_order_relaxed);
  const auto time = std::min<size_t>(kTimes - 1, std::bit_width(nanos));
  times_[time].fetch_add(1, std::memory_order_relaxed);
  uint64_t slowest = slowest_.load(std::memory_order_relaxed);
  while (nanos > slowest &&
         !slowest_.compare_exchange_weak(slowest, nanos, std::memory_order_relaxed)) {
  }
}

size_t FuzzTask::EndOf(size_t walker, const AlteredThread& thread, const WalkBuffer& buffer) {
  FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth);
  WalkEnd end = WalkEnd::kRoot;
  if (walker < sizeof kModes / sizeof kModes[0]) {
    const WalkUntil until = buffer.depth % 3 == 0 ? WalkUntil::kMount : WalkUntil::kThreadEntry;
    end = WalkInterrupted(vm_, kModes[walker], until, thread.jni_env(), thread.context(), &sink);
  } else {
    const StackMode mode = buffer.depth % 2 == 0 ? StackMode::kVmx : StackMode::kFp;
    NativeFrames native(NativeCode::OfProcess(), mode, {}, LoadFaults::kCaught, {});
    native.BeginInterrupted(NativeRegistersOf(thread.context()), thread.context());
    NativeStep step = native.Step();
    while (step == NativeStep::kFrame && sink.Push(native.frame())) step = native.Step();
    if (step == NativeStep::kFrame) end = WalkEnd::kFull;
    if (step == NativeStep::kLost) {
      end = sink.Push(OutcomeFrame(WalkOutcome::kBrokenNative)) ? WalkEnd::kBroken : WalkEnd::kFull;
    }
  }
  const uint32_t count = sink.Finish();
  if (!AreFrames(buffer.frames, count, buffer.depth) || (end == WalkEnd::kBroken && count == 0)) {
    wrong_.fetch_add(1, std::memory_order_relaxed);
    return kFull;
  }
  if (end != WalkEnd::kBroken) return end == WalkEnd::kRoot ? kRoot : kFull;
  const Frame& last = buffer.frames[count - 1];
  if (last.kind != FrameKind::kOutcome || last.id >= kWalkOutcomeCount) {
    wrong_.fetch_add(1, std::memory_order_relaxed);
    return kFull;
  }
  return kBroken + last.id;
}

std::string FuzzTask::Text() const {
  std::string text;
  char line[200];
  const auto add = [&](const char* name, const char* key, uint64_t count) {
    if (count == 0) return;
    snprintf(line, sizeof line, "fuzz.%s %s=%llu\n", name, key,
             static_cast<unsigned long long>(count));
    text += line;
  };
  snprintf(line, sizeof line, "fuzz.walks=%llu\nfuzz.wrong=%llu\n",
           static_cast<unsigned long long>(begun_.load()),
           static_cast<unsigned long long>(wrong_.load()));
  text += line;
  snprintf(line, sizeof line, "fuzz.slowest_ns=%llu\n",
           static_cast<unsigned long long>(slowest_.load()));
  text += line;
  for (size_t i = 0; i < kWalkers; ++i) add("walker", kWalkerNames[i], by_walker_[i]);
  for (size_t what = 0; what < kAlterations; ++what) {
    for (size_t end = 0; end < kEnds; ++end) {
      const std::string key = std::string(kAlterationLabels[what]) + ": " +
                              (end == kRoot   ? "[root]"
                               : end == kFull ? "[full]"
                                              : FrameName(static_cast<WalkOutcome>(end - kBroken)));
      add("altered", key.c_str(), ends_[what][end]);
    }
  }
  for (size_t i = 0; i < kTimes; ++i) {
    snprintf(line, sizeof line, "ns below %llu", 1ULL << i);
    add("took", std::string(line).c_str(), times_[i]);
  }
  return text;
}

}  // namespace jprof::test
