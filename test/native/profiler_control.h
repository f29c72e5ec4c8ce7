// The profiler's C API, looked up at run time, for workloads that start and stop recordings
// themselves.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <string>

namespace jprof::test {

// Gives `command` to the agent whose library is at the path `library`. Returns its answer, after
// "failed: " if the command was refused.
inline std::string Execute(const std::string& library, const std::string& command) {
  using Output = void (*)(const char* text, size_t length, void* context);
  using Call = int (*)(const char* command, Output output, void* context);
  void* const agent = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (agent == nullptr) return std::string("failed: ") + dlerror();
  const auto execute = reinterpret_cast<Call>(dlsym(agent, "profiler_execute"));
  std::string answer;
  const int code = execute(
      command.c_str(),
      [](const char* text, size_t length, void* context) {
        static_cast<std::string*>(context)->assign(text, length);
      },
      &answer);
  return code == 0 ? answer : "failed: " + answer;
}

}  // namespace jprof::test
