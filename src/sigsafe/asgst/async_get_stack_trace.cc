// The functions of include/profiler/async_get_stack_trace.h. Handlers call them.
//
// This file is compiled by itself, because its header and asgst.h define the same names.
#include "profiler/async_get_stack_trace.h"

#include <ucontext.h>

#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/method_texts.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/hotspot/code_cache.h"

namespace jprof::asgst {
namespace {

constexpr int32_t kNoMethodId = ASGST_TRACE_NO_METHOD_ID;
constexpr uint32_t kAllTraceOptions = ASGST_INCLUDE_C_FRAMES | ASGST_INCLUDE_NON_JAVA_THREADS;

static_assert(ASGST_TRACE_NO_THREAD == kNoThread && ASGST_TRACE_UNSAFE_STATE == kUnsafeState &&
              ASGST_TRACE_NO_JAVA_FRAME == kNoTopJavaFrame &&
              ASGST_TRACE_NOT_STARTED == kNotStarted &&
              ASGST_TRACE_WRONG_ARGUMENT == kWrongArgument &&
              ASGST_TRACE_BROKEN_STACK == kBrokenStack &&
              ASGST_TRACE_MISSING_FRAMES == kMissingFrames &&
              ASGST_TRACE_TOO_MANY_WALKS == kTooManyWalks &&
              ASGST_TRACE_FORKED_PROCESS == kForkedProcess);
static_assert(ASGST_FRAME_JAVA == kJavaFrame && ASGST_FRAME_JAVA_INLINED == kInlinedFrame &&
              ASGST_FRAME_NATIVE == kJavaNativeFrame);

// relaxed: a count.
constinit std::atomic<uint64_t> g_without_id{0};

bool Convert(const ApiState& state, const WalkedFrame& walked, uint64_t method,
             ASGST_CallFrame* frame) {
  *frame = {};
  if (walked.type == kNonJavaFrame) {
    const bool is_stub = IsGeneratedCode(*state.vm, walked.pc);
    frame->non_java_frame.type = is_stub ? ASGST_FRAME_STUB : ASGST_FRAME_CPP;
    frame->non_java_frame.pc = reinterpret_cast<void*>(walked.pc);
    return true;
  }
  const uint64_t id = walked.method == 0 ? 0 : JMethodIdOf(state, method, walked.method);
  if (id == 0) return false;
  frame->java_frame.type = walked.type;
  frame->java_frame.comp_level = static_cast<int8_t>(walked.comp_level);
  frame->java_frame.bci = walked.bci < 0 ? uint16_t{0} : static_cast<uint16_t>(walked.bci);
  frame->java_frame.method_id = reinterpret_cast<struct _jmethodID*>(id);
  return true;
}

// Returns the number of frames, or an error. Sets trace->kind if the walk has begun.
int32_t Take(ASGST_CallTrace* trace, int32_t depth, const ucontext_t* ucontext, int32_t options) {
  const WalkSession session;
  if (session.result() != kMore) return session.result();
  StackIterator& iterator = session.iterator();
  const int32_t kind =
      ucontext == nullptr
          ? iterator.BeginAtAnchor(session.state(), session.environment(), options)
          : iterator.BeginAtSignal(session.state(), session.environment(), ucontext, options);
  if (kind < 0) return kind;
  int32_t count = 0;
  WalkedFrame walked;
  while (count < depth) {
    const int32_t result = iterator.Next(&walked);
    if (result < 0) return result;
    if (result == kAtEnd) break;
    if (!Convert(session.state(), walked, iterator.method(), &trace->frames[count])) {
      g_without_id.fetch_add(1, std::memory_order_relaxed);
      return kNoMethodId;
    }
    ++count;
  }
  trace->kind = kind == kJavaTrace ? ASGST_JAVA_TRACE : ASGST_CPP_TRACE;
  return count;
}

}  // namespace
}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED void AsyncGetStackTrace(ASGST_CallTrace* trace, int32_t depth, void* ucontext,
                                       uint32_t options) {
  const jprof::ErrnoSaver errno_saver;
  if (trace == nullptr) return;
  trace->kind = ASGST_UNKNOWN_TRACE;
  trace->num_frames = kWrongArgument;
  if (trace->frames == nullptr || depth < 1 || (options & ~kAllTraceOptions) != 0) return;
  int32_t own = 0;
  if ((options & ASGST_INCLUDE_C_FRAMES) != 0) own |= kWithNonJava;
  if ((options & ASGST_INCLUDE_NON_JAVA_THREADS) != 0) own |= kWithOtherThreads;
  trace->num_frames = Take(trace, depth, static_cast<const ucontext_t*>(ucontext), own);
}

JPROF_EXPORTED uint64_t profiler_asgst_traces_without_id(void) {
  return g_without_id.load(std::memory_order_relaxed);
}

}  // extern "C"
