#include "audit/stack_audit.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <utility>

#include "audit/method_tokens.h"
#include "audit/stack_difference.h"
#include "base/log.h"
#include "sigsafe/base/split_mix.h"

namespace jprof {

constinit std::atomic<uint64_t> StackAudit::threshold_{0};

namespace {

// The number of JVM frames beyond the walked ones that are compared, so that missing frames are
// recognized.
constexpr size_t kMoreFrames = 64;
// The most wrong stacks that are described for each recording.
constexpr size_t kMostExamples = 4;

// The counts since Begin, and the number of samples so far, from which random numbers are made.
// relaxed: plain counters.
std::atomic<uint64_t> g_counts[kAuditResults];
std::atomic<uint64_t> g_samples{0};

struct Examples {
  std::mutex mutex;
  std::vector<std::string> lines;  // guarded by mutex
  size_t made = 0;                 // guarded by mutex
};

Examples& TheExamples() {
  static auto& examples = *new Examples;
  return examples;
}

std::string FrameText(std::span<const AuditedFrame> stack, size_t at) {
  if (at >= stack.size()) return "nothing";
  return MethodTokens::OfProcess().TextOf(stack[at].method) + ":" + std::to_string(stack[at].bci);
}

void NoteExample(std::span<const AuditedFrame> walked, std::span<const AuditedFrame> expected,
                 const FoundDifference& found) {
  {
    Examples& examples = TheExamples();
    const std::lock_guard lock(examples.mutex);
    if (examples.made == kMostExamples) return;
    ++examples.made;
    std::string line = "a stack of " + std::to_string(walked.size()) + " frames is wrong (";
    line += kAuditResultNames[static_cast<size_t>(found.result)];
    line += "): frame " + std::to_string(found.at) + " is " + FrameText(walked, found.at);
    line += ", in the JVM " + FrameText(expected, found.at);
    if (found.at > 0) line += "; it calls " + FrameText(expected, found.at - 1);
    examples.lines.push_back(std::move(line));
  }
  for (size_t i = 0; i < std::max(walked.size(), expected.size()); ++i) {
    Log::Debug("audit: frame %zu: %s | %s", i, FrameText(walked, i).c_str(),
               FrameText(expected, i).c_str());
  }
}

// Keeps the frames of a walk, and compares them when the sample has been taken.
class ComparedWalk final : public AuditedWalk {
 public:
  ComparedWalk(jvmtiEnv* jvmti, JNIEnv* jni) : jvmti_(jvmti), jni_(jni) {}
  ~ComparedWalk() override {
    if (!was_walked_) return;
    g_counts[static_cast<size_t>(Compare())].fetch_add(1, std::memory_order_relaxed);
  }

  // Divides the stack at the outcomes, which say that frames are missing. A method whose names
  // cannot be read says so too, and so does the mark of a truncated stack. Frames that are not of methods are left out, because JVMTI does not
  // have them.
  void Keep(const SampledWalk& walk) override {
    const Stack& stack = walk.stack;
    MethodTokens& tokens = MethodTokens::OfProcess();
    was_walked_ = true;
    is_of_virtual_ = walk.mounted != 0;
    leaf_.reserve(stack.count);
    for (uint32_t i = 0; i < stack.count; ++i) {
      const Frame& frame = stack.frames[i];
      const uint64_t token = IsJava(frame) && stack.methods != nullptr && stack.vm != nullptr
                                 ? tokens.OfWalked(*stack.vm, frame.id, stack.methods[i])
                                 : 0;
      if (token != 0) {
        (is_whole_ ? leaf_ : root_).push_back({token, frame.bci});
      } else if (IsJava(frame) || frame.kind == FrameKind::kOutcome) {
        is_whole_ = false;
        root_.clear();
      }
    }
    if (stack.truncated) is_whole_ = false;
  }

 private:
  using Frames = std::vector<AuditedFrame>;

  // Gets at most `most` frames of the calling thread from JVMTI, beginning at frame `start`. Returns false if the JVM does not answer or does not name a method.
  bool Fetch(jint start, size_t most, Frames* frames) const {
    std::vector<jvmtiFrameInfo> infos(most);
    jint count = 0;
    if (jvmti_->GetStackTrace(nullptr, start, static_cast<jint>(most), infos.data(), &count) !=
        JVMTI_ERROR_NONE) {
      return false;
    }
    frames->reserve(static_cast<size_t>(count));
    for (jint i = 0; i < count; ++i) {
      const jvmtiFrameInfo& info = infos[static_cast<size_t>(i)];
      const uint64_t token = MethodTokens::OfProcess().OfJvm(jvmti_, jni_, info.method);
      if (token == 0) return false;
      frames->push_back({token, info.location});
    }
    return true;
  }

