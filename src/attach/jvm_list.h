// ListJvms: the running JVMs of this machine that the caller may inspect.
//
// Reads /proc; does not interact with the JVMs. jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace jprof {

inline constexpr char kProfiledRecording[] = "recording";

struct JvmDescription {
  pid_t pid = 0;
  std::string user;          // its name on this machine, else the number
  std::string jdk;           // "25.0.3"; empty: unknown
  std::string profiled;      // kProfiledRecording, "loaded" or empty
  std::string program;       // main class, jar or module; of another launcher than java, its name
  bool is_readable = false;  // true: its mappings are, so jdk and profiled are known
  std::string main;          // what that other launcher has started; empty: unknown, or java's
};

// In the order of pids. A process whose mappings are not readable counts if it is named java.
std::vector<JvmDescription> ListJvms();

// The JVMs whose program or main is `name`, or has `name` as its last part (Main of
// com.example.Main, app.jar of /srv/app.jar); if there are none, those whose program or main
// contains `name`.
std::vector<JvmDescription> MatchingJvms(const std::vector<JvmDescription>& jvms,
                                         const std::string& name);

}  // namespace jprof
