#include "engines/validate/time_probes.h"

#include <mutex>

#include "engines/method/boot_class.h"
#include "engines/validate/exact_times.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/base/errno_saver.h"

namespace jprof {
namespace {

// The class of all virtual threads, from JDK 19 on.
constexpr char kVirtualThread[] = "java/lang/BaseVirtualThread";

jlong JNICALL OnEnter(JNIEnv*, jclass, jint number) {
  const ErrnoSaver saver;
  return ExactTimes::OfProcess().Enter(static_cast<uint32_t>(number));
}

void JNICALL OnLeave(JNIEnv* jni, jclass, jint number, jlong token) {
  const ErrnoSaver saver;
  const auto method = static_cast<uint32_t>(number);
  if (!ExactTimes::OfProcess().Leave(method, token)) return;
  ExactTimes::OfProcess().LeaveOut(method, LeftOut::kTooShort);
  const Result<const TimeProbeClass*> probes = TimeProbeClass::OfProcess(jni);
  if (probes) probes.value()->LeaveOut(jni, method);
}

}  // namespace

Result<const TimeProbeClass*> TimeProbeClass::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static TimeProbeClass made;  // guarded by mutex until class_ is set, constant afterwards
  const std::lock_guard lock(mutex);
  if (made.class_ != nullptr) return &made;
  const BootMethod methods[] = {{&made.open_, "open", "(IILjava/lang/Class;)V"},
                                {&made.leave_out_, "leaveOut", "(I)V"},
                                {&made.close_, "close", "()V"}};
  const Result<jclass> probes = BootClass(jni, kName, kTimeProbesBytes, methods);
  if (!probes) return probes.error();
  Status ready = BindNative(jni, probes.value(), "enter", "(I)J", reinterpret_cast<void*>(OnEnter));
  if (ready) {
    ready = BindNative(jni, probes.value(), "leave", "(IJ)V", reinterpret_cast<void*>(OnLeave));
  }
  if (!ready) return ready.error();
  made.class_ = probes.value();
  return &made;
}

Status TimeProbeClass::Open(JNIEnv* jni, uint32_t first) const {
  const LocalFrame frame(jni, 4);
  const jclass of_virtual_threads = jni->FindClass(kVirtualThread);
  if (of_virtual_threads == nullptr) jni->ExceptionClear();
  jni->CallStaticVoidMethod(class_, open_, static_cast<jint>(first),
                            static_cast<jint>(ExactTimes::kMost), of_virtual_threads);
  return CheckBootCall(jni, "open");
}

void TimeProbeClass::LeaveOut(JNIEnv* jni, uint32_t number) const {
  jni->CallStaticVoidMethod(class_, leave_out_, static_cast<jint>(number));
  static_cast<void>(CheckBootCall(jni, "leaveOut"));
}

void TimeProbeClass::Close(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, close_);
  static_cast<void>(CheckBootCall(jni, "close"));
}

}  // namespace jprof
