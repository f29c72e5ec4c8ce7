#include "sampler/walker_choice.h"

#include <dlfcn.h>

#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "jvm/jvm_information.h"
#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/check.h"
#include "sigsafe/sampling/sampling_state.h"
#include "stack/walk_environments.h"

namespace jprof {
namespace {

// True if libjsig knows the handlers of the JVM, so libjsig was loaded before the JVM.
bool IsUnderLibjsig() {
  using Find = struct sigaction* (*)(int signal);
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "JVM_get_signal_action"));
  return find != nullptr && find(SIGSEGV) != nullptr;
}

// True if the flag is on. If the JVM does not export its flags (JDK 8), true if it has `argument`.
bool IsOn(const VmStructs& structs, std::string_view flag, std::string_view argument) {
  const std::optional<bool> value = BoolFlag(structs, flag);
  return value ? *value : HasJvmArgument(structs.statics, argument);
}

// True if the JVM checks its signal handlers every few seconds, and prints a page of warnings each
// time a handler of SIGSEGV or SIGBUS is not its own. The JVM does so with -Xcheck:jni, unless it
// runs with -XX:+AllowUserSignalHandlers or under libjsig (jdk-17+35
// src/hotspot/os/posix/signals_posix.cpp, install_signal_handlers).
//
// Our walker needs a fault handler of its own, so in such a JVM AsyncGetCallTrace walks, and the
// answer to the start reports it. The alternatives fail or cost too much:
//  - Our handler called by the JVM's: the check compares addresses of functions
//    (check_signal_handler, in the same file), and the JVM decides once, while it starts, whether
//    it checks.
//  - Loads by system calls: two calls for each of the few hundred words of a walk.
//  - The VM's SafeFetch, whose faults its own handler knows: it is not exported, and a pointer to
//    the load function would cost every walk in every other JVM an indirect call.
bool JvmChecksSignalHandlers(const VmStructs& structs) {
  return IsOn(structs, "CheckJNICalls", "-Xcheck:jni") &&
         !IsOn(structs, "AllowUserSignalHandlers", "-XX:+AllowUserSignalHandlers") &&
         !IsUnderLibjsig();
}

StackMode ModeOf(StackWalker walker) {
  switch (walker) {
    case StackWalker::kVm:
      return StackMode::kVm;
    case StackWalker::kVmx:
      return StackMode::kVmx;
    case StackWalker::kFp:
      return StackMode::kFp;
    case StackWalker::kNo:
      return StackMode::kNo;
    case StackWalker::kAgct:
      break;
  }
  return StackMode::kAgct;
}

void SetStackMode(StackMode mode) {
  ChangeWalkEnvironment([mode](WalkEnvironment& next) { next.mode = mode; });
}

}  // namespace

std::unique_ptr<VmWalking> ChooseWalker(StackWalker walker, JvmConnection& jvm) {
  JPROF_CHECK(!Sampling().traces.active());
  SetStackMode(ModeOf(walker));
  if (walker == StackWalker::kAgct) return nullptr;
  Status possible = jvm.hotspot.walk;
  if (possible && JvmChecksSignalHandlers(jvm.structs)) {
    possible = Error(
        "-Xcheck:jni watches over the signal handlers: with -XX:+AllowUserSignalHandlers, or "
        "libjsig.so preloaded, it does not");
  }
  if (possible) {
    Result<std::unique_ptr<VmWalking>> walking = VmWalking::Begin();
    if (walking) {
      jvm.registry.Ignore(walking.value()->tid());
      return std::move(walking).value();
    }
    possible = walking.error();
  }
  SetStackMode(StackMode::kAgct);
  Log::Warn("stacks are walked by AsyncGetCallTrace: %s", possible.error().message().c_str());
  return nullptr;
}

}  // namespace jprof
