#include "native/asgst_probe/others_task.h"

#include <vector>

namespace jprof::test {
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

// Allocates, as a callback in a handler must not.
void OthersTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& task = *static_cast<OthersTask*>(argument);
  std::vector<std::string> names;
  ASGST_Frame frame;
  int result = 0;
  while ((result = task.api_.ASGST_NextFrame(iterator, &frame)) == 1) {
    names.push_back(NameOf(task.api_, frame.method));
  }
  task.end_ = result;
  task.frames_ += names.size();
  if (result != 0) return;
  const std::string root = names.empty() ? "none" : names.back();
  if (EndsWith(root, ".run()V") || EndsWith(root, ".main([Ljava/lang/String;)V") ||
      root.find("Continuation.enter") != std::string::npos) {
    ++task.rooted_;
  } else if (task.unrooted_++ == 0) {
    task.first_unrooted_ = root;
  }
}

void OthersTask::WalkThread(int tid) {
  constexpr int kNotCalled = 1000;
  end_ = kNotCalled;
  const int result = api_.ASGST_RunWithIteratorOfThread(tid, 0, &OnWalk, this);
  ++results_[result];
  if ((result > 0) != (end_ != kNotCalled)) ++wrong_;
  if (result > 0) ++ends_[end_];
  walks_.fetch_add(1, std::memory_order_relaxed);
}

std::string OthersTask::Text() {
  std::string text = "others.walks=" + std::to_string(walks_) +
                     "\nothers.frames=" + std::to_string(frames_) +
                     "\nothers.rooted=" + std::to_string(rooted_) +
                     "\nothers.unrooted=" + std::to_string(unrooted_) +
                     "\nothers.wrong=" + std::to_string(wrong_) + "\n" + first_unrooted_ + "\n";
  for (const auto& [result, count] : results_) {
    text += "others.result." + std::to_string(-result) + "=" + std::to_string(count) + "\n";
  }
  for (const auto& [end, count] : ends_) {
    text += "others.end." + std::to_string(-end) + "=" + std::to_string(count) + "\n";
  }
  return text;
}

}  // namespace jprof::test
