// ListJvms: the JVMs that run on this machine, as far as the caller may look.
//
// Reads /proc; starts nothing, touches none of them. jprof's one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace jprof {

struct JvmDescription {
  pid_t pid = 0;
  std::string user;      // its name here, else the number
  std::string jdk;       // "25.0.3"; empty if it cannot be told
  std::string profiled;  // "recording", "loaded" or empty
  std::string program;   // main class, jar or module
};

// In the order of pids. Of processes whose mappings may not be read, those that are named java.
std::vector<JvmDescription> ListJvms();

// Those that `name` means: of the program the whole, or its last part (Main of com.example.Main,
// app.jar of /srv/app.jar); if there are none, those that contain `name`.
std::vector<JvmDescription> MatchingJvms(const std::vector<JvmDescription>& jvms,
                                         const std::string& name);

}  // namespace jprof
