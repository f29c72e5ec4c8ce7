// The entry points of the library: the functions that the JVM calls, and the C API
// (include/profiler/profiler.h).
//
// At launch, a wrong option string ends the JVM (JNI_ERR), as usual for agents. Every other failure
// prints one line, and the program runs unprofiled. When the library is attached to a running JVM,
// no failure ends the JVM; jcmd gets the return code.

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

// Writes the answer to the file at `path`, the value of the option answer=. Logs the answer if
// `path` is nullopt or the file cannot be written.
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

// Delivers the answer if the caller still waits. If the caller has gone during the delivery,
// removes the answer file again. A caller that goes later removes the answer file itself.
void DeliverTo(const AnswerCaller& caller, const std::optional<std::string>& path,
               const Result<AgentAnswer>& answer) {
  if (caller.IsGone()) return;
  Deliver(path, answer);
  if (caller.IsGone()) unlink(path->c_str());
}

// Returns the path of the answer file, if there is one. It can be given even in an option string
// that is refused.
std::optional<std::string> AnswerFileOf(const Result<Options>& options, std::string_view text) {
  return options ? options.value().answer_file : FindAnswerFile(text);
}

// Stops the recording that the command `started` has begun. Called if the caller has gone since
// RecordingControl::Start checked this. A recording with a lease is not stopped here, because it
// ends with the lease.
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
  // The success of a start is reported later: the recording starts when the JVM is initialised.
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

// The JVM calls this once for each time that it has loaded the library. Nothing is left to do:
// VMDeath has ended the recording, and the library stays mapped (-z nodelete).
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