  // True if the JVM's stack is that of the mounted virtual thread, and the walked stack is that of
  // its carrier. For moments, a carrier runs code of its own on top of the virtual thread's frames
  // (jdk-21+35 src/java.base/share/classes/java/lang/VirtualThread.java, switchToCarrierThread).
  bool IsOfCarrierAlone(const Frames& expected) const {
    static const uint64_t mount = MethodTokens::TokenOf(
        "jdk/internal/vm/Continuation.enterSpecial(Ljdk/internal/vm/Continuation;ZZ)V");
    return !is_of_virtual_ && leaf_.size() > expected.size() &&
           std::ranges::equal(expected, std::span(leaf_).first(expected.size())) &&
           leaf_[expected.size()].method == mount;
  }

  AuditResult Compare() const {
    Frames expected;
    if (!Fetch(0, leaf_.size() + kMoreFrames, &expected)) return AuditResult::kNotCompared;
    if (IsOfCarrierAlone(expected)) return AuditResult::kNotCompared;
    if (is_whole_) return Compared(leaf_, expected, StackPart::kWhole);
    const AuditResult result = Compared(leaf_, expected, StackPart::kBeginning);
    return result == AuditResult::kEqual ? CompareRoot() : result;
  }

  // Compares the frames after the last outcome, beginning at the root.
  AuditResult CompareRoot() const {
    if (root_.empty()) return AuditResult::kDeclared;
    Frames expected;
    jint depth = 0;
    if (jvmti_->GetFrameCount(nullptr, &depth) != JVMTI_ERROR_NONE || depth == 0) {
      return AuditResult::kNotCompared;
    }
    const size_t most = std::min(root_.size() + kMoreFrames, static_cast<size_t>(depth));
    if (!Fetch(depth - static_cast<jint>(most), most, &expected)) return AuditResult::kNotCompared;
    Frames walked(root_.rbegin(), root_.rend());
    std::ranges::reverse(expected);
    const AuditResult result = Compared(walked, expected, StackPart::kBeginning);
    return result == AuditResult::kEqual ? AuditResult::kDeclared : result;
  }

  static AuditResult Compared(const Frames& walked, const Frames& expected, StackPart part) {
    const FoundDifference found = CompareStacks(walked, expected, part);
    if (found.result != AuditResult::kEqual) NoteExample(walked, expected, found);
    return found.result;
  }

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  bool was_walked_ = false;
  bool is_whole_ = true;        // false if the stack says that frames are missing
  bool is_of_virtual_ = false;  // true if the walk ends where a virtual thread is mounted
  Frames leaf_;                 // frames before the first outcome
  Frames root_;                 // frames after the last outcome
};

}  // namespace

void StackAudit::Decide(jvmtiEnv* jvmti, JNIEnv* jni) {
  const uint64_t threshold = threshold_.load(std::memory_order_relaxed);
  const uint64_t number = g_samples.fetch_add(1, std::memory_order_relaxed);
  // The largest random number is replaced, so that the largest threshold is above all of them.
  const uint64_t random = std::min(SplitMix((number + 1) * kSplitMixStep), UINT64_MAX - 1);
  if (random < threshold) walk_ = std::make_unique<ComparedWalk>(jvmti, jni);
}

void StackAudit::Begin(double share) {
  for (auto& count : g_counts) count.store(0, std::memory_order_relaxed);
  {
    Examples& examples = TheExamples();
    const std::lock_guard lock(examples.mutex);
    examples.lines.clear();
    examples.made = 0;
  }
  const uint64_t threshold = share >= 1 ? UINT64_MAX : static_cast<uint64_t>(std::ldexp(share, 64));
  threshold_.store(std::max<uint64_t>(threshold, 1), std::memory_order_relaxed);
}

void StackAudit::End() { threshold_.store(0, std::memory_order_relaxed); }

AuditCounts StackAudit::Counts() {
  AuditCounts counts;
  for (size_t i = 0; i < kAuditResults; ++i) {
    counts.by_result[i] = g_counts[i].load(std::memory_order_relaxed);
  }
  return counts;
}

std::vector<std::string> StackAudit::TakeExamples() {
  Examples& examples = TheExamples();
  const std::lock_guard lock(examples.mutex);
  return std::exchange(examples.lines, {});
}

}  // namespace jprof
