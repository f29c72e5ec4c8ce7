#include "agent/command.h"
#include "base/version.h"
#include "profiler/profiler.h"

extern "C" {

__attribute__((visibility("default"))) int profiler_execute(const char* command,
                                                            profiler_output output, void* context) {
  return profiler_execute_in(nullptr, command, output, context);
}

__attribute__((visibility("default"))) int profiler_execute_in(void* java_vm, const char* command,
                                                               profiler_output output,
                                                               void* context) {
  std::string answer;
  const int code =
      jprof::ExecuteText(static_cast<JavaVM*>(java_vm), command == nullptr ? "" : command, &answer);
  if (output != nullptr) output(answer.data(), answer.size(), context);
  return code;
}

__attribute__((visibility("default"))) const char* profiler_version(void) {
  return jprof::JprofVersion();
}

}  // extern "C"
