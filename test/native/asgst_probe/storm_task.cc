#include "native/asgst_probe/storm_task.h"

#include <cerrno>

namespace jprof::test {

void StormTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  const auto& walk = *static_cast<const Walk*>(argument);
  StormTask& task = *walk.task;
  ASGST_Frame frame;
  int result = 0;
  uint64_t frames = 0;
  uint64_t unnamed = 0;
  while ((result = task.api_.ASGST_NextFrame(iterator, &frame)) == 1) {
    ++frames;
    if (frame.type != ASGST_FRAME_NON_JAVA && task.api_.ASGST_GetClass(frame.method) == nullptr) {
      ++unnamed;
    }
  }
  task.frames_.fetch_add(frames, std::memory_order_relaxed);
  task.unnamed_.fetch_add(unnamed, std::memory_order_relaxed);
  if (-result >= 0 && -result < kResults) {
    task.results_[-result].fetch_add(1, std::memory_order_relaxed);
  }
}

void StormTask::OnSignal(ucontext_t* ucontext) {
  const uint64_t index = begun_.fetch_add(1, std::memory_order_relaxed);
  const int before = errno;
  Walk walk{this, index % 2 == 1};
  const int result = api_.ASGST_RunWithIterator(
      ucontext, walk.with_others ? ASGST_INCLUDE_NON_JAVA_FRAMES : 0, &OnWalk, &walk);
  if (errno != before) changed_errno_.fetch_add(1, std::memory_order_relaxed);
  if (result <= 0 && -result < kResults) {
    refused_[-result].fetch_add(1, std::memory_order_relaxed);
  }
}

std::string StormTask::Text() {
  std::string text = "storm.walks=" + std::to_string(begun_) +
                     "\nstorm.frames=" + std::to_string(frames_) +
                     "\nstorm.unnamed=" + std::to_string(unnamed_) +
                     "\nstorm.changed_errno=" + std::to_string(changed_errno_) +
                     "\nstorm.whole=" + std::to_string(results_[0]) + "\n";
  for (int i = 0; i < kResults; ++i) {
    if (i > 0 && results_[i] != 0) {
      text += "storm.ended." + std::to_string(i) + "=" + std::to_string(results_[i]) + "\n";
    }
    if (refused_[i] != 0) {
      text += "storm.refused." + std::to_string(i) + "=" + std::to_string(refused_[i]) + "\n";
    }
  }
  return text;
}

}  // namespace jprof::test
