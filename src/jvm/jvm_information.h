// JvmInformation: the description of the JVM in a recording: jdk.JVMInformation and
// jdk.InitialSystemProperty. Secrets are redacted here (redaction.h), so nothing behind this header
// ever sees them.
//
// Called at start of a session, outside handlers, on any thread. `jvmti` works from the OnLoad
// phase on. Strings are valid UTF-8. A value that this JVM does not tell is empty; nothing here
// fails a start.
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
  std::string jvm_version;     // the VM's own sentence: "... JRE (25.0.3+9-LTS), built on ..."
  std::string jvm_arguments;   // of the command line and JDK_JAVA_OPTIONS, joined by spaces
  std::string jvm_flags;       // of .hotspotrc and -XX:Flags
  std::string java_arguments;  // main class or jar, then its arguments
  int64_t start_epoch_ms = 0;  // when the process was created (10 ms steps), not the VM in it
  int64_t pid = 0;
};

JvmInformation ReadJvmInformation(jvmtiEnv* jvmti, const VmStatics& statics);

// The VM's own properties in its order, as they are now; a property set by Java code alone is not
// among them.
std::vector<std::pair<std::string, std::string>> ReadSystemProperties(jvmtiEnv* jvmti);

// 11, 17, 21, ...; less than 9 for JDK 8 and for a JVM that does not tell.
int JdkRelease(jvmtiEnv* jvmti);

// Whether the JVM was started with exactly this argument.
bool HasJvmArgument(const VmStatics& statics, std::string_view argument);

// The JVM's part of a launcher's command line: the words before the main class, -jar or -m. For
// JVMs that do not export their arguments.
std::vector<std::string> JvmPartOf(const std::vector<std::string>& command_line);

}  // namespace jprof
