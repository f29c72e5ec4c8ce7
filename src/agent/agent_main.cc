// The entry points of the library: the functions that the JVM calls, and the C API
// (include/profiler/profiler.h).
//
// At launch only a wrong option string ends the JVM (JNI_ERR), as usual for agents; every other
// failure prints one line and leaves the program unprofiled. On attach no failure ends the JVM, and
// the return code informs jcmd.

#include <jvmti.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "agent/answer_file.h"
#include "agent/command.h"
#include "answers/answer_text.h"
#include "base/log.h"
#include "base/version.h"
#include "os/own_work.h"
#include "profiler/profiler.h"

namespace jprof {
namespace {

// Writes the answer to the file `path`, the value of answer=. Logs the answer if there is no path,
// or if the file cannot be written.
void Deliver(const std::optional<std::string>& path, const Result<AgentAnswer>& answer) {
  if (!path) {
    LogAnswer(answer);
    return;
  }
  const Status written = WriteAnswerFile(*path, answer);
  if (written) return;
  Log::ErrorLine("the answer cannot be delivered: %s", written.error().message().c_str());
  LogAnswer(answer);
}

// Delivers the answer unless the caller has gone, and removes the answer file again if the caller
// has gone meanwhile. A caller that goes after the second check removes the answer file itself.
void DeliverTo(const AnswerCaller& caller, const std::optional<std::string>& path,
               const Result<AgentAnswer>& answer) {
  if (caller.IsGone()) return;
  Deliver(path, answer);
  if (caller.IsGone()) unlink(path->c_str());
}

// Returns the path that the answer is written to. An option string that is refused can name a path,
// too.
std::optional<std::string> AnswerFileOf(const Result<Options>& options, std::string_view text) {
  return options ? options.value().answer_file : FindAnswerFile(text);
}

// Stops the recording that the command `started` began, because the caller went away after the last
// check of Start. Does nothing if the recording has a lease, because the recording ends with the
// lease.
void StopForGoneCaller(const Options& started) {
  if (started.command == Command::kStart && !started.lease_file) {
    const OwnWork work;
    static_cast<void>(TheRecordingControl().Stop({}));
  }
}

}  // namespace
}  // namespace jprof

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* given, void*) {
  const char* text = given == nullptr ? "" : given;
  const jprof::Result<jprof::Options> options = jprof::ParseOptions(text);
  const std::optional<std::string> path = jprof::AnswerFileOf(options, text);
  if (!options) {
    jprof::Deliver(path, options.error());
    return JNI_ERR;
  }
  const jprof::Result<jprof::AgentAnswer> answer = jprof::Execute(vm, options.value());
  // A successful start is reported when the recording starts, once the JVM is initialised.
  if (!answer || options.value().command != jprof::Command::kStart) {
    jprof::Deliver(path, answer);
  }
  return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* given, void*) {
  const char* text = given == nullptr ? "" : given;
  const jprof::Result<jprof::Options> options = jprof::ParseOptions(text);
  const std::optional<std::string> path = jprof::AnswerFileOf(options, text);
  const jprof::AnswerCaller caller = jprof::AnswerCaller::Of(path);
  if (caller.IsGone()) return JNI_ERR;
  if (!options) {
    jprof::DeliverTo(caller, path, options.error());
    return JNI_ERR;
  }
  const jprof::Result<jprof::AgentAnswer> answer =
      jprof::Execute(vm, options.value(), [&caller] { return !caller.IsGone(); });
  jprof::DeliverTo(caller, path, answer);
  if (answer && caller.IsGone()) jprof::StopForGoneCaller(options.value());
  return answer ? JNI_OK : JNI_ERR;
}

// The JVM calls this once per load of the library. Nothing is left to do: VMDeath has ended the
// recording, and the library stays mapped (-z nodelete).
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM*) {}

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
