// Validation: what the probes, the thread that asks for stacks, and the engine share in a
// recording.
//
// Thread-safe; not for handlers. Probes can still run after the recording has ended, so they take
// the object from TheValidation.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engines/validate/agct_note_file.h"
#include "engines/validate/comparison_sums.h"
#include "engines/validate/compiled_code.h"
#include "engines/validate/judged_stack.h"
#include "engines/validate/probed_methods.h"
#include "os/pages.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/validation/agct_calls.h"
#include "sigsafe/validation/shadow_stacks.h"
#include "sigsafe/validation/stack_comparison.h"

namespace jprof {

// The memory of the shadow stacks and of the request. There is one object per process, which is
// never freed, because late probes and handlers use it.
struct ValidationMemory {
  explicit ValidationMemory(const ShadowStacks& shadow) : stacks(shadow), comparison(stacks) {}

  ShadowStacks stacks;
  StackComparison comparison;

  static Result<ValidationMemory*> OfProcess();
};

class Validation {
 public:
  // `note`: the note of calls of AsyncGetCallTrace; nullopt for no such calls.
  static Result<std::shared_ptr<Validation>> Make(jvmtiEnv* jvmti,
                                                  std::optional<AgctNoteFile> note);

  // Returns the stack of the walker, callee first, without the frames that are not of Java.
  // `declares` is set to true if the stack says that frames are missing.
  std::vector<JudgedFrame> JudgedOf(const Frame* frames, size_t count, bool* declares) const;
  std::vector<JudgedFrame> JudgedOf(const AsgctFrame* frames, size_t count) const;
  std::vector<TrueEntry> TruthOf(const ShadowEntry* entries, size_t count) const;

  // Counts a result, and keeps an example if it is wanted. `place` is the interrupted instruction;
  // nullptr for the entry of a method.
  void Count(ComparisonKey key, std::span<const JudgedFrame> walked,
             std::span<const TrueEntry> truth, const ExamplePlace* place = nullptr);

  jvmtiEnv* jvmti() const { return jvmti_; }
  // Returns the object that calls AsyncGetCallTrace; nullptr if it is not called.
  AgctCalls* asgct() { return asgct_ ? &*asgct_ : nullptr; }
  // Removes the note of these calls. No call that is made from now on is noted.
  void RemoveNote() {
    if (note_) note_->Remove();
  }
  ValidationMemory& memory() const { return memory_; }
  // Returns the counters of ShadowProbes.java, an int for each number.
  void* countdowns() const { return countdowns_.region().data; }
  std::atomic<int32_t>& countdown(uint32_t number) const {
    return static_cast<std::atomic<int32_t>*>(countdowns())[number - methods.first()];
  }

  ProbedMethods methods;
  CompiledCode code;
  ComparisonSums sums;
  // The number of calls on threads for which there was no place. relaxed.
  std::atomic<uint64_t> unplaced{0};

 private:
  Validation(jvmtiEnv* jvmti, std::optional<AgctNoteFile> note, ValidationMemory& memory,
             Pages countdowns)
      : jvmti_(jvmti), note_(std::move(note)), memory_(memory), countdowns_(std::move(countdowns)) {
    if (note_) asgct_.emplace(note_->memory());
  }

  Cause CauseOf(std::span<const JudgedFrame> walked, std::span<const TrueEntry> truth,
                const ExamplePlace* place) const;

  jvmtiEnv* const jvmti_;
  std::optional<AgctNoteFile> note_;
  std::optional<AgctCalls> asgct_;
  ValidationMemory& memory_;
  const Pages countdowns_;
};

// Returns the object of the running recording; nullptr if none validates.
std::shared_ptr<Validation> TheValidation();
void SetTheValidation(std::shared_ptr<Validation> validation);

}  // namespace jprof
