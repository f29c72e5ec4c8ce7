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
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/validate/comparison_sums.h"
#include "engines/validate/compiled_code.h"
#include "engines/validate/probed_methods.h"
#include "os/pages.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/stack_walker.h"
#include "sigsafe/validation/shadow_stacks.h"
#include "sigsafe/validation/stack_comparison.h"

namespace jprof {

// The memory of the shadow stacks and of the request. There is one object per process, which is
// never freed, because late probes and handlers use it.
struct ValidationMemory {
  ShadowStacks stacks;
  StackComparison comparison;

  static Result<ValidationMemory*> OfProcess();
};

// Where a thread was interrupted.
struct ExamplePlace {
  uint64_t pc = 0;
  uint64_t java_pc = 0;  // ComparedStacks::java_pc
  InterruptedCode code = {};
};

class Validation {
 public:
  static Result<std::shared_ptr<Validation>> Make(jvmtiEnv* jvmti, bool wants_asgct);

  // Returns the stack of the walker, callee first, without the frames that are not of Java.
  // `declares` is set to true if the stack says that frames are missing.
  std::vector<JudgedFrame> JudgedOf(const Frame* frames, size_t count, bool* declares) const;
  std::vector<JudgedFrame> JudgedOf(const AsgctFrame* frames, size_t count) const;
  std::vector<TrueEntry> TruthOf(const ShadowEntry* entries, size_t count) const;

  // Counts a result, and keeps an example if it is wanted. `place` is the interrupted instruction;
  // nullptr for the entry of a method.
  void Count(const ComparisonKey& key, std::span<const JudgedFrame> walked,
             std::span<const TrueEntry> truth, const ExamplePlace* place = nullptr);

  jvmtiEnv* jvmti() const { return jvmti_; }
  bool wants_asgct() const { return wants_asgct_; }
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
  Validation(jvmtiEnv* jvmti, bool wants_asgct, ValidationMemory& memory, Pages countdowns)
      : jvmti_(jvmti),
        wants_asgct_(wants_asgct),
        memory_(memory),
        countdowns_(std::move(countdowns)) {}

  jvmtiEnv* const jvmti_;
  const bool wants_asgct_;
  ValidationMemory& memory_;
  const Pages countdowns_;
};

// Returns the object of the running recording; nullptr if none validates.
std::shared_ptr<Validation> TheValidation();
void SetTheValidation(std::shared_ptr<Validation> validation);

// Returns the tier of the innermost Java frame.
Tier TierOf(const Frame* frames, size_t count);

}  // namespace jprof
