#include "agent/command.h"

#include <optional>
#include <utility>

#include "agent/answer_file.h"
#include "agent/java_bridge.h"
#include "answers/answer_text.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "base/version.h"
#include "jvm/jni_scope.h"
#include "jvm/libjvm.h"
#include "jvm/vm_structs.h"
#include "options/file_pattern.h"
#include "options/help_text.h"
#include "os/native_thread.h"
#include "os/own_work.h"
#include "profiler/profiler.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

// True if it is safe to attach a thread to the JVM, which might still be starting. Also true if the
// JVM does not export its list of threads.
//
// JDK 8 accepts a thread at any time. If the main thread has no Java object yet, JDK 8 then calls
// methods of java.lang.Thread that are not linked, and jumps to address 0 (jdk8u
// hotspot/src/share/vm/runtime/thread.cpp, Threads::create_vm: create_initial_thread; agents
// receive VMStart before that). From JDK 14 on, the list of threads is exported in another way, and
// VMStart comes later.
bool MayAttach(const VmStructs& structs) {
  const uint64_t* const list = structs.statics.first_thread;
  if (list == nullptr || !structs.fields.thread_object) return true;
  // The head of the list is the newest thread. No thread ends while the JVM creates its first ones.
  const uint64_t thread = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  if (thread == 0) return false;
  const auto* const object =
      reinterpret_cast<const uint64_t*>(thread + *structs.fields.thread_object);
  return __atomic_load_n(object, __ATOMIC_ACQUIRE) != 0;
}

Status WriteText(const std::string& path, const std::string& text) {
  Result<OutputPlace> place = OutputPlace::Resolve(path);
  if (!place) return place.error();
  if (place.value().kind() == OutputPlace::Kind::kStream) {
    const Result<ScopedFd> stream = place.value().OpenStream(OutputPlace::Unread::kRefuse);
    return stream ? WriteAll(stream.value().get(), text, path) : stream.error();
  }
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  const Status written = WriteAll(file.value().fd(), text, path);
  return written ? file.value().Publish() : written;
}

// Applies loglevel= and log=.
Status ApplyLogOptions(const Options& options) {
  if (options.log_level) Log::SetLevel(*options.log_level);
  if (options.log_file) return Log::SetFile(*options.log_file);
  return {};
}

// Executes the command `help` or `version`. With file=, writes the text to that file, and the
// answer is the name of the file.
Result<AgentAnswer> AnswerInfo(const Options& options) {
  const std::string text = options.command == Command::kHelp
                               ? HelpText()
                               : std::string("jprof ") + JprofVersion() + "\n";
  AgentAnswer answer;
  if (!options.file) {
    answer.facts.AddText("text", text);
    return answer;
  }
  const Result<std::string> path =
      ExpandFilePattern(*options.file, FilePatternContext::OfThisProcess());
  if (!path) return path.error();
  const Status written = WriteText(path.value(), text);
  if (!written) return written.error();
  answer.kind = AnswerKind::kWritten;
  answer.facts.AddText("file", path.value());
  return answer;
}

Result<JavaVM*> JvmOfThisProcess() {
  JavaVM* vm = TheRecordingControl().vm();
  if (vm != nullptr) return vm;
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  using GetCreated = jint(JNICALL*)(JavaVM**, jsize, jsize*);
  const auto get_created =
      reinterpret_cast<GetCreated>(libjvm.value().Symbol("JNI_GetCreatedJavaVMs"));
  jsize count = 0;
  if (get_created == nullptr || get_created(&vm, 1, &count) != JNI_OK || count == 0) {
    return Error("there is no JVM in this process; while it is starting, call profiler_execute_in");
  }
  return vm;
}

// Writes the result of the start at the launch of the JVM to the file that the option answer=
// names. Logs the result if the option is not set, if the file cannot be written, or if the start
// failed, because the program then runs unprofiled.
void DeliverStart(const Options& options, const Result<AgentAnswer>& started) {
  if (options.answer_file) {
    const Status written = WriteAnswerFile(*options.answer_file, started);
    if (written && started) return;
    if (!written) {
      Log::ErrorLine("the answer cannot be delivered: %s", written.error().message().c_str());
    }
  }
  RecordingControl::LogStart(started);
}

