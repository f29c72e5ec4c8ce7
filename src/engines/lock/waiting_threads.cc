#include "engines/lock/waiting_threads.h"

#include <algorithm>

#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

std::optional<WaitType> TypeOf(jint state) {
  if ((state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER) != 0) return WaitType::kMonitorEnter;
  if ((state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) != 0) return WaitType::kMonitorWait;
  if ((state & JVMTI_THREAD_STATE_PARKED) != 0) return WaitType::kPark;
  return std::nullopt;
}

}  // namespace

std::vector<WaitingThread> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids) {
  std::vector<WaitingThread> waiting;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  if (jvmti->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return waiting;
  for (jint i = 0; i < count; ++i) {
    jint state = 0;
    if (jvmti->GetThreadState(threads[i], &state) != JVMTI_ERROR_NONE) continue;
    if (const auto type = TypeOf(state)) {
      waiting.push_back({threads[i], ids.Of(jni, threads[i]), *type});
    }
  }
  return waiting;
}

Stack StackOfWaiting::Walk(const WalkEnvironment&, const ProfiledThread&,
                           const sample_taker::WalkTerms&, const WalkBuffer& buffer) const {
  constexpr jint kMostFrames = 512;
  std::vector<jvmtiFrameInfo> infos(std::min<uint32_t>(kMostFrames, buffer.depth));
  jint count = 0;
  if (thread_ == nullptr ||
      jvmti_->GetStackTrace(thread_, 0, static_cast<jint>(infos.size()), infos.data(), &count) !=
          JVMTI_ERROR_NONE ||
      count == 0) {
    buffer.frames[0] = OutcomeFrame(WalkOutcome::kStillWaiting);
    return {buffer.frames, 1, false};
  }
  for (jint i = 0; i < count; ++i) {
    const bool is_native = infos[i].location < 0;
    buffer.frames[i] = {reinterpret_cast<uintptr_t>(infos[i].method),
                        static_cast<int32_t>(infos[i].location),
                        is_native ? FrameKind::kJavaNative : FrameKind::kJava};
  }
  return {buffer.frames, static_cast<uint32_t>(count), static_cast<size_t>(count) == infos.size()};
}

}  // namespace jprof
