#include "walking/walking.h"

#include <dlfcn.h>
#include <sched.h>

#include <csignal>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "jvm/jvm_information.h"
#include "jvm/libjvm.h"
#include "jvm/vm_flags.h"
#include "os/pages.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/fault_handler.h"
#include "walking/walk_environments.h"

namespace jprof {
namespace {

// The longest wait for a running walk. A walk takes microseconds, but its thread might lose the
// processor in the middle of the walk.
constexpr Nanos kPatience = 5 * kNanosPerSecond;

void CatchFaults(LoadFaults faults) {
  ChangeWalkEnvironment([faults](WalkEnvironment& next) { next.faults = faults; });
}

// Guards the choice of the buffers of the process, and AllBuffers.
std::mutex& BuffersMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Returns all buffers that the process has had. They are never freed, because a preempted handler
// might still be writing to them.
std::vector<WalkBuffers*>& AllBuffers() {
  static auto* const all = new std::vector<WalkBuffers*>;
  return *all;
}

// True if a walk holds a buffer, also one that it claimed before there were larger ones.
bool AnyWalk() {
  const std::lock_guard lock(BuffersMutex());
  for (const WalkBuffers* buffers : AllBuffers()) {
    if (buffers->AnyTaken()) return true;
  }
  return false;
}

// Waits until no walk is running. Returns false if one is still running after kPatience. REQUIRES:
// walks that start from now on see that faults are not caught (walk_environment.h).
bool WaitForWalks() {
  const Nanos deadline_ns = MonotonicNanos() + kPatience;
  while (AnyWalk()) {
    if (MonotonicNanos() > deadline_ns) return false;
    sched_yield();
  }
  return true;
}

// True if libjsig has the handlers of the JVM, which means that libjsig was loaded before the JVM.
bool IsUnderLibjsig() {
  using Find = struct sigaction* (*)(int signal);
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "JVM_get_signal_action"));
  return find != nullptr && find(SIGSEGV) != nullptr;
}

// True if the flag is on. If the JVM does not export its flags (JDK 8), true if the JVM was started
// with `argument`.
bool IsOn(const VmStructs& structs, std::string_view flag, std::string_view argument) {
  const std::optional<bool> value = BoolFlag(structs, flag);
  return value ? *value : HasJvmArgument(structs.statics, argument);
}

// True if the JVM checks its signal handlers every few seconds, and prints a page of warnings each
// time a handler of SIGSEGV or SIGBUS is not its own. The JVM makes this check with -Xcheck:jni,
// unless it runs with -XX:+AllowUserSignalHandlers or under libjsig (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, install_signal_handlers).
//
// Our walker needs a fault handler of its own, so in such a JVM AsyncGetCallTrace walks the stacks,
// and the answer to the command `start` says so. Three alternatives fail or cost too much:
//  - To avoid the warnings: the check accepts only the address of the JVM's own handler
//    (check_signal_handler, in the same file). The JVM decides once, while it starts, whether it
//    checks.
//  - To load memory by system calls: that takes two calls for each of the few hundred words of a
//    walk.
//  - To load memory by the VM's SafeFetch, whose faults the VM's handler knows: SafeFetch is not
//    exported, and a pointer to the load function would cost every walk in every other JVM an
//    indirect call.
bool JvmChecksSignalHandlers(const VmStructs& structs) {
  return IsOn(structs, "CheckJNICalls", "-Xcheck:jni") &&
         !IsOn(structs, "AllowUserSignalHandlers", "-XX:+AllowUserSignalHandlers") &&
         !IsUnderLibjsig();
}

}  // namespace

Walking::Walking(const VmStructs& structs, const HotspotReading& hotspot, AsgctFunction asgct)
    : structs_(structs), hotspot_(hotspot) {
  ChangeWalkEnvironment([&](WalkEnvironment& next) {
    next.asgct = asgct;
    next.native_code = &NativeCode::OfProcess();
    next.vm = hotspot.knows_threads ? &hotspot.layout : nullptr;
  });
}

Result<Walking::Use> Walking::Begin() {
  const std::lock_guard lock(mutex_);
  if (uses_ == 0) {
    const Status started = Start();
    if (!started) return started.error();
  } else if (is_given_up_.load(std::memory_order_relaxed)) {
    return Error("another handler of SIGSEGV stays in front of ours");
  }
  UnwindPublisher::Update();
  ++uses_;
  return Use(this);
}

Status Walking::Start() {
  if (!hotspot_.walk) return hotspot_.walk;
  if (JvmChecksSignalHandlers(structs_)) {
    return Error(
        "-Xcheck:jni watches over the signal handlers: with -XX:+AllowUserSignalHandlers, or "
        "libjsig.so preloaded, it does not");
  }
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  SetJvmFaultHook(reinterpret_cast<JvmFaultHook>(libjvm.value().Symbol("JVM_handle_linux_signal")));
  Result<FaultAction> faults = FaultAction::Install();
  if (!faults) return faults.error();
  faults_ = std::move(faults).value();
  is_given_up_.store(false, std::memory_order_relaxed);
  CatchFaults(LoadFaults::kCaught);
  Result<std::unique_ptr<UnwindPublisher>> tables =
      UnwindPublisher::Start([this] { MoveHandlersToFront(); });
  if (!tables) {
    Stop();
    return tables.error();
  }
  tables_ = std::move(tables).value();
  return {};
}

void Walking::MoveHandlersToFront() {
  if (is_given_up_.load(std::memory_order_relaxed)) return;
  const Status in_front = FaultAction::MoveToFront();
  if (in_front) return;
  is_given_up_.store(true, std::memory_order_relaxed);
  CatchFaults(LoadFaults::kFatal);
  Log::Warn("stacks are walked by AsyncGetCallTrace from now on: %s",
            in_front.error().message().c_str());
}

void Walking::End() {
  const std::lock_guard lock(mutex_);
  if (--uses_ == 0) Stop();
}

void Walking::Stop() {
  tables_.reset();  // from now on no thread calls MoveHandlersToFront
  CatchFaults(LoadFaults::kFatal);
  if (WaitForWalks()) {
    faults_ = {};
    return;
  }
  Log::Warn(
      "a thread has been walking its stack for seconds: our handlers of SIGSEGV stay until the JVM "
      "ends");
  static auto* const kept = new std::vector<FaultAction>;
  kept->push_back(std::move(faults_));
}

std::optional<Tid> Walking::tables_thread() const {
  const std::lock_guard lock(mutex_);
  if (tables_ == nullptr) return std::nullopt;
  return tables_->tid();
}

Status Walking::EnsureBuffers() {
  const std::lock_guard lock(BuffersMutex());
  return TheWalkEnvironment().buffers != nullptr ? Status() : MakeBuffers(1, 0);
}

Status Walking::ReserveBuffers(uint32_t depth, uint32_t root_depth) {
  const std::lock_guard lock(BuffersMutex());
  return MakeBuffers(depth, root_depth);
}

// REQUIRES: the mutex of the buffers is held.
Status Walking::MakeBuffers(uint32_t depth, uint32_t root_depth) {
  WalkBuffers* current = TheWalkEnvironment().buffers;
  if (current == nullptr || current->capacity() < depth) {
    Result<Pages> pages = Pages::Reserve(WalkBuffers::RegionSize(depth));
    if (!pages) return pages.error();
    current = new WalkBuffers(pages.value().Leak(), depth);
    AllBuffers().push_back(current);
    ChangeWalkEnvironment([current](WalkEnvironment& next) { next.buffers = current; });
  }
  current->SetDepth(depth, root_depth);
  return {};
}

}  // namespace jprof
