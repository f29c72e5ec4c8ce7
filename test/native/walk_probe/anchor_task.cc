#include "native/walk_probe/anchor_task.h"

#include <algorithm>
#include <cstdio>

#include "native/walk_probe/method_text.h"

namespace jprof::test {
namespace {

// Returns the text that MethodText returns for the same method, from JVMTI.
std::string TextOfJvmti(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  jclass declaring = nullptr;
  char* texts[3] = {};
  jvmti->GetMethodDeclaringClass(method, &declaring);
  jvmti->GetClassSignature(declaring, &texts[0], nullptr);
  jvmti->GetMethodName(method, &texts[1], &texts[2], nullptr);
  jni->DeleteLocalRef(declaring);
  std::string name = texts[0];
  name = name.substr(1, name.size() - 2);  // "Lpackage/Class;"
  std::ranges::replace(name, '.', '+');    // of a hidden class
  // Before JDK 15, JVMTI appends a number to the name of an anonymous class.
  const size_t digits = name.find_last_not_of("0123456789");
  if (digits + 1 < name.size() && name[digits] == '/') name.resize(digits);
  const std::string text = name + "." + texts[1] + texts[2];
  for (char* each : texts) jvmti->Deallocate(reinterpret_cast<unsigned char*>(each));
  return text;
}

}  // namespace

bool AnchorTask::IsSame(jvmtiEnv* jvmti, JNIEnv* jni, const jvmtiFrameInfo& expected,
                        const Frame& frame, uint64_t method) {
  if (expected.location != frame.bci) return false;
  const std::pair pair(expected.method, frame.id);
  const std::lock_guard lock(mutex_);
  if (pairs_.count(pair) != 0) return true;
  if (TextOfJvmti(jvmti, jni, expected.method) != MethodText(vm_, method)) return false;
  pairs_.insert(pair);
  return true;
}

AnchorTask::AnchorTask(const HotspotLayout& vm, uint64_t walks) : vm_(vm), walks_(walks) {
  environment_.mode = StackMode::kVm;
  environment_.faults = LoadFaults::kCaught;
  environment_.vm = &vm_;
  environment_.native_code = &NativeCode::OfProcess();
}

void AnchorTask::Compare(jvmtiEnv* jvmti, JNIEnv* jni, const WalkBuffer& buffer) {
  std::vector<jvmtiFrameInfo> expected(buffer.depth);
  jint count = 0;
  if (jvmti->GetStackTrace(nullptr, 0, static_cast<jint>(buffer.depth), expected.data(), &count) !=
          JVMTI_ERROR_NONE ||
      count == 0) {
    return;
  }
  expected.resize(static_cast<size_t>(count));
  compared_.fetch_add(1, std::memory_order_relaxed);
  const Stack stack = WalkFromAnchor(environment_, {jni, {}, WalkUntil::kMount}, buffer);
  const Frame* const end = stack.frames + stack.count;
  const Frame* const outcome = std::find_if(
      stack.frames, end, [](const Frame& frame) { return frame.kind == FrameKind::kOutcome; });
  if (outcome != end) {
    const bool started = outcome->id != OutcomeFrame(WalkOutcome::kNoJavaFrame).id;
    (started ? broken_ : not_started_).fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // JVMTI leaves out the outermost frames of a virtual thread, which HotSpot uses to enter it.
  const bool is_virtual = vm_.ContinuationReturn() != 0 && !stack.reaches_entry;
  const bool has_all =
      stack.count == expected.size() || (is_virtual && stack.count > expected.size());
  bool is_same = has_all;
  for (size_t i = 0; is_same && i < expected.size(); ++i) {
    is_same = IsSame(jvmti, jni, expected[i], stack.frames[i], stack.methods[i]);
  }
  if (is_same) {
    same_.fetch_add(1, std::memory_order_relaxed);
    if (is_virtual) virtual_.fetch_add(1, std::memory_order_relaxed);
  } else {
    NoteDifference(expected, stack);
  }
}

void AnchorTask::NoteDifference(const std::vector<jvmtiFrameInfo>& expected, const Stack& stack) {
  if (different_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  char line[200];
  const std::lock_guard lock(mutex_);
  snprintf(line, sizeof line, "expected %zu frames, walked %u, to the entry %d\n", expected.size(),
           stack.count, stack.reaches_entry);
  first_difference_ = line;
  for (size_t i = 0; i < std::max<size_t>(expected.size(), stack.count) && i < 40; ++i) {
    const jvmtiFrameInfo none{nullptr, -2};
    const jvmtiFrameInfo& one = i < expected.size() ? expected[i] : none;
    const Frame frame = i < stack.count ? stack.frames[i] : Frame{};
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
