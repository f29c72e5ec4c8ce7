#include "engines/lock/waiting_threads.h"

#include <cstring>
#include <string>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/check.h"

namespace jprof {

Result<std::vector<WaitingThread>> WaitingThreads(jvmtiEnv* jvmti, JNIEnv* jni,
                                                  const ThreadIds& ids) {
  constexpr struct {
    jint state;
    WaitType type;
  } kTypes[] = {{JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, WaitType::kMonitorEnter},
                {JVMTI_THREAD_STATE_IN_OBJECT_WAIT, WaitType::kMonitorWait},
                {JVMTI_THREAD_STATE_PARKED, WaitType::kPark}};
  std::vector<WaitingThread> waiting;
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti);
  const jvmtiError error = jvmti->GetAllThreads(&count, threads.out());
  if (error != JVMTI_ERROR_NONE) {
    return Error("the JVM refused GetAllThreads (JVMTI error " + std::to_string(error) + ")");
  }
  for (jint i = 0; i < count; ++i) {
    jint state = 0;
    if (jvmti->GetThreadState(threads[i], &state) != JVMTI_ERROR_NONE) continue;
    for (const auto& row : kTypes) {
      if ((state & row.state) == 0) continue;
      waiting.push_back({threads[i], ids.Of(jni, threads[i]), row.type});
      break;
    }
  }
  return waiting;
}

bool HasFrameOf(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jint depth, const char* signature) {
  constexpr jint kMost = 8;
  JPROF_CHECK(depth <= kMost);
  jvmtiFrameInfo frames[kMost];
  jint count = 0;
  if (jvmti->GetStackTrace(thread, 0, depth, frames, &count) != JVMTI_ERROR_NONE) return false;
  for (jint i = 0; i < count; ++i) {
    const LocalFrame locals(jni, 1);
    jclass declaring = nullptr;
    JvmtiPtr<char> name(jvmti);
    if (jvmti->GetMethodDeclaringClass(frames[i].method, &declaring) == JVMTI_ERROR_NONE &&
        jvmti->GetClassSignature(declaring, name.out(), nullptr) == JVMTI_ERROR_NONE &&
        strcmp(name.get(), signature) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace jprof