// Starts the recording as soon as the JVM lets an agent connect. A thread polls for this, because
// the JVM sends no events to an agent that is not connected yet. The thread needs no time limit: if
// the JVM fails to start, the process ends.
Result<AgentAnswer> StartWhenLive(JavaVM* vm, const Options& options) {
  Result<NativeThread> thread = NativeThread::Start("jprof-launch", [vm, options] {
    constexpr Nanos kBetweenLooks = kNanosPerSecond / 500;
    const Result<VmStructs> structs = LoadVmStructs();
    std::optional<JniScope> jni;
    Status connected = Error(ErrorKind::kJvmIsStarting);
    do {
      RawSleep(kBetweenLooks);
      const bool may_attach = !structs || MayAttach(structs.value());
      if (!jni && may_attach && JvmOfThisProcess()) jni.emplace(vm, "jprof launch");
      if (jni) connected = TheRecordingControl().Connect(vm);
    } while (!connected && connected.error().kind() == ErrorKind::kJvmIsStarting);
    if (connected) JavaBridge::Provide(vm);
    DeliverStart(options, connected ? TheRecordingControl().Start(options) : connected.error());
  });
  if (!thread) return thread.error();
  thread.value().Detach();
  return AgentAnswer{AnswerKind::kStartsLater};
}

// REQUIRES: TheRecordingControl() is connected, in the live phase.
Result<AgentAnswer> ExecuteLive(const Options& options, const std::function<bool()>& is_awaited) {
  switch (options.command) {
    case Command::kStart:
      return TheRecordingControl().Start(options, is_awaited);
    case Command::kStop:
      return TheRecordingControl().Stop(options);
    case Command::kDump:
      return TheRecordingControl().Dump(options);
    case Command::kMethods:
      return TheRecordingControl().Methods();
    case Command::kStatus:
    case Command::kHelp:
    case Command::kVersion:
      break;
  }
  JPROF_CHECK(options.command == Command::kStatus);
  AgentAnswer answer = TheRecordingControl().CurrentStatus();
  answer.version = JprofVersion();
  return answer;
}

}  // namespace

RecordingControl& TheRecordingControl() {
  static RecordingControl* control = new RecordingControl(&JavaBridge::Provide, &DeliverStart);
  return *control;
}

Result<AgentAnswer> Execute(JavaVM* vm, const Options& options,
                            const std::function<bool()>& is_awaited) {
  // This check comes before any lock is taken: in a forked child, a lock might be held forever, by
  // a thread that exists only in the parent.
  if (InForkedChild()) {
    return Error(
        "this process was forked from a JVM and runs no Java: give the command to the JVM itself");
  }
  const Status logging = ApplyLogOptions(options);
  if (!logging) return logging.error();
  if (options.command == Command::kHelp || options.command == Command::kVersion) {
    return AnswerInfo(options);
  }
  if (OwnWork::IsOnThisThread()) {
    return Error(
        "busy: this thread works for the profiler already, which has raised the event that gives "
        "the command: give it on another thread",
        ErrorKind::kBusy);
  }
  const OwnWork work;
  if (vm == nullptr) {
    const Result<JavaVM*> found = JvmOfThisProcess();
    if (!found) return found.error();
    vm = found.value();
  }
  const Status connected = TheRecordingControl().Connect(vm);
  const bool is_start = options.command == Command::kStart;
  if (!connected) {
    const bool comes_early = connected.error().kind() == ErrorKind::kJvmIsStarting;
    return comes_early && is_start ? StartWhenLive(vm, options) : connected.error();
  }
  if (!TheRecordingControl().IsLaunching()) {
    JavaBridge::Provide(vm);
    return ExecuteLive(options, is_awaited);
  }
  if (is_start) return TheRecordingControl().StartAtVmInit(options);
  return Error("nothing is being recorded at launch: start is the command to give here");
}

int CodeOf(const Result<AgentAnswer>& answer) {
  constexpr int kCodes[] = {
#define JPROF_ERROR_KIND(id, name, code, ...) code,
#include "base/error_kinds.def"
  };
  return answer ? PROFILER_OK : kCodes[static_cast<size_t>(answer.error().kind())];
}

int ExecuteText(JavaVM* vm, std::string_view text, std::string* answer) {
  const Result<Options> options = ParseOptions(text);
  const Result<AgentAnswer> result =
      options ? Execute(vm, options.value()) : Result<AgentAnswer>(options.error());
  *answer = result ? TextWithNotes(result.value()) : result.error().message();
  return CodeOf(result);
}

}  // namespace jprof
