#include "native/walk_probe/anchor_task.h"

#include <algorithm>
#include <cstdio>

namespace jprof::test {
namespace {

bool IsSame(const jvmtiFrameInfo& expected, const Frame& frame) {
  return reinterpret_cast<uint64_t>(expected.method) == frame.id && expected.location == frame.bci;
}

}  // namespace

void AnchorTask::Compare(jvmtiEnv* jvmti, JNIEnv* jni, const WalkBuffer& buffer) {
  std::vector<jvmtiFrameInfo> expected(buffer.depth);
  jint count = 0;
  // First: it makes the ids of methods that have none.
  if (jvmti->GetStackTrace(nullptr, 0, static_cast<jint>(buffer.depth), expected.data(), &count) !=
          JVMTI_ERROR_NONE ||
      count == 0) {
    return;
  }
  expected.resize(static_cast<size_t>(count));
  compared_.fetch_add(1, std::memory_order_relaxed);
  WalkStart start;
  if (!StartAtAnchor(vm_, JavaThreadOf(jni, vm_.env_offset), &start)) {
    not_started_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  FrameSink sink(buffer.frames, buffer.depth, 0);
  const WalkEnd end =
      WalkVmStack({vm_, NativeCode::OfProcess(), StackMode::kVm, start.java_thread, start.stack},
                  start, WalkUntil::kMount, &sink);
  const uint32_t walked = sink.Finish();
  const Frame* const frames = buffer.frames;
  if (std::any_of(frames, frames + walked,
                  [](const Frame& frame) { return frame.kind == FrameKind::kOutcome; })) {
    broken_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // JVMTI does not show the frames by which a virtual thread has been entered.
  const bool has_all =
      walked == expected.size() || (end == WalkEnd::kMount && walked > expected.size());
  if (has_all && std::equal(expected.begin(), expected.end(), frames, IsSame)) {
    same_.fetch_add(1, std::memory_order_relaxed);
    if (end == WalkEnd::kMount) virtual_.fetch_add(1, std::memory_order_relaxed);
  } else {
    NoteDifference(expected, buffer, walked, end);
  }
}

void AnchorTask::NoteDifference(const std::vector<jvmtiFrameInfo>& expected,
                                const WalkBuffer& buffer, uint32_t count, WalkEnd end) {
  if (different_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  char line[200];
  const std::lock_guard lock(mutex_);
  snprintf(line, sizeof line, "expected %zu frames, walked %u, end %d\n", expected.size(), count,
           static_cast<int>(end));
  first_difference_ = line;
  for (size_t i = 0; i < std::max<size_t>(expected.size(), count) && i < 40; ++i) {
    const jvmtiFrameInfo none{nullptr, -2};
    const jvmtiFrameInfo& one = i < expected.size() ? expected[i] : none;
    const Frame frame = i < count ? buffer.frames[i] : Frame{};
    snprintf(line, sizeof line, "  %p:%lld %llx:%d kind %u\n", static_cast<void*>(one.method),
             static_cast<long long>(one.location), static_cast<unsigned long long>(frame.id),
             frame.bci, static_cast<unsigned>(frame.kind));
    first_difference_ += line;
  }
}

std::string AnchorTask::Text() const {
  char text[400];
  snprintf(text, sizeof text,
           "anchor.same=%llu\nanchor.virtual=%llu\nanchor.broken=%llu\nanchor.different=%llu\n"
           "anchor.not_started=%llu\n",
           static_cast<unsigned long long>(same_.load()),
           static_cast<unsigned long long>(virtual_.load()),
           static_cast<unsigned long long>(broken_.load()),
           static_cast<unsigned long long>(different_.load()),
           static_cast<unsigned long long>(not_started_.load()));
  return text + first_difference_;
}

}  // namespace jprof::test
