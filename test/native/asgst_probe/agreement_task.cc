#include "native/asgst_probe/agreement_task.h"

#include <algorithm>
#include <cstring>

namespace jprof::test {
namespace {

constexpr size_t kMaxDepth = 2048;

// Returns the name that NameOf returns for the same method, from JVMTI.
std::string NameByJvmti(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
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

bool AreEqual(const std::vector<ASGST_Frame>& one, const std::vector<ASGST_Frame>& other) {
  return one.size() == other.size() &&
         std::equal(one.begin(), one.end(), other.begin(),
                    [](const ASGST_Frame& a, const ASGST_Frame& b) {
                      return a.type == b.type && a.comp_level == b.comp_level && a.bci == b.bci &&
                             a.method == b.method && a.pc == b.pc && a.sp == b.sp && a.fp == b.fp;
                    });
}

int Collect(const Api& api, ASGST_Iterator* iterator, std::vector<ASGST_Frame>* frames) {
  ASGST_Frame frame;
  int result = 0;
  while (frames->size() < kMaxDepth && (result = api.ASGST_NextFrame(iterator, &frame)) == 1) {
    frames->push_back(frame);
  }
  return result;
}

}  // namespace

void AgreementTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const Api& api = walk.task->api_;
  walk.end = Collect(api, iterator, &walk.frames);
  api.ASGST_RewindIterator(iterator);
  walk.end_again = Collect(api, iterator, &walk.again);
}

void AgreementTask::OnAllocation(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::vector<jvmtiFrameInfo> expected(kMaxDepth);
  jint count = 0;
  if (IsDone() ||
      jvmti->GetStackTrace(nullptr, 0, kMaxDepth, expected.data(), &count) != JVMTI_ERROR_NONE ||
      count == 0) {
    return;
  }
  expected.resize(static_cast<size_t>(count));
  compared_.fetch_add(1, std::memory_order_relaxed);
  Walk walk{this, {}, {}, -1000, -1000};
  const int kind = api_.ASGST_RunWithIterator(nullptr, 0, &OnWalk, &walk);
  if (walk.end == ASGST_MISSING_FRAMES) {
    missing_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!AreEqual(walk.frames, walk.again) || walk.end != walk.end_again) {
    not_rewound_.fetch_add(1, std::memory_order_relaxed);
  }
  // JVMTI leaves out the outermost frames of a virtual thread, which HotSpot uses to enter it.
  bool is_virtual = false;
  const bool is_cut = walk.frames.size() == kMaxDepth && expected.size() == kMaxDepth;
  bool is_same = kind == ASGST_JAVA_TRACE && (walk.end == 0 || is_cut) &&
                 walk.frames.size() >= expected.size();
  for (size_t i = expected.size(); is_same && i < walk.frames.size(); ++i) {
    is_virtual = true;
    is_same = NameOf(api_, walk.frames[i].method).rfind("jdk/internal/vm/Continuation.", 0) == 0;
  }
  for (size_t i = 0; is_same && i < expected.size(); ++i) {
    is_same = IsSame(jvmti, jni, expected[i], walk.frames[i]);
  }
  if (!is_same) {
    Note(expected, walk);
    return;
  }
  uintptr_t sp = 0;
  bool is_ordered = true;
  for (const ASGST_Frame& frame : walk.frames) {
    const auto own = reinterpret_cast<uintptr_t>(frame.sp);
    is_ordered = is_ordered && (own == 0 || own >= sp) && frame.pc != nullptr;
    if (own != 0) sp = own;
    if (frame.type != ASGST_FRAME_JAVA_NATIVE && frame.comp_level >= 0 && frame.comp_level <= 4) {
      levels_[frame.comp_level].fetch_add(1, std::memory_order_relaxed);
    }
  }
  if (!is_ordered) unordered_.fetch_add(1, std::memory_order_relaxed);
  same_.fetch_add(1, std::memory_order_relaxed);
  if (is_virtual) virtual_.fetch_add(1, std::memory_order_relaxed);
}

bool AgreementTask::IsSame(jvmtiEnv* jvmti, JNIEnv* jni, const jvmtiFrameInfo& expected,
                           const ASGST_Frame& frame) {
  if (expected.location != frame.bci) return false;
  if ((frame.type == ASGST_FRAME_JAVA_NATIVE) != (frame.bci == -1)) return false;
  if (api_.ASGST_JMethodIDToMethod(expected.method) != frame.method) return false;
  const std::pair pair(expected.method, frame.method);
  const std::lock_guard lock(mutex_);
  const auto known = pairs_.find(pair);
  if (known != pairs_.end()) return known->second;
  return pairs_[pair] = AgreesOnMethod(jvmti, jni, expected.method, frame.method);
}

bool AgreementTask::AgreesOnMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID expected,
                                   ASGST_Method method) {
  if (NameByJvmti(jvmti, jni, expected) != NameOf(api_, method)) return false;
  if (api_.ASGST_MethodToJMethodID(method) != expected) return false;
  jint count = 0;
  jvmtiLineNumberEntry* lines = nullptr;
  if (jvmti->GetLineNumberTable(expected, &count, &lines) != JVMTI_ERROR_NONE) count = 0;
  std::vector<ASGST_MethodLineNumberEntry> entries(static_cast<size_t>(count) + 1);
  bool is_same = api_.ASGST_GetMethodLineNumberTable(method, entries.data(), count + 1) == count;
  for (jint i = 0; is_same && i < count; ++i) {
    const auto& entry = entries[static_cast<size_t>(i)];
    is_same = entry.start_bci == lines[i].start_location &&
              entry.line_number == lines[i].line_number &&
              api_.ASGST_GetMethodLineNumber(method, entry.start_bci) == entry.line_number;
  }
  if (lines != nullptr) jvmti->Deallocate(reinterpret_cast<unsigned char*>(lines));
  return is_same;
}

