#include "chunks/stack_constants.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/memory_reserve.h"
#include "base/placeholders.h"
#include "chunks/class_constants.h"
#include "sigsafe/base/split_mix.h"
#include "sigsafe/hotspot/java_method.h"

namespace jprof {
namespace {

// The descriptor of native frames; an empty one breaks `jfr print`.
constexpr char kNativeDescriptor[] = "()L;";
constexpr char kKernelDescriptor[] = "(Lk;)L;";
// Native frames have no bytecode index. 0 takes one byte in the file, -1 would take five.
constexpr int32_t kNoBytecode = 0;

bool HasAddress(const Frame& frame) {
  return frame.kind == FrameKind::kNative || frame.kind == FrameKind::kStub;
}

FrameType TypeOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kInterpreted:
      return FrameType::kInterpreted;
    case FrameKind::kC1Compiled:
      return FrameType::kC1Compiled;
    case FrameKind::kC2Compiled:
      return FrameType::kJitCompiled;
    case FrameKind::kInlined:
      return FrameType::kInlined;
    case FrameKind::kJava:
      return FrameType::kJava;
    case FrameKind::kStub:
      return FrameType::kCpp;
    case FrameKind::kKernel:
      return FrameType::kKernel;
    case FrameKind::kJavaNative:
    case FrameKind::kNative:
    case FrameKind::kOutcome:
    case FrameKind::kContext:
      break;
  }
  return FrameType::kNative;
}

// True if callers after this outcome were not found, and not just because native frames are missing.
bool LacksCallers(WalkOutcome outcome) {
  return outcome != WalkOutcome::kBrokenNative && IsGap(FrameName(outcome));
}

// True for Thread.sleep, and for sleep0 and sleepNanos0, which exist from JDK 21 on.
bool IsThreadSleep(const MethodInfo& method) {
  return method.declaring->name == "java/lang/Thread" && method.name.rfind("sleep", 0) == 0;
}

}  // namespace

const MethodInfo& NameOfMethod(const CallTraceRotation& traces, MethodNames& methods,
                               const Frame& frame) {
  if (const MethodInfo* known = methods.FindNew(frame.id)) return *known;
  const MethodRecord* record = IsMethodId(frame.id) ? traces.FindMethod(frame.id) : nullptr;
  return record == nullptr ? methods.Of(frame.id) : methods.Learn(*record);
}

void KeepNames(const CallTraceRotation& traces, MethodNames& methods, const CallTrace& stack) {
  for (uint32_t i = 0; i < stack.frame_count; ++i) {
    const Frame& frame = stack.frames()[i];
    if (IsJava(frame)) NameOfMethod(traces, methods, frame);
  }
}

size_t StackConstants::FrameHash::operator()(const Frame& frame) const {
  return SplitMix(frame.id ^ static_cast<uint64_t>(frame.bci) << 32 ^
                  static_cast<uint64_t>(frame.kind));
}

void StackConstants::KeepNamesOfPreserved() {
  traces_.ForEachPreserved([this](CallTraceId, const CallTrace& trace) {
    for (uint32_t i = 0; i < trace.frame_count; ++i) {
      const Frame& frame = trace.frames()[i];
      if (IsJava(frame)) methods_.Keep(frame.id);
      if (HasAddress(frame)) natives_.Keep(Pc{frame.id});
    }
  });
}

uint32_t StackConstants::KeyOf(CallTraceId id, Nanos time_ns) {
  const uint64_t era = natives_.EraAt(time_ns);
  const auto [entry, is_new] = stacks_.try_emplace(Value(id));
  DatedStack& last = entry->second;
  if (is_new) {
    last = MakeStack(id, era, time_ns);
  } else if (last.era != era) {
    TakeVersionOf(id, era, time_ns, last);
  }
  return last.key;
}

StackConstants::DatedStack StackConstants::MakeStack(CallTraceId id, uint64_t era, Nanos time_ns) {
  const DatedStack made{pools_.NewStackTraceKey(), era, time_ns};
  if (id == kNoCallTrace) {
    SetMarker(made.key, Text(Placeholder::kBeforeFirstSample));
    return made;
  }
  const CallTrace* trace = traces_.Find(id);
  if (trace == nullptr) {
    SetMarker(made.key, Text(Placeholder::kStackNoLongerStored));
    return made;
  }
  bool innermost = true;
  bool has_gap = false;
  for (uint32_t i = 0; i < trace->frame_count; ++i) {
    const Frame& frame = trace->frames()[i];
    if (IsJava(frame)) {
      const MethodInfo& method = NameOfMethod(traces_, methods_, frame);
      if (std::exchange(innermost, false) && IsThreadSleep(method)) sleeping_.insert(made.key);
      has_gap = has_gap || IsGap(method.name);
    }
    if (HasAddress(frame)) natives_.Note(Pc{frame.id}, time_ns);
    if (frame.kind == FrameKind::kOutcome) {
      has_gap = has_gap || LacksCallers(static_cast<WalkOutcome>(frame.id));
    }
  }
  if (has_gap) with_gaps_.insert(made.key);
  without_content_.push_back({trace, made.key, time_ns});
  return made;
}

