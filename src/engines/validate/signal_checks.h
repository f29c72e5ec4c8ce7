// SignalChecks asks running threads for their stacks, one after another and at any instruction, and
// judges the answers (sigsafe/validation/stack_comparison.h).
//
// A thread is asked if it has used CPU time since the last look. A stack whose verdict depends on
// debug information is held (held_stacks.h).
//
// Start and Stop are called by the engine, outside handlers.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engines/validate/held_stacks.h"
#include "engines/validate/late_stacks.h"
#include "engines/validate/validation.h"
#include "os/signal_action.h"
#include "os/stoppable_thread.h"
#include "threads/thread_registry.h"

namespace jprof {

class SignalChecks {
 public:
  // REQUIRES: `registry` outlives the object. `interval_ns` is the shortest time between two looks
  // at the threads; 0 for none. The signal differs from `avoid`.
  static Result<std::unique_ptr<SignalChecks>> Start(ThreadRegistry& registry, JavaVM* vm,
                                                     std::shared_ptr<Validation> validation,
                                                     Nanos interval_ns, int avoid);
  ~SignalChecks() { Stop(); }

  // Stops asking, judges the held stacks, and waits until no handler answers. Repeated calls have
  // no effect.
  void Stop();

  int signal() const { return signal_; }

 private:
  // One of so many requests also asks the JVM for the stack.
  static constexpr uint32_t kLateShare = 16;

  struct Candidate {
    Tid tid;
    uint32_t slot_index;
    int64_t java_id;
  };

  SignalChecks(ThreadRegistry& registry, JavaVM* vm, std::shared_ptr<Validation> validation,
               Nanos interval_ns, int signal, SignalAction action)
      : registry_(registry),
        vm_(vm),
        validation_(std::move(validation)),
        interval_ns_(interval_ns),
        signal_(signal),
        action_(std::move(action)),
        held_(validation_->code, validation_->methods) {}

  void Run(const StopEvent& stop);
  std::vector<Candidate> RunningThreads();
  void Ask(const Candidate& candidate, LateStacks& late);
  void CompareLate(const ComparedStacks& answer, const std::vector<jvmtiFrameInfo>& frames);
  const ComparedStacks* Await(Tid tid);
  void JudgeAnswer(const ComparedStacks& answer);
  void JudgeOurs(const ComparedStacks& answer, const std::vector<TrueEntry>& truth);
  void JudgeAsgct(const ComparedStacks& answer, const std::vector<TrueEntry>& truth);
  // Marks the frames at the top as compiled and inlined if the debug information of the instruction
  // has the same frames.
  void MarkTop(uint64_t pc, std::vector<JudgedFrame>* walked) const;
  void CountNotJudged(Verdict verdict);
  // Judges held stacks whose code is known, and those that have waited long enough.
  void JudgeHeld(bool is_last);

  ThreadRegistry& registry_;
  JavaVM* const vm_;
  const std::shared_ptr<Validation> validation_;
  const Nanos interval_ns_;
  const int signal_;
  SignalAction action_;
  std::map<Tid, Nanos> cpu_ns_;  // the CPU time of each thread at the last look
  HeldStacks held_;
  uint32_t asked_ = 0;  // number of requests
  StoppableThread thread_;
};

}  // namespace jprof