void AgreementTask::Note(const std::vector<jvmtiFrameInfo>& expected, const Walk& walk) {
  if (different_.fetch_add(1, std::memory_order_relaxed) != 0) return;
  const std::lock_guard lock(mutex_);
  char line[500];
  snprintf(line, sizeof line, "expected %zu frames, walked %zu, end %d\n", expected.size(),
           walk.frames.size(), walk.end);
  first_difference_ = line;
  for (size_t i = 0; i < std::max(expected.size(), walk.frames.size()) && i < 60; ++i) {
    const jvmtiFrameInfo one = i < expected.size() ? expected[i] : jvmtiFrameInfo{nullptr, -2};
    const ASGST_Frame frame = i < walk.frames.size() ? walk.frames[i] : ASGST_Frame{};
    snprintf(line, sizeof line, "  %p:%lld type %d level %d bci %d %s\n",
             static_cast<void*>(one.method), static_cast<long long>(one.location), frame.type,
             frame.comp_level, frame.bci, NameOf(api_, frame.method).c_str());
    first_difference_ += line;
  }
}

std::string AgreementTask::Text() {
  char text[400];
  snprintf(text, sizeof text,
           "asgst.same=%llu\nasgst.virtual=%llu\nasgst.missing=%llu\nasgst.different=%llu\n"
           "asgst.not_rewound=%llu\nasgst.unordered=%llu\nasgst.level.0=%llu\n"
           "asgst.level.1_to_3=%llu\nasgst.level.4=%llu\n",
           static_cast<unsigned long long>(same_), static_cast<unsigned long long>(virtual_),
           static_cast<unsigned long long>(missing_), static_cast<unsigned long long>(different_),
           static_cast<unsigned long long>(not_rewound_),
           static_cast<unsigned long long>(unordered_), static_cast<unsigned long long>(levels_[0]),
           static_cast<unsigned long long>(levels_[1] + levels_[2] + levels_[3]),
           static_cast<unsigned long long>(levels_[4]));
  return text + first_difference_;
}

}  // namespace jprof::test
