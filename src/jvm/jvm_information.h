// The description of the JVM in a recording, for the events jdk.JVMInformation and
// jdk.InitialSystemProperty. ReadJvmInformation and ReadSystemProperties redact secrets
// (redaction.h), so their callers never see a secret.
//
// Called at the start of the sampler, outside signal handlers, on any thread, from the OnLoad phase
// on. Strings are valid UTF-8. A value that the JVM does not report is empty: no function fails.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jvm/vm_structs.h"

namespace jprof {

struct JvmInformation {
  std::string jvm_name;
  std::string jvm_version;     // the VM's text: "... JRE (25.0.3+9-LTS), built on ..."
  std::string jvm_arguments;   // arguments of the command line and JDK_JAVA_OPTIONS
  std::string jvm_flags;       // flags of .hotspotrc and -XX:Flags
  std::string java_arguments;  // main class or jar, then its arguments
  int64_t start_epoch_ms = 0;  // the process's start, not the VM's; a multiple of 10 ms
  int64_t pid = 0;
};

JvmInformation ReadJvmInformation(jvmtiEnv* jvmti, const VmStatics& statics);

// Returns the VM's own properties with their current values, in the VM's order. Properties that
// only Java code has set are not included.
std::vector<std::pair<std::string, std::string>> ReadSystemProperties(jvmtiEnv* jvmti);

// Returns the release of the JDK: 11, 17, 21, ...; less than 9 for JDK 8 and for a JVM that does
// not report its release.
int JdkRelease(jvmtiEnv* jvmti);
inline constexpr int kFirstJdkWithVirtualThreads = 21;

// True if the JVM was started with exactly this argument.
bool HasJvmArgument(const VmStatics& statics, std::string_view argument);

// Returns the JVM's arguments in the command line of a Java launcher: the words before the main
// class, -jar or -m. Used for JVMs that do not export their arguments.
std::vector<std::string> JvmArgumentsIn(const std::vector<std::string>& command_line);

}  // namespace jprof
