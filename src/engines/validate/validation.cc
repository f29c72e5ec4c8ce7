#include "engines/validate/validation.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

std::mutex g_mutex;
std::shared_ptr<Validation>* g_validation;  // guarded by g_mutex; never destroyed

// Returns the text of a stack, a frame a line, callee first. Successive frames that are not probed
// share a line.
std::string TextOfStack(const ProbedMethods& methods, std::span<const JudgedFrame> frames) {
  std::string text;
  size_t unprobed = 0;
  const auto end_unprobed = [&] {
    if (unprobed != 0) text += "(" + std::to_string(std::exchange(unprobed, 0)) + " not probed)\n";
  };
  for (const JudgedFrame& frame : frames) {
    if (frame.number == 0) {
      ++unprobed;
      continue;
    }
    end_unprobed();
    text += methods.TextOf(frame.number) + " @ " + std::to_string(frame.bci) +
            (frame.is_inlined ? " inlined" : "") + (frame.is_in_probes ? " in its probes" : "") +
            '\n';
  }
  end_unprobed();
  return text;
}

std::string TextOfStack(const ProbedMethods& methods, std::span<const TrueEntry> truth) {
  std::string text;
  int32_t bci = -1;
  for (size_t i = truth.size(); i > 0; --i) {
    text += methods.TextOf(truth[i - 1].number) +
            (bci < 0 ? std::string() : " @ " + std::to_string(bci)) + '\n';
    bci = truth[i - 1].caller_bci;
  }
  return text;
}

// Returns the text of AppendPlace, after "in /lib/libx.so at 0x1234, " if the code was not generated.
std::string TextOfPlace(const ExamplePlace& place) {
  constexpr size_t kMost = 512;
  char memory[kMost];
  BoundedText text(memory, kMost);
  AppendPlace(place.pc, place.java_pc, place.code, text);
  Dl_info library;
  if (place.code.begin != 0 || dladdr(reinterpret_cast<void*>(place.pc), &library) == 0) {
    return std::string(text.view());
  }
  char offset[24];
  BoundedText hex(offset, sizeof offset);
  hex.AppendHex(place.pc - reinterpret_cast<uint64_t>(library.dli_fbase));
  return "in " + std::string(library.dli_fname) + " at 0x" + std::string(hex.view()) + ", " +
         std::string(text.view());
}

}  // namespace

Result<ValidationMemory*> ValidationMemory::OfProcess() {
  static std::mutex mutex;
  static ValidationMemory* made = nullptr;
  const std::lock_guard lock(mutex);
  if (made != nullptr) return made;
  Result<Pages> pages = Pages::Reserve(ShadowStacks::kBytes);
  if (!pages) return pages.error();
  made = new ValidationMemory(ShadowStacks(pages.value().Leak()));
  return made;
}

Result<std::shared_ptr<Validation>> Validation::Make(jvmtiEnv* jvmti,
                                                     std::optional<AgctNoteFile> note) {
  const Result<ValidationMemory*> memory = ValidationMemory::OfProcess();
  if (!memory) return memory.error();
  Result<Pages> countdowns = Pages::Reserve(ProbedMethods::kMost * sizeof(int32_t));
  if (!countdowns) return countdowns.error();
  return std::shared_ptr<Validation>(
      new Validation(jvmti, std::move(note), *memory.value(), std::move(countdowns).value()));
}

std::vector<JudgedFrame> Validation::JudgedOf(const Frame* frames, size_t count,
                                              bool* declares) const {
  std::vector<JudgedFrame> judged;
  judged.reserve(count);
  for (const Frame& frame : std::span(frames, count)) {
    if (frame.kind == FrameKind::kOutcome) *declares = true;
    if (!IsJava(frame)) continue;
    JudgedFrame each;
    each.number = methods.NumberOf(frame.id);
    each.bci = frame.bci;
    each.is_inlined = frame.kind == FrameKind::kInlined;
    each.is_compiled = each.is_inlined || frame.kind == FrameKind::kC1Compiled ||
                       frame.kind == FrameKind::kC2Compiled;
    each.is_in_probes = each.number != 0 && methods.IsInProbes(each.number, each.bci);
    judged.push_back(each);
  }
  return judged;
}

std::vector<JudgedFrame> Validation::JudgedOf(const AsgctFrame* frames, size_t count) const {
  std::vector<JudgedFrame> judged;
  judged.reserve(count);
  for (const AsgctFrame& frame : std::span(frames, count)) {
    JudgedFrame each;
    each.number = methods.NumberOf(static_cast<jmethodID>(frame.method_id));
    each.bci = frame.bci;
    each.is_in_probes = each.number != 0 && methods.IsInProbes(each.number, each.bci);
    judged.push_back(each);
  }
  return judged;
}

std::vector<TrueEntry> Validation::TruthOf(const ShadowEntry* entries, size_t count) const {
  std::vector<TrueEntry> truth;
  truth.reserve(count);
  for (const ShadowEntry entry : std::span(entries, count)) {
    truth.push_back({NumberOf(entry), CallerIndexOf(entry)});
  }
  return truth;
}

Cause Validation::CauseOf(std::span<const JudgedFrame> walked, std::span<const TrueEntry> truth,
                          const ExamplePlace* place) const {
  if (place != nullptr) {
    const InterruptedCode& found = place->code;
    return {found.name, found.is_method && found.name[0] != 0 ? 0 : place->pc};
  }
  const uint32_t entered =
      !truth.empty() ? truth.back().number : (walked.empty() ? 0 : walked.front().number);
  return {"entry of " + (entered == 0 ? std::string("a method") : methods.TextOf(entered))};
}

void Validation::Count(ComparisonKey key, std::span<const JudgedFrame> walked,
                       std::span<const TrueEntry> truth, const ExamplePlace* place) {
  if (IsDifference(key.verdict)) key.cause = CauseOf(walked, truth, place);
  if (!sums.Add(key)) return;
  sums.AddExample({key, MonotonicNanos(), place == nullptr ? 0 : place->pc,
                   place == nullptr ? std::string() : TextOfPlace(*place),
                   TextOfStack(methods, truth), TextOfStack(methods, walked)});
}

std::shared_ptr<Validation> TheValidation() {
  const std::lock_guard lock(g_mutex);
  return g_validation == nullptr ? nullptr : *g_validation;
}

void SetTheValidation(std::shared_ptr<Validation> validation) {
  const std::lock_guard lock(g_mutex);
  if (g_validation == nullptr) g_validation = new std::shared_ptr<Validation>;
  std::swap(*g_validation, validation);
}

}  // namespace jprof
