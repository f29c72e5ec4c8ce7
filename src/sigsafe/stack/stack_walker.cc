#include "sigsafe/stack/stack_walker.h"

#include <ucontext.h>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/stack/vm_walker.h"

namespace jprof {
namespace {

Frame JavaFrame(const AsgctFrame& frame) {
  const auto id = reinterpret_cast<uint64_t>(frame.method_id);
  if (frame.bci == kAsgctNativeMethod) return {id, -1, FrameKind::kJavaNative};
  return {id, frame.bci, FrameKind::kJava};
}

Stack WalkByVm(const HotspotLayout& vm, void* jni_env, void* ucontext, const WalkBuffer& buffer) {
  FrameSink sink(buffer.frames, buffer.depth + 1);
  WalkVmStack(vm, jni_env, ucontext, &sink);
  const bool truncated = sink.count() > buffer.depth;
  return {buffer.frames, truncated ? buffer.depth : sink.count(), truncated};
}

}  // namespace

Stack WalkStack(void* jni_env, void* ucontext, const WalkBuffer& buffer) {
  const Frame leaf = NativeFrame(ProgramCounter(static_cast<const ucontext_t*>(ucontext)));
  if (jni_env == nullptr) {
    buffer.frames[0] = leaf;
    return {buffer.frames, 1, false};
  }
  if (const HotspotLayout* vm = TheHotspotLayout()) {
    return WalkByVm(*vm, jni_env, ucontext, buffer);
  }
  const AsgctResult java = AsgctWalker::Walk(jni_env, ucontext, buffer.java, buffer.depth + 1);
  if (java.frames == 0) {
    buffer.frames[0] = leaf;
    buffer.frames[1] = OutcomeFrame(java.outcome);
    return {buffer.frames, 2, false};
  }
  const bool truncated = java.frames > buffer.depth;
  const uint32_t count = truncated ? buffer.depth : java.frames;
  for (uint32_t i = 0; i < count; ++i) buffer.frames[i] = JavaFrame(buffer.java[i]);
  return {buffer.frames, count, truncated};
}

}  // namespace jprof
