#include "recording/stack_constants.h"

#include <string>
#include <utility>

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
      break;
  }
  return FrameType::kNative;
}

// sleep, and sleep0 or sleepNanos0 from JDK 21 on.
bool IsThreadSleep(const MethodInfo& method) {
  return method.declaring->name == "java/lang/Thread" && method.name.rfind("sleep", 0) == 0;
}

}  // namespace

uint32_t StackConstants::KeyOf(TraceId id) {
  const auto [entry, is_new] = keys_.try_emplace(Value(id), 0);
  if (!is_new) return entry->second;
  entry->second = pools_.NewStackTraceKey();
  if (id == kNoTrace) {
    SetMarker(entry->second, "[before the first sample]");
    return entry->second;
  }
  const CallTrace* trace = traces_.Find(id);
  if (trace == nullptr) {
    SetMarker(entry->second, "[stack no longer stored]");
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
  const FrameConstant frame = MarkerFrame(text);
  pools_.SetStackTrace(key, Truncated::kNo, {&frame, 1});
}

void StackConstants::WriteContents() {
  natives_.Resolve();
  std::vector<FrameConstant> frames;
  for (const auto& [trace, key] : without_content_) {
    frames.clear();
    for (uint32_t i = 0; i < trace->frame_count; ++i) frames.push_back(NameOf(trace->frames()[i]));
    const Truncated truncated = trace->truncated ? Truncated::kYes : Truncated::kNo;
    pools_.SetStackTrace(key, truncated, frames);
  }
  without_content_.clear();
}

FrameConstant StackConstants::NameOf(const Frame& frame) {
  if (IsJava(frame)) {
    const MethodInfo& info = methods_.Of(MethodOf(frame));
    return {MethodKeyOf(MethodOf(frame), info), info.LineAt(frame.bci), frame.bci,
            TypeOf(frame.kind)};
  }
  if (HasAddress(frame)) {
    const NativeName& name = natives_.Of(Pc{frame.id});
    return NativeFrameNamed(name.library, name.symbol, TypeOf(frame.kind));
  }
  if (frame.kind == FrameKind::kKernel) {
    const NativeName& name = natives_.OfKernel(Pc{frame.id});
    return NativeFrameNamed(name.library, name.symbol, FrameType::kKernel);
  }
  return MarkerFrame(FrameName(static_cast<WalkOutcome>(frame.id)));
}

FrameConstant StackConstants::NativeFrameNamed(std::string_view library, std::string_view symbol,
                                               FrameType type) {
  MethodConstant method;
  method.class_key = pools_.Class({.name = library});
  method.name = symbol;
  method.descriptor = type == FrameType::kKernel ? kKernelDescriptor : kNativeDescriptor;
  return {pools_.Method(method), kUnknownLine, kNoBytecode, type};
}

FrameConstant StackConstants::MarkerFrame(std::string_view name) {
  return NativeFrameNamed(kMarkerClass, name, FrameType::kNative);
}

uint32_t StackConstants::MethodKeyOf(jmethodID method, const MethodInfo& info) {
  uint32_t& key = method_keys_[method];
  if (key != 0) return key;
  ClassConstant declaring;
  declaring.name = info.declaring->name;
  declaring.modifiers = info.declaring->modifiers;
  declaring.hidden = info.declaring->hidden;
  if (const ClassLoaderInfo* loader = info.declaring->loader.get()) {
    const uint32_t loader_class = pools_.Class({.name = loader->class_name});
    declaring.loader_key = pools_.ClassLoader({loader_class, loader->name});
  }
  MethodConstant constant;
  constant.class_key = pools_.Class(declaring);
  constant.name = info.name;
  constant.descriptor = info.descriptor;
  constant.modifiers = info.modifiers;
  key = pools_.Method(constant);
  return key;
}

}  // namespace jprof
