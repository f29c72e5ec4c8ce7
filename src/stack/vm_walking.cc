#include "stack/vm_walking.h"

#include <sched.h>

#include <utility>
#include <vector>

#include "base/log.h"
#include "jvm/libjvm.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/fault_handler.h"
#include "stack/walk_environments.h"

namespace jprof {
namespace {

// A walk takes microseconds; a thread might lose its processor in the middle of one.
constexpr Nanos kPatience = 5 * kNanosPerSecond;

void CatchFaults(LoadFaults faults) {
  ChangeWalkEnvironment([faults](WalkEnvironment& next) { next.faults = faults; });
}

// Waits until no walk is running. Returns false after kPatience. REQUIRES: walks that start from
// now on see that faults are not caught (walk_environment.h).
bool WaitForWalks() {
  const WalkBuffers* buffers = TheWalkEnvironment().buffers;
  const Nanos deadline_ns = MonotonicNanos() + kPatience;
  while (buffers != nullptr && buffers->AnyTaken()) {
    if (MonotonicNanos() > deadline_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<VmWalking>> VmWalking::Begin() {
  JPROF_CHECK(TheWalkEnvironment().vm != nullptr);
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  SetJvmFaultHook(reinterpret_cast<JvmFaultHook>(libjvm.value().Symbol("JVM_handle_linux_signal")));
  Result<FaultAction> faults = FaultAction::Install();
  if (!faults) return faults.error();
  std::unique_ptr<VmWalking> walking(new VmWalking(std::move(faults).value()));
  CatchFaults(LoadFaults::kCaught);
  Result<std::unique_ptr<UnwindPublisher>> tables =
      UnwindPublisher::Start([self = walking.get()] { self->MoveHandlersToFront(); });
  if (!tables) return tables.error();
  walking->tables_ = std::move(tables).value();
  return walking;
}

void VmWalking::MoveHandlersToFront() {
  if (is_given_up_) return;
  const Status in_front = FaultAction::MoveToFront();
  if (in_front) return;
  is_given_up_ = true;
  CatchFaults(LoadFaults::kFatal);
  Log::Warn("stacks are walked by AsyncGetCallTrace from now on: %s",
            in_front.error().message().c_str());
}

VmWalking::~VmWalking() {
  tables_.reset();  // from now on no thread calls MoveHandlersToFront
  CatchFaults(LoadFaults::kFatal);
  if (WaitForWalks()) return;
  Log::Warn(
      "a thread has been walking its stack for seconds: our handlers of SIGSEGV stay until the JVM "
      "ends");
  static auto* const kept = new std::vector<FaultAction>;
  kept->push_back(std::move(faults_));
}

}  // namespace jprof
