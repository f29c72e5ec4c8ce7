// The functions of include/profiler/asgst_init.h, by which tools begin and end the use of the stack
// walking API.
#include <jvmti.h>

#include "agent/command.h"
#include "asgst/walk_service.h"
#include "base/log.h"
#include "jvm/jni_scope.h"
#include "jvm/libjvm.h"
#include "os/own_work.h"
#include "profiler/asgst_init.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

// True if `vm` is not the JVM of this process. While a JVM is starting, it is not listed yet.
bool IsOtherJvm(const JavaVM* vm) {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return true;
  using GetCreated = jint(JNICALL*)(JavaVM**, jsize, jsize*);
  const auto get_created =
      reinterpret_cast<GetCreated>(libjvm.value().Symbol("JNI_GetCreatedJavaVMs"));
  JavaVM* created = nullptr;
  jsize count = 0;
  return get_created != nullptr && get_created(&created, 1, &count) == JNI_OK && count == 1 &&
         created != vm;
}

// Logs the reason why no use has begun, and returns `result`.
int Refused(int result, const Error& error) {
  Log::Warn("stacks cannot be walked for other tools: %s", error.message().c_str());
  return result;
}

int BeginUse(JavaVM* vm, bool with_method_ids) {
  const OwnWork work;
  const Status connected = TheRecordingControl().Connect(vm);
  if (!connected) {
    if (connected.error().kind() == ErrorKind::kJvmIsStarting) return PROFILER_ASGST_TOO_EARLY;
    return Refused(PROFILER_ASGST_FAILED, connected.error());
  }
  if (TheRecordingControl().IsLaunching()) return PROFILER_ASGST_TOO_EARLY;
  const JniScope jni(vm);
  if (!jni) return Refused(PROFILER_ASGST_FAILED, Error("the JVM attaches no thread"));
  const Result<JvmConnection*> jvm = TheRecordingControl().Jvm(jni.get());
  if (!jvm) return Refused(PROFILER_ASGST_FAILED, jvm.error());
  JvmConnection& data = *jvm.value();
  const Status begun = asgst::WalkService::OfProcess().Begin(
      {data.walking, data.events, data.structs, data.hotspot}, jni.get(), with_method_ids);
  return begun ? PROFILER_ASGST_OK : Refused(PROFILER_ASGST_UNSUPPORTED, begun.error());
}

}  // namespace
}  // namespace jprof

extern "C" {

__attribute__((visibility("default"))) int profiler_asgst_version(void) {
  return PROFILER_ASGST_VERSION;
}

__attribute__((visibility("default"))) int profiler_asgst_init(void* java_vm, int version,
                                                               int options) {
  // This check comes before any lock is taken, as for commands.
  if (jprof::InForkedChild()) return PROFILER_ASGST_FORKED;
  if (version != PROFILER_ASGST_VERSION) return PROFILER_ASGST_WRONG_VERSION;
  if ((options & ~PROFILER_ASGST_JMETHODIDS) != 0) return PROFILER_ASGST_WRONG_OPTIONS;
  auto* const vm = static_cast<JavaVM*>(java_vm);
  if (vm == nullptr || jprof::IsOtherJvm(vm)) return PROFILER_ASGST_WRONG_JVM;
  if (jprof::OwnWork::IsOnThisThread()) return PROFILER_ASGST_BUSY;
  return jprof::BeginUse(vm, (options & PROFILER_ASGST_JMETHODIDS) != 0);
}

__attribute__((visibility("default"))) int profiler_asgst_release(void) {
  if (jprof::InForkedChild()) return PROFILER_ASGST_FAILED;
  return jprof::asgst::WalkService::OfProcess().End() ? PROFILER_ASGST_OK : PROFILER_ASGST_FAILED;
}

}  // extern "C"