// Makes `last` the version of the stack for the code at `time_ns`. Called if code has been loaded
// or unloaded since the stack was last seen. Usually `last` stays unchanged, because the code that
// was loaded or unloaded is at none of the stack's addresses.
void StackConstants::TakeVersionOf(CallTraceId id, uint64_t era, Nanos time_ns, DatedStack& last) {
  const CallTrace* trace = id == kNoCallTrace ? nullptr : traces_.Find(id);
  if (trace != nullptr && !IsSameCode(*trace, last.time_ns, time_ns)) {
    const auto [begin, end] = versions_.equal_range(Value(id));
    const auto seen = std::find_if(begin, end, [&](const auto& version) {
      return IsSameCode(*trace, version.second.time_ns, time_ns);
    });
    if (seen != end) {
      std::swap(last, seen->second);
    } else {
      versions_.emplace(Value(id), std::exchange(last, MakeStack(id, era, time_ns)));
    }
  }
  last.era = era;
}

bool StackConstants::IsSameCode(const CallTrace& trace, Nanos one_ns, Nanos other_ns) {
  return std::all_of(trace.frames(), trace.frames() + trace.frame_count, [&](const Frame& frame) {
    return !HasAddress(frame) || natives_.IsSame(Pc{frame.id}, one_ns, other_ns);
  });
}

uint32_t StackConstants::KeyOfLost(LostReason reason) {
  uint32_t& key = lost_keys_[static_cast<size_t>(reason)];
  if (key == 0) {
    key = pools_.NewStackTraceKey();
    SetMarker(key, "[lost: " + std::string(LossText(reason)) + "]");
  }
  return key;
}

uint32_t StackConstants::NewMarker(Placeholder marker) {
  const uint32_t key = pools_.NewStackTraceKey();
  SetMarker(key, Text(marker));
  return key;
}

void StackConstants::SetMarker(uint32_t key, std::string_view text) {
  const FrameConstant frame{MarkerKey(text), kUnknownLine, kNoBytecode, FrameType::kNative};
  pools_.SetStackTrace(key, Truncated::kNo, {&frame, 1});
  markers_.emplace(key, text);
}

std::vector<NamedFrame> StackConstants::FramesOf(uint32_t key) {
  if (const auto marker = markers_.find(key); marker != markers_.end()) {
    return {{kMarkerClass, marker->second, kUnknownLine, FrameType::kNative}};
  }
  const auto stack = std::ranges::lower_bound(without_content_, key, {}, &Unwritten::key);
  if (stack == without_content_.end() || stack->key != key) return {};
  natives_.Resolve();
  std::vector<NamedFrame> frames;
  for (uint32_t i = 0; i < stack->trace->frame_count; ++i) {
    frames.push_back(Name(stack->trace->frames()[i], stack->time_ns));
  }
  return frames;
}

NamedFrame StackConstants::Name(const Frame& frame, Nanos time_ns) {
  if (IsJava(frame)) {
    const MethodInfo& method = NameOfMethod(traces_, methods_, frame);
    return {method.declaring->name, method.name, method.LineAt(frame.bci), TypeOf(frame.kind)};
  }
  if (frame.kind == FrameKind::kOutcome) {
    return {kMarkerClass, FrameName(static_cast<WalkOutcome>(frame.id)), kUnknownLine,
            TypeOf(frame.kind)};
  }
  const NativeName& name =
      HasAddress(frame) ? natives_.Of(Pc{frame.id}, time_ns) : natives_.OfKernel(Pc{frame.id});
  return {name.library, name.symbol, kUnknownLine, TypeOf(frame.kind)};
}

void StackConstants::WriteContents() {
  natives_.Resolve();
  NumberMethods();
  std::vector<FrameConstant> frames;
  for (const auto& [trace, key, time_ns] : without_content_) {
    if (MemoryIsShort()) return;
    frames.clear();
    for (uint32_t i = 0; i < trace->frame_count; ++i) {
      frames.push_back(Describe(trace->frames()[i], time_ns));
    }
    const Truncated truncated = trace->truncated ? Truncated::kYes : Truncated::kNo;
    pools_.SetStackTrace(key, truncated, frames);
  }
  without_content_.clear();
}

