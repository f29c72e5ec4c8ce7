// The functions of include/profiler/asgst.h that walk the calling thread. Handlers call them.
#include <ucontext.h>

#include "profiler/asgst.h"
#include "sigsafe/asgst/capabilities.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/asgst/thread_state.h"
#include "sigsafe/base/errno_saver.h"

namespace jprof::asgst {
namespace {

void CopyTo(const WalkedFrame& walked, ASGST_Frame* frame) {
  *frame = {};
  if (walked.type == 0) return;
  frame->type = walked.type;
  frame->comp_level = walked.comp_level;
  frame->bci = walked.bci;
  frame->method = reinterpret_cast<ASGST_Method>(walked.method);
  frame->pc = reinterpret_cast<void*>(walked.pc);
  frame->sp = reinterpret_cast<void*>(walked.sp);
  frame->fp = reinterpret_cast<void*>(walked.fp);
}

int32_t WithOtherThreads(int32_t options) {
  return (options & kWithNonJava) != 0 ? options | kWithOtherThreads : options;
}

// Calls begin(session) to begin the walk of a session, and then the callback.
template <typename Begin>
int Run(int32_t options, ASGST_IteratorHandler fun, void* argument, Begin begin) {
  const ErrnoSaver errno_saver;
  if (fun == nullptr || (options & ~kAllOptions) != 0) return kWrongArgument;
  const WalkSession session;
  if (session.result() != kMore) return session.result();
  const int32_t kind = begin(session);
  if (kind > 0) fun(reinterpret_cast<ASGST_Iterator*>(session.cell()), argument);
  return kind;
}

// The values in sigsafe are those of the header.
static_assert(ASGST_REGISTER_QUEUE == kRegisterQueue && ASGST_ITERATORS == kIterators &&
              ASGST_JMETHODID_TO_METHOD == kJMethodIdToMethod &&
              ASGST_ITERATOR_OF_THREAD == kIteratorOfThread && ASGST_CLASS_UNLOAD == kClassUnload &&
              ASGST_WHOLE_QUEUED_STACKS == kWholeQueuedStacks &&
              ASGST_APPROXIMATE_QUEUED_STACKS == kApproximateQueuedStacks);
static_assert(ASGST_FRAME_JAVA == kJavaFrame && ASGST_FRAME_JAVA_INLINED == kInlinedFrame &&
              ASGST_FRAME_JAVA_NATIVE == kJavaNativeFrame && ASGST_FRAME_NON_JAVA == kNonJavaFrame);
static_assert(ASGST_INCLUDE_NON_JAVA_FRAMES == kWithNonJava &&
              ASGST_END_ON_FIRST_JAVA_FRAME == kEndAtFirstJava &&
              ASGST_APPROXIMATE_STACKS == kApproximate);
static_assert(ASGST_JAVA_TRACE == kJavaTrace && ASGST_NON_JAVA_TRACE == kNonJavaTrace &&
              ASGST_APPROXIMATE_TRACE == kApproximateTrace);
static_assert(ASGST_NO_FRAME == kAtEnd && ASGST_NO_THREAD == kNoThread &&
              ASGST_THREAD_EXIT == kThreadExit && ASGST_UNSAFE_STATE == kUnsafeState &&
              ASGST_NO_TOP_JAVA_FRAME == kNoTopJavaFrame && ASGST_ENQUEUE_NO_QUEUE == kNoQueue &&
              ASGST_ENQUEUE_FULL_QUEUE == kFullQueue &&
              ASGST_ENQUEUE_OTHER_ERROR == kOtherQueueError);
static_assert(ASGST_NOT_STARTED == kNotStarted && ASGST_WRONG_ARGUMENT == kWrongArgument &&
              ASGST_WRONG_ITERATOR == kWrongIterator && ASGST_BROKEN_STACK == kBrokenStack &&
              ASGST_MISSING_FRAMES == kMissingFrames && ASGST_TOO_MANY_WALKS == kTooManyWalks &&
              ASGST_FORKED_PROCESS == kForkedProcess && ASGST_NO_ANSWER == kNoAnswer &&
              ASGST_UNKNOWN_METHOD == kUnknownMethod);

}  // namespace
}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED int ASGST_Capabilities(void) {
  const ApiState* const state = TheApiState();
  return state == nullptr ? 0 : state->capabilities;
}

JPROF_EXPORTED int ASGST_RunWithIterator(void* ucontext, int32_t options, ASGST_IteratorHandler fun,
                                         void* argument) {
  const auto* const interrupted = static_cast<const ucontext_t*>(ucontext);
  return Run(options, fun, argument, [&](const WalkSession& session) {
    return interrupted == nullptr
               ? session.iterator().BeginAtAnchor(session.state(), session.environment(), options)
               : session.iterator().BeginAtSignal(session.state(), session.environment(),
                                                  interrupted,
                                                  WithOtherThreads(options) | kOfWaitingThreads);
  });
}

JPROF_EXPORTED int ASGST_RunWithIteratorFromFrame(void* sp, void* fp, void* pc, int options,
                                                  ASGST_IteratorHandler fun, void* argument) {
  const jprof::StackPosition position{reinterpret_cast<uint64_t>(pc),
                                      reinterpret_cast<uint64_t>(sp),
                                      reinterpret_cast<uint64_t>(fp), jprof::PcMeaning::kReturn};
  return Run(options, fun, argument, [&](const WalkSession& session) {
    return session.iterator().BeginAtFrame(session.state(), session.environment(), position,
                                           options);
  });
}

JPROF_EXPORTED int ASGST_NextFrame(ASGST_Iterator* iterator, ASGST_Frame* frame) {
  if (frame == nullptr) return kWrongArgument;
  *frame = {};
  IteratorCell* const cell = FindIterator(iterator);
  if (cell == nullptr) return kWrongIterator;
  WalkedFrame walked;
  const int32_t result = cell->iterator.Next(&walked);
  CopyTo(walked, frame);
  return result;
}

JPROF_EXPORTED int ASGST_RewindIterator(ASGST_Iterator* iterator) {
  IteratorCell* const cell = FindIterator(iterator);
  if (cell == nullptr) return kWrongIterator;
  cell->iterator.Rewind();
  return kMore;
}

JPROF_EXPORTED int ASGST_State(ASGST_Iterator* iterator) {
  if (iterator == nullptr) return kAtEnd;
  const IteratorCell* const cell = FindIterator(iterator);
  return cell == nullptr ? kWrongIterator : cell->iterator.state();
}

JPROF_EXPORTED int profiler_asgst_trace_kind(ASGST_Iterator* iterator) {
  const IteratorCell* const cell = FindIterator(iterator);
  return cell == nullptr ? kWrongIterator : cell->iterator.kind();
}

JPROF_EXPORTED int ASGST_ThreadState(void) {
  const jprof::ErrnoSaver errno_saver;
  const WalkSession session;
  return session.result() == kMore ? ThreadStateNow(session.state()) : session.result();
}

}  // extern "C"
