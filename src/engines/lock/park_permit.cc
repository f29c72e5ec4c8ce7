#include "engines/lock/park_permit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engines/lock/thread_ids.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

constexpr uint64_t kMostThreadBytes = 16384;
constexpr size_t kParkerBytes = 256;  // more than the offset of the counter
// Pointers into the thread's stack, up to this distance from the current frame, are left out. The
// calls that give and take permits leave ints on the stack that can change in the same order as the
// permit.
constexpr uint64_t kStackBytes = 8 << 20;

// For each step of the experiment, true if the thread has a permit after that step. A random bit
// agrees with all steps with probability 2^-16.
constexpr bool kSteps[] = {true,  false, true, true, false, false, false, true,
                           false, true,  true, true, false, true,  false, false};

// Memory that might contain the permit: the JavaThread, or the memory that a word of the JavaThread
// points to.
struct Candidate {
  int64_t pointer;   // offset of the word in the JavaThread; kNone for the JavaThread itself
  uint64_t address;  // address of the memory
  std::vector<int32_t> first;  // the memory's ints before the first step
  std::vector<uint32_t> ints;  // indices of the ints that agree with all steps so far
};

std::vector<int32_t> Load(uint64_t address, size_t bytes) {
  std::vector<int32_t> ints(bytes / sizeof(int32_t));
  const size_t copied = SafeCopy(ints.data(), reinterpret_cast<const void*>(address), bytes);
  ints.resize(copied / sizeof(int32_t));
  return ints;
}

Candidate CandidateAt(int64_t pointer, uint64_t address, size_t bytes) {
  Candidate candidate{pointer, address, Load(address, bytes), {}};
  for (uint32_t i = 0; i < candidate.first.size(); ++i) candidate.ints.push_back(i);
  return candidate;
}

std::vector<Candidate> CandidatesOf(uint64_t java_thread, size_t thread_bytes) {
  std::vector<Candidate> all = {CandidateAt(ParkPermit::kNone, java_thread, thread_bytes)};
  const uint64_t here = reinterpret_cast<uintptr_t>(&all);
  const std::vector<int32_t> ints = all.front().first;
  for (size_t i = 0; i + 1 < ints.size(); i += 2) {
    const uint64_t value = static_cast<uint64_t>(static_cast<uint32_t>(ints[i + 1])) << 32 |
                           static_cast<uint32_t>(ints[i]);
    const bool is_in_thread = value - java_thread < thread_bytes;
    const bool is_in_stack = value - (here - kStackBytes) < 2 * kStackBytes;
    if (value == 0 || value % sizeof(uint64_t) != 0 || is_in_thread || is_in_stack) continue;
    all.push_back(CandidateAt(static_cast<int64_t>(i * sizeof(int32_t)), value, kParkerBytes));
  }
  return all;
}

// Drops the ints whose value is not `value` now, and then the candidates that have no ints left.
void KeepIntsEqualTo(int32_t value, std::vector<Candidate>& all) {
  for (Candidate& each : all) {
    const std::vector<int32_t> now = Load(each.address, each.first.size() * sizeof(int32_t));
    std::erase_if(each.ints, [&](uint32_t i) { return i >= now.size() || now[i] != value; });
  }
  std::erase_if(all, [](const Candidate& each) { return each.ints.empty(); });
}

// Returns the candidate through which the permit is found: the JavaThread, if some of its own ints
// are left; else the candidate whose first remaining int has the lowest offset. Several pointers
// can lead to memory that contains the permit. The one from which the permit has the lowest offset
// points to the Parker itself, because no other object begins inside a Parker. Returns nullptr if
// no candidate is left, or if the chosen one has several ints left.
const Candidate* Best(const std::vector<Candidate>& all) {
  const auto best = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.pointer != ParkPermit::kNone, a.ints.front()) <
           std::pair(b.pointer != ParkPermit::kNone, b.ints.front());
  });
  return best == all.end() || best->ints.size() != 1 ? nullptr : &*best;
}

// Gives and takes permits of the calling thread by LockSupport.
class Permits {
 public:
  Permits(JNIEnv* jni, jthread thread) : jni_(jni), thread_(thread) {
    support_ = jni->FindClass("java/util/concurrent/locks/LockSupport");
    if (support_ != nullptr) {
      give_ = jni->GetStaticMethodID(support_, "unpark", "(Ljava/lang/Thread;)V");
    }
    if (give_ != nullptr) take_ = jni->GetStaticMethodID(support_, "parkNanos", "(J)V");
    jni->ExceptionClear();
  }
  bool are_known() const { return take_ != nullptr; }
  void Give() {
    jni_->CallStaticVoidMethod(support_, give_, thread_);
    jni_->ExceptionClear();
  }
  void Take() {
    jni_->CallStaticVoidMethod(support_, take_, jlong{1});
    jni_->ExceptionClear();
  }

 private:
  JNIEnv* const jni_;
  const jthread thread_;
  jclass support_ = nullptr;
  jmethodID give_ = nullptr;
  jmethodID take_ = nullptr;
};

uint64_t JavaThreadOf(JNIEnv* jni, jthread thread) {
  const jclass thread_class = jni->FindClass("java/lang/Thread");
  const jfieldID eetop =
      thread_class == nullptr ? nullptr : jni->GetFieldID(thread_class, "eetop", "J");
  jni->ExceptionClear();
  return eetop == nullptr ? 0 : static_cast<uint64_t>(jni->GetLongField(thread, eetop));
}

}  // namespace

std::optional<ParkPermit> FindParkPermit(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t thread_bytes) {
  const LocalFrame frame(jni, 8);
  const ThreadIds* const ids = ThreadIds::OfProcess(jni);
  jthread thread = nullptr;
  if (ids == nullptr || jvmti->GetCurrentThread(&thread) != JVMTI_ERROR_NONE ||
      ids->IsVirtual(jni, thread)) {
    return std::nullopt;
  }
  const uint64_t java_thread = JavaThreadOf(jni, thread);
  Permits permits(jni, thread);
  if (java_thread == 0 || !permits.are_known()) return std::nullopt;
  std::vector<Candidate> all = CandidatesOf(java_thread, std::min(thread_bytes, kMostThreadBytes));
  for (const bool has_permit : kSteps) {
    has_permit ? permits.Give() : permits.Take();
    KeepIntsEqualTo(has_permit ? 1 : 0, all);
  }
  const Candidate* const found = Best(all);
  // If the thread might have had a permit before, it gets a permit. An extra permit only makes a
  // park return at once, which callers of park must expect. A lost permit could leave the thread
  // parked.
  if (found == nullptr) {
    permits.Give();
    return std::nullopt;
  }
  const uint32_t index = found->ints.front();
  if (found->first[index] != 0) permits.Give();
  return ParkPermit{found->pointer, static_cast<int64_t>(index * sizeof(int32_t))};
}

}  // namespace jprof