// Gives the smallest keys to the most frequent methods: small keys take a byte less in each frame.
void StackConstants::NumberMethods() {
  struct Use {
    Frame frame;
    Nanos time_ns = 0;
    uint32_t count = 0;
  };
  std::unordered_map<uint64_t, Use> uses;
  for (const auto& [trace, key, time_ns] : without_content_) {
    if (MemoryIsShort()) return;
    for (uint32_t i = 0; i < trace->frame_count; ++i) {
      const Frame& frame = trace->frames()[i];
      Use& use = uses[MethodIdentity(frame, time_ns)];
      use.frame = frame;
      use.time_ns = time_ns;
      ++use.count;
    }
  }
  std::vector<const Use*> often_first;
  for (const auto& [identity, use] : uses) often_first.push_back(&use);
  std::ranges::sort(often_first, std::greater(), &Use::count);
  for (const Use* use : often_first) MethodKeyOf(use->frame, use->time_ns);
}

// Returns the same identity for all frames of a method. Native code is identified by its address
// or, once any address has had several names, by its name.
uint64_t StackConstants::MethodIdentity(const Frame& frame, Nanos time_ns) {
  if (IsJava(frame)) return frame.id;
  enum class Of : uint64_t { kAddress, kKernel, kOutcome, kName };
  // A bit that only ids of Java methods with bit 63 have, and those that the identity keeps of an
  // address in the process or in the kernel.
  constexpr uint64_t kNotJava = uint64_t{1} << 62;
  constexpr int kAddressBits = 48;
  Of of = HasAddress(frame)                  ? Of::kAddress
          : frame.kind == FrameKind::kKernel ? Of::kKernel
                                             : Of::kOutcome;
  uint64_t id = frame.id;
  if (of == Of::kAddress && natives_.has_reused_addresses()) {
    of = Of::kName;
    id = reinterpret_cast<uint64_t>(&natives_.Of(Pc{frame.id}, time_ns));
  }
  return kNotJava | static_cast<uint64_t>(of) << kAddressBits |
         (id & ((uint64_t{1} << kAddressBits) - 1));
}

FrameConstant StackConstants::Describe(const Frame& frame, Nanos time_ns) {
  if (!IsJava(frame)) {
    return {MethodKeyOf(frame, time_ns), kUnknownLine, kNoBytecode, TypeOf(frame.kind)};
  }
  const auto [entry, is_new] = java_frames_.try_emplace(frame);
  if (is_new) {
    const int32_t line = NameOfMethod(traces_, methods_, frame).LineAt(frame.bci);
    entry->second = {MethodKeyOf(frame, time_ns), line, frame.bci, TypeOf(frame.kind)};
  }
  return entry->second;
}

uint32_t StackConstants::MethodKeyOf(const Frame& frame, Nanos time_ns) {
  uint32_t& key = method_keys_[MethodIdentity(frame, time_ns)];
  if (key == 0) key = NewMethodKey(frame, time_ns);
  return key;
}

uint32_t StackConstants::NewMethodKey(const Frame& frame, Nanos time_ns) {
  if (IsJava(frame)) return JavaKey(NameOfMethod(traces_, methods_, frame));
  if (HasAddress(frame)) return NativeKey(natives_.Of(Pc{frame.id}, time_ns), kNativeDescriptor);
  if (frame.kind == FrameKind::kKernel) {
    return NativeKey(natives_.OfKernel(Pc{frame.id}), kKernelDescriptor);
  }
  return MarkerKey(FrameName(static_cast<WalkOutcome>(frame.id)));
}

uint32_t StackConstants::NativeKey(const NativeName& name, std::string_view descriptor) {
  MethodConstant method;
  method.class_key = pools_.Class({.name = name.library});
  method.name = name.symbol;
  method.descriptor = descriptor;
  return pools_.Method(method);
}

uint32_t StackConstants::MarkerKey(std::string_view name) {
  return NativeKey({kMarkerClass, std::string(name)}, kNativeDescriptor);
}

uint32_t StackConstants::JavaKey(const MethodInfo& info) {
  MethodConstant method;
  method.class_key = ClassKey(*info.declaring, pools_);
  const std::string_view source_file = info.declaring->source_file;
  if (!source_file.empty()) source_files_.emplace(method.class_key, source_file);
  method.name = info.name;
  method.descriptor = info.descriptor;
  method.modifiers = info.modifiers;
  return pools_.Method(method);
}

}  // namespace jprof
