#include "recording/stack_constants.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/memory_reserve.h"
#include "base/placeholders.h"
#include "recording/class_constants.h"

namespace jprof {
namespace {

// Descriptor of native frames; an empty one breaks `jfr print`.
constexpr char kNativeDescriptor[] = "()L;";
constexpr char kKernelDescriptor[] = "(Lk;)L;";
// Native frames have no bytecode: a byte in the file, where -1 has five.
constexpr int32_t kNoBytecode = 0;

jmethodID MethodOf(const Frame& frame) {
  return reinterpret_cast<jmethodID>(static_cast<uintptr_t>(frame.id));
}

bool IsJava(const Frame& frame) { return frame.kind <= FrameKind::kJavaNative; }

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

// Frames of one method have one identity; which frame it is does not matter.
uint64_t MethodIdentity(const Frame& frame) {
  enum class Of : uint64_t { kJava, kNative, kKernel, kOutcome };
  const Of of = IsJava(frame)                      ? Of::kJava
                : HasAddress(frame)                ? Of::kNative
                : frame.kind == FrameKind::kKernel ? Of::kKernel
                                                   : Of::kOutcome;
  return frame.id << 2 | static_cast<uint64_t>(of);
}

// sleep, and sleep0 or sleepNanos0 from JDK 21 on.
bool IsThreadSleep(const MethodInfo& method) {
  return method.declaring->name == "java/lang/Thread" && method.name.rfind("sleep", 0) == 0;
}

}  // namespace

void StackConstants::KeepNamesOfPreserved() {
  traces_.ForEachPreserved([this](TraceId, const CallTrace& trace) {
    for (uint32_t i = 0; i < trace.frame_count; ++i) {
      const Frame& frame = trace.frames()[i];
      if (IsJava(frame)) methods_.Keep(MethodOf(frame));
      if (HasAddress(frame)) natives_.Keep(Pc{frame.id});
    }
  });
}

uint32_t StackConstants::KeyOf(TraceId id) {
  const auto [entry, is_new] = keys_.try_emplace(Value(id), 0);
  if (!is_new) return entry->second;
  entry->second = pools_.NewStackTraceKey();
  if (id == kNoTrace) {
    SetMarker(entry->second, Text(Placeholder::kBeforeFirstSample));
    return entry->second;
  }
  const CallTrace* trace = traces_.Find(id);
  if (trace == nullptr) {
    SetMarker(entry->second, Text(Placeholder::kStackNoLongerStored));
    return entry->second;
  }
  bool innermost = true;
  for (uint32_t i = 0; i < trace->frame_count; ++i) {
    const Frame& frame = trace->frames()[i];
    if (IsJava(frame)) {
      const MethodInfo& method = methods_.Of(MethodOf(frame));
      if (std::exchange(innermost, false) && IsThreadSleep(method)) sleeping_.insert(entry->second);
    }
    if (HasAddress(frame)) natives_.Note(Pc{frame.id});
  }
  without_content_.emplace_back(trace, entry->second);
  return entry->second;
}

uint32_t StackConstants::KeyOfLost(LostReason reason) {
  uint32_t& key = lost_keys_[static_cast<size_t>(reason)];
  if (key == 0) {
    key = pools_.NewStackTraceKey();
    SetMarker(key, "[lost: " + std::string(Text(reason)) + "]");
  }
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
  const auto entry = std::ranges::lower_bound(without_content_, key, {},
                                              [](const auto& stack) { return stack.second; });
  if (entry == without_content_.end() || entry->second != key) return {};
  natives_.Resolve();
  std::vector<NamedFrame> frames;
  for (uint32_t i = 0; i < entry->first->frame_count; ++i) {
    frames.push_back(Name(entry->first->frames()[i]));
  }
  return frames;
}

NamedFrame StackConstants::Name(const Frame& frame) {
  if (IsJava(frame)) {
    const MethodInfo& method = methods_.Of(MethodOf(frame));
    return {method.declaring->name, method.name, method.LineAt(frame.bci), TypeOf(frame.kind)};
  }
  if (frame.kind == FrameKind::kOutcome) {
    return {kMarkerClass, FrameName(static_cast<WalkOutcome>(frame.id)), kUnknownLine,
            TypeOf(frame.kind)};
  }
  const NativeName& name =
      HasAddress(frame) ? natives_.Of(Pc{frame.id}) : natives_.OfKernel(Pc{frame.id});
  return {name.library, name.symbol, kUnknownLine, TypeOf(frame.kind)};
}

void StackConstants::WriteContents() {
  natives_.Resolve();
  NumberMethods();
  std::vector<FrameConstant> frames;
  for (const auto& [trace, key] : without_content_) {
    if (MemoryIsShort()) return;
    frames.clear();
    for (uint32_t i = 0; i < trace->frame_count; ++i) {
      frames.push_back(Describe(trace->frames()[i]));
    }
    const Truncated truncated = trace->truncated ? Truncated::kYes : Truncated::kNo;
    pools_.SetStackTrace(key, truncated, frames);
  }
  without_content_.clear();
}

// Keys are given in ascending order, and the smallest take a byte less in each frame that has them.
void StackConstants::NumberMethods() {
  struct Use {
    Frame frame;
    uint32_t count = 0;
  };
  std::unordered_map<uint64_t, Use> uses;
  for (const auto& [trace, key] : without_content_) {
    if (MemoryIsShort()) return;
    for (uint32_t i = 0; i < trace->frame_count; ++i) {
      const Frame& frame = trace->frames()[i];
      Use& use = uses[MethodIdentity(frame)];
      use.frame = frame;
      ++use.count;
    }
  }
  std::vector<const Use*> often_first;
  for (const auto& [identity, use] : uses) often_first.push_back(&use);
  std::ranges::sort(often_first, std::greater(), &Use::count);
  for (const Use* use : often_first) MethodKeyOf(use->frame);
}

FrameConstant StackConstants::Describe(const Frame& frame) {
  const uint32_t method = MethodKeyOf(frame);
  if (!IsJava(frame)) return {method, kUnknownLine, kNoBytecode, TypeOf(frame.kind)};
  const int32_t line = methods_.Of(MethodOf(frame)).LineAt(frame.bci);
  return {method, line, frame.bci, TypeOf(frame.kind)};
}

uint32_t StackConstants::MethodKeyOf(const Frame& frame) {
  uint32_t& key = method_keys_[MethodIdentity(frame)];
  if (key == 0) key = NewMethodKey(frame);
  return key;
}

uint32_t StackConstants::NewMethodKey(const Frame& frame) {
  if (IsJava(frame)) return JavaKey(methods_.Of(MethodOf(frame)));
  if (HasAddress(frame)) return NativeKey(natives_.Of(Pc{frame.id}), kNativeDescriptor);
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
