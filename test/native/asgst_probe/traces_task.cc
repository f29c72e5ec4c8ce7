#include "native/asgst_probe/traces_task.h"

#include <dlfcn.h>

#include <vector>

#include "profiler/async_get_stack_trace.h"

namespace jprof::test {
namespace {

constexpr int32_t kMaxDepth = 2048;

using Get = decltype(&AsyncGetStackTrace);
using Count = decltype(&profiler_asgst_traces_without_id);

// Takes a trace with the arguments. Returns num_frames.
int32_t TakeWith(Get get, ASGST_CallFrame* frames, int32_t depth, uint32_t options) {
  ASGST_CallTrace trace{0, 9, frames, nullptr};
  get(&trace, depth, nullptr, options);
  return trace.num_frames == ASGST_TRACE_WRONG_ARGUMENT && trace.kind != ASGST_UNKNOWN_TRACE
             ? 0
             : trace.num_frames;
}

bool IsSame(const jvmtiFrameInfo& expected, const ASGST_CallFrame& frame) {
  const bool is_native = expected.location == -1;
  return frame.java_frame.method_id == expected.method &&
         (frame.type == ASGST_FRAME_NATIVE) == is_native &&
         (is_native || frame.java_frame.bci == expected.location);
}

}  // namespace

TracesTask::TracesTask(const char* library, uint64_t wanted)
    : get_(dlsym(dlopen(library, RTLD_NOW), "AsyncGetStackTrace")),
      without_id_(dlsym(dlopen(library, RTLD_NOW), "profiler_asgst_traces_without_id")),
      wanted_(wanted) {
  const auto get = reinterpret_cast<Get>(get_);
  ASGST_CallFrame frame;
  get(nullptr, 1, nullptr, 0);
  if (TakeWith(get, &frame, 1, 0) != ASGST_TRACE_NOT_STARTED) ++wrong_arguments_;
}

void TracesTask::OnAllocation(jvmtiEnv* jvmti, JNIEnv*) {
  const auto get = reinterpret_cast<Get>(get_);
  if (IsDone()) return;
  if (compared_.fetch_add(1, std::memory_order_relaxed) == 0) {
    ASGST_CallFrame frame;
    if (TakeWith(get, nullptr, 1, 0) != ASGST_TRACE_WRONG_ARGUMENT) ++wrong_arguments_;
    for (const int32_t depth : {0, -1, INT32_MIN}) {
      if (TakeWith(get, &frame, depth, 0) != ASGST_TRACE_WRONG_ARGUMENT) ++wrong_arguments_;
    }
    for (int bit = 2; bit < 32; ++bit) {
      if (TakeWith(get, &frame, 1, uint32_t{1} << bit) != ASGST_TRACE_WRONG_ARGUMENT) {
        ++wrong_arguments_;
      }
    }
  }
  std::vector<ASGST_CallFrame> frames(kMaxDepth);
  ASGST_CallTrace trace{0, 9, frames.data(), nullptr};
  get(&trace, kMaxDepth, nullptr, 0);
  // JVMTI makes the jmethodIDs of the frames, so it comes second.
  std::vector<jvmtiFrameInfo> expected(kMaxDepth);
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, 0, kMaxDepth, expected.data(), &count) != JVMTI_ERROR_NONE) {
    return;
  }
  if (trace.num_frames == ASGST_TRACE_MISSING_FRAMES) {
    missing_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (trace.num_frames == ASGST_TRACE_NO_METHOD_ID) {
    no_id_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // JVMTI leaves out the outermost frames of a virtual thread, which HotSpot uses to enter it.
  bool is_same = trace.kind == ASGST_JAVA_TRACE && trace.num_frames >= count;
  for (int i = 0; is_same && i < count; ++i) {
    is_same = IsSame(expected[static_cast<size_t>(i)], frames[static_cast<size_t>(i)]);
  }
  (is_same ? same_ : different_).fetch_add(1, std::memory_order_relaxed);
}

std::string TracesTask::Text() {
  return "traces.same=" + std::to_string(same_) + "\ntraces.missing=" + std::to_string(missing_) +
         "\ntraces.no_id=" + std::to_string(no_id_) +
         "\ntraces.counted=" + std::to_string(reinterpret_cast<Count>(without_id_)()) +
         "\ntraces.different=" + std::to_string(different_) +
         "\ntraces.wrong_arguments=" + std::to_string(wrong_arguments_) + "\n";
}

}  // namespace jprof::test
