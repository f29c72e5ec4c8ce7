#include "native/asgst_probe/waiting_task.h"

namespace jprof::test {
namespace {

constexpr timespec kPause{0, 20'000};
constexpr int kMostPauses = 5000;

thread_local ASGST_Queue* t_queue = nullptr;

}  // namespace

void WaitingTask::OnThreadStart(JNIEnv* jni) {
  t_queue = api_.ASGST_RegisterQueue(jni, 256, 0, &OnStack, this);
}

void WaitingTask::OnStack(ASGST_Iterator* iterator, void* argument, void* hash) {
  auto& task = *static_cast<WaitingTask*>(argument);
  Walk walk{&task};
  OnWalk(iterator, &walk);
  const bool is_same = walk.hash == reinterpret_cast<uint64_t>(hash);
  (is_same ? task.queued_same_ : task.queued_different_).fetch_add(1, std::memory_order_relaxed);
}

void WaitingTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const auto add = [&walk](uint64_t word) { walk.hash = (walk.hash ^ word) * 1099511628211; };
  ASGST_Frame frame;
  while ((walk.end = walk.task->api_.ASGST_NextFrame(iterator, &frame)) == 1) {
    add(frame.type);
    add(static_cast<uint64_t>(frame.comp_level));
    add(static_cast<uint64_t>(frame.bci));
    add(reinterpret_cast<uint64_t>(frame.method));
    add(reinterpret_cast<uint64_t>(frame.pc));
    add(reinterpret_cast<uint64_t>(frame.sp));
    add(reinterpret_cast<uint64_t>(frame.fp));
  }
}

WaitingTask::Walk WaitingTask::Take(void* ucontext, int options) {
  Walk walk{this};
  walk.kind = api_.ASGST_RunWithIterator(ucontext, options, &OnWalk, &walk);
  return walk;
}

void WaitingTask::OnSignal(ucontext_t* ucontext) {
  int expected = kAsked;
  if (asked_ != gettid()) return;
  before_ = Take(ucontext, options_);
  ucontext_ = ucontext;
  queue_ = t_queue;
  // The driver might have given up.
  if (!state_.compare_exchange_strong(expected, kWaiting)) return;
  while (state_ == kWaiting) nanosleep(&kPause, nullptr);
  after_ = Take(ucontext, options_);
  state_ = kEnded;
}

void WaitingTask::WalkThread(int tid) {
  constexpr uint64_t kFirstAttached = 2;  // walks of each half
  if (!is_attached_ && walks_ >= wanted_ / kFirstAttached) {
    JNIEnv* jni = nullptr;
    is_attached_ =
        vm_->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni), nullptr) == JNI_OK;
  }
  if (tid == gettid()) return;
  options_ = walks_ % 2 == 0 ? 0 : ASGST_INCLUDE_NON_JAVA_FRAMES;
  asked_ = tid;
  state_ = kAsked;
  syscall(SYS_tgkill, getpid(), tid, SIGPROF);
  for (int i = 0; i < kMostPauses && state_ == kAsked; ++i) nanosleep(&kPause, nullptr);
  int expected = kAsked;
  asked_ = 0;
  if (state_.compare_exchange_strong(expected, kIdle)) {
    ++silent_;
    return;
  }
  const Walk walked = Take(ucontext_, options_);
  if (options_ == 0 && queue_ != nullptr && walked.kind > 0 &&
      api_.ASGST_Enqueue(queue_, ucontext_, reinterpret_cast<void*>(walked.hash)) ==
          ASGST_JAVA_TRACE) {
    ++enqueued_;
  }
  state_ = kWalked;
  while (state_ == kWalked) nanosleep(&kPause, nullptr);
  Compare(walked);
  state_ = kIdle;
  walks_.fetch_add(1, std::memory_order_relaxed);
}

void WaitingTask::Compare(const Walk& walked) {
  const auto is_same = [](const Walk& one, const Walk& other) {
    return one.kind == other.kind && one.end == other.end && one.hash == other.hash;
  };
  if (!is_same(before_, after_)) {
    ++unstable_;
  } else if (!is_same(before_, walked)) {
    if (different_++ != 0) return;
    first_difference_ = "  own: kind " + std::to_string(before_.kind) + " end " +
                        std::to_string(before_.end) + ", from outside: kind " +
                        std::to_string(walked.kind) + " end " + std::to_string(walked.end) + "\n";
  } else if (walked.kind <= 0) {
    ++refused_;
  } else {
    ++same_;
  }
}

std::string WaitingTask::Text() {
  constexpr int kMostLooks = 5000;
  for (int i = 0; i < kMostLooks && queued_same_ + queued_different_ < enqueued_; ++i) {
    constexpr timespec kBetweenLooks{0, 1'000'000};
    nanosleep(&kBetweenLooks, nullptr);
  }
  return "waiting.walks=" + std::to_string(walks_) + "\nwaiting.same=" + std::to_string(same_) +
         "\nwaiting.different=" + std::to_string(different_) +
         "\nwaiting.unstable=" + std::to_string(unstable_) +
         "\nwaiting.refused=" + std::to_string(refused_) +
         "\nwaiting.silent=" + std::to_string(silent_) +
         "\nwaiting.enqueued=" + std::to_string(enqueued_) +
         "\nwaiting.queued_same=" + std::to_string(queued_same_) +
         "\nwaiting.queued_different=" + std::to_string(queued_different_) + "\n" +
         first_difference_;
}

}  // namespace jprof::test
