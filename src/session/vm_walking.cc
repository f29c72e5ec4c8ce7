#include "session/vm_walking.h"

#include <sched.h>

#include <utility>
#include <vector>

#include "base/log.h"
#include "jvm/libjvm.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/fault_handler.h"
#include "sigsafe/stack/walk_buffers.h"

namespace jprof {
namespace {

// A walk takes microseconds; a thread may lose its processor in the middle of one.
constexpr Nanos kPatience = 5 * kNanosPerSecond;

bool WaitForWalks() {
  const WalkBuffers* buffers = WalkBuffers::Active();
  const Nanos deadline_ns = MonotonicNanos() + kPatience;
  while (buffers != nullptr && buffers->AnyTaken()) {
    if (MonotonicNanos() > deadline_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<VmWalking>> VmWalking::Begin(const HotspotLayout& layout) {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  SetJvmFaultHook(reinterpret_cast<JvmFaultHook>(libjvm.value().Symbol("JVM_handle_linux_signal")));
  Result<FaultAction> faults = FaultAction::Install();
  if (!faults) return faults.error();
  Result<std::unique_ptr<UnwindPublisher>> tables = UnwindPublisher::Start();
  if (!tables) return tables.error();
  UseHotspotLayout(&layout);
  return std::unique_ptr<VmWalking>(
      new VmWalking(std::move(faults).value(), std::move(tables).value()));
}

VmWalking::~VmWalking() {
  UseHotspotLayout(nullptr);
  if (WaitForWalks()) return;
  Log::Warn("a thread has been walking its stack for seconds: the handlers of SIGSEGV stay");
  static auto* const kept = new std::vector<FaultAction>;
  kept->push_back(std::move(faults_));
}

}  // namespace jprof
