#include <jvmti.h>

#include "agent/command.h"
#include "agent/version.h"
#include "jvm/libjvm.h"
#include "profiler/profiler.h"

namespace jprof {
namespace {

Result<JavaVM*> JvmOfThisProcess() {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  using GetCreated = jint(JNICALL*)(JavaVM**, jsize, jsize*);
  const auto get_created =
      reinterpret_cast<GetCreated>(libjvm.value().Symbol("JNI_GetCreatedJavaVMs"));
  JavaVM* vm = nullptr;
  jsize count = 0;
  if (get_created == nullptr || get_created(&vm, 1, &count) != JNI_OK || count == 0) {
    return Error("there is no JVM in this process");
  }
  return vm;
}

Result<AgentAnswer> ExecuteFromAnywhere(const Options& options) {
  const Result<JavaVM*> vm = JvmOfThisProcess();
  if (!vm) return vm.error();
  const Status connected = TheSession().Connect(vm.value());
  if (!connected) return connected.error();
  return Execute(options);
}

}  // namespace
}  // namespace jprof

extern "C" {

__attribute__((visibility("default"))) int profiler_execute(const char* command,
                                                            profiler_output output, void* context) {
  auto answer = [&](const std::string& text) {
    if (output != nullptr) output(text.data(), text.size(), context);
  };
  const jprof::Result<jprof::Options> options =
      jprof::ParseOptions(command == nullptr ? "" : command);
  if (!options) {
    answer(options.error().message());
    return PROFILER_INVALID_COMMAND;
  }
  const jprof::Result<jprof::AgentAnswer> result = jprof::ExecuteFromAnywhere(options.value());
  answer(result ? result.value().WithNotes() : result.error().message());
  return result ? PROFILER_OK : PROFILER_FAILED;
}

__attribute__((visibility("default"))) const char* profiler_version(void) {
  return jprof::kVersion;
}

}  // extern "C"
