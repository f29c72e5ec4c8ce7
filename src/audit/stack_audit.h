// StackAudit checks our own walker while a recording runs (option audit=). Of a share of the
// samples that a thread takes of itself, while it stands still in a callback of the JVM or in a
// probe, it compares the walked stack with the stack that JVMTI reports at the same moment.
//
//   StackAudit audit(jvmti, jni);
//   TakeSample(taker, subject, audit.source(), policy);
//
// The constructor decides whether the sample is audited. If so, the source walks the whole stack
// and keeps the frames, and the destructor asks the JVM and compares: after the sample is taken,
// while no guard and no walk buffer is held. No Java code of the thread runs in between, so the
// stack stays the same. Without audit=, the cost is one load.
//
// Used on attached threads for samples of the calling thread, in places where the JVM allows JVMTI
// and JNI calls. Not for signal handlers. README.md lists these places.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/audit_counts.h"
#include "sigsafe/sampling/sample_source.h"

namespace jprof {

// The frames of a walk that is audited.
class AuditedWalk {
 public:
  virtual ~AuditedWalk() = default;
  // Keeps the frames. Called on the audited thread, while the WalkScope of the walk lives.
  virtual void Keep(const SampledWalk& walk) = 0;
};

// The calling thread, as CallingThread. If the sample is audited, no RootBudget ends the walk before
// the buffer is full.
class AuditedThread : public CallingThread {
 public:
  // `audited` is nullptr if the sample is not audited.
  explicit AuditedThread(AuditedWalk* audited) : audited_(audited) {}

  SampledWalk Walk(const WalkEnvironment& environment, ThreadSlot& taker, const Subject& subject,
                   const WalkBuffer& buffer) const {
    if (audited_ == nullptr) return CallingThread::Walk(environment, taker, subject, buffer);
    const SampledWalk walk =
        WalkFrom(MountedOn(environment, taker, subject), buffer.depth, environment, taker, buffer);
    audited_->Keep(walk);
    return walk;
  }

 private:
  AuditedWalk* const audited_;
};

class StackAudit {
 public:
  StackAudit(jvmtiEnv* jvmti, JNIEnv* jni) {
    if (threshold_.load(std::memory_order_relaxed) != 0) Decide(jvmti, jni);
  }
  StackAudit(const StackAudit&) = delete;
  StackAudit& operator=(const StackAudit&) = delete;

  AuditedThread source() const { return AuditedThread(walk_.get()); }

  // Starts to audit `share` of the samples: a number greater than 0, at most 1. Called by the
  // sampler. REQUIRES: no recording is running.
  static void Begin(double share);
  // Ends this. An audit that is under way is still counted.
  static void End();

  // Returns the counts since Begin. Thread-safe.
  static AuditCounts Counts();
  // Returns and forgets descriptions of the first wrong stacks, one line each. Thread-safe.
  static std::vector<std::string> TakeExamples();

 private:
  void Decide(jvmtiEnv* jvmti, JNIEnv* jni);

  // A sample is audited if a random number is below this one; 0: no sample is. relaxed: the number
  // publishes no other value.
  static std::atomic<uint64_t> threshold_;

  std::unique_ptr<AuditedWalk> walk_;  // nullptr if the sample is not audited
};

}  // namespace jprof
