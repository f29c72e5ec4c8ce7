#include "engines/lock/waiting_threads.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "engines/lock/monitor_wait_times.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/check.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {
namespace {

// Returns the monitor for whose notification a platform thread waits; 0: none, or not known.
uint64_t MonitorOf(int64_t id) {
  const ThreadSlot* const thread = ThreadIds::SlotOf(id);
  const WalkScope scope;
  if (thread == nullptr || !scope || scope.environment().vm == nullptr ||
      scope.environment().faults != LoadFaults::kCaught) {
    return 0;
  }
  return MonitorWaitTimes::MonitorOf(*scope.environment().vm, *thread);
}

}  // namespace

// A thread that waits in the JVM's own code has no state that shows it. Its monitor is read before
// and after the state, so that it is the monitor of a wait that goes on while the state is read.
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
  const Status listed = CheckAccepted(jvmti->GetAllThreads(&count, threads.out()), "GetAllThreads");
  if (!listed) return listed.error();
  for (jint i = 0; i < count; ++i) {
    const int64_t id = ids.Of(jni, threads[i]);
    const uint64_t monitor = MonitorOf(id);
    jint state = 0;
    if (jvmti->GetThreadState(threads[i], &state) != JVMTI_ERROR_NONE) continue;
    const auto* const row = std::ranges::find_if(
        kTypes, [state](const auto& type) { return (state & type.state) != 0; });
    if (row != std::end(kTypes)) {
      waiting.push_back({threads[i], id, row->type});
    } else if (monitor != 0 && MonitorOf(id) == monitor) {
      waiting.push_back({threads[i], id, WaitType::kMonitorWait, monitor});
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
