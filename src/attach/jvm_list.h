// ListJvms: the running JVMs of this machine that the caller may inspect.
//
// Reads /proc and does not interact with the JVMs. Used on jprof's only thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "attach/containers.h"

namespace jprof {

inline constexpr char kProfiledRecording[] = "recording";

struct JvmDescription {
  pid_t pid = 0;
  std::string user;      // name of the user on this machine; the uid if there is no name
  std::string jdk;       // version of the JDK, such as "25.0.3"; empty if unknown
  std::string profiled;  // kProfiledRecording, "loaded" or empty
  std::string program;   // main class, jar or module; or the name of a launcher other than java
  // True if the mappings of the process are readable. Only then can jdk and profiled be known.
  bool is_readable = false;
  std::string main;       // see MainOf in java_command.h
  std::string container;  // ContainerFinder::NameOf; filled in by NameContainers
};

// Returns the JVMs in the order of their pids. A process whose mappings are not readable counts as
// a JVM if it is named java.
std::vector<JvmDescription> ListJvms();

// Fills in the container of each JVM.
void NameContainers(const ContainerFinder& finder, std::vector<JvmDescription>* jvms);

// Returns the JVMs of which `program` or `main` (JvmDescription) equals `name`, or has `name` as
// its last part. For example, `Main` is the last part of com.example.Main, and `app.jar` is the
// last part of /srv/app.jar. If there are no such JVMs, returns those of which `program` or `main`
// contains `name`.
std::vector<JvmDescription> MatchingJvms(const std::vector<JvmDescription>& jvms,
                                         const std::string& name);

}  // namespace jprof
