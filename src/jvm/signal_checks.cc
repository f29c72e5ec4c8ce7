#include "jvm/signal_checks.h"

#include <dlfcn.h>

#include <csignal>
#include <optional>
#include <string_view>

#include "jvm/jvm_information.h"
#include "jvm/vm_flags.h"

namespace jprof {
namespace {

// The JVM has told libjsig of its handlers, so libjsig was there before.
bool IsUnderLibjsig() {
  using Find = struct sigaction* (*)(int signal);
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "JVM_get_signal_action"));
  return find != nullptr && find(SIGSEGV) != nullptr;
}

// `argument` where the JVM does not export its flags (8).
bool IsOn(const VmStructs& structs, std::string_view flag, std::string_view argument) {
  const std::optional<bool> value = BoolFlag(structs, flag);
  return value ? *value : HasJvmArgument(structs.statics, argument);
}

}  // namespace

bool JvmChecksSignalHandlers(const VmStructs& structs) {
  return IsOn(structs, "CheckJNICalls", "-Xcheck:jni") &&
         !IsOn(structs, "AllowUserSignalHandlers", "-XX:+AllowUserSignalHandlers") &&
         !IsUnderLibjsig();
}

}  // namespace jprof
