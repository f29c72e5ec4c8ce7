#include "engines/method/probe_class.h"

#include <memory>
#include <mutex>

#include "engines/method/boot_class.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// The indexes of the sums that precede the cells in the result of read() in java/MethodProbes.java.
enum Sum : size_t { kTotal, kExceptions, kLongest, kShortest, kSums };
// The size of the result for a method whose calls are only counted: calls, exceptions.
constexpr size_t kOfCounted = 2;

constexpr char kSlowDescriptor[] = "(IJJLjava/lang/Throwable;)V";

}  // namespace

Result<const ProbeClass*> ProbeClass::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static const ProbeClass* made = nullptr;  // guarded by mutex
  const std::lock_guard lock(mutex);
  if (made != nullptr) return made;
  const Result<const ProbeClass*> made_now = Make(jni);
  if (made_now) made = made_now.value();
  return made_now;
}

Result<const ProbeClass*> ProbeClass::Make(JNIEnv* jni) {
  auto* probes = new ProbeClass;
  const BootMethod methods[] = {
      {&probes->open_, "open", "(I)V"},          {&probes->set_threshold_, "setThreshold", "(IJ)V"},
      {&probes->close_, "close", "()V"},         {&probes->read_, "read", "(I)[J"},
      {&probes->uncounted_, "uncounted", "()J"},
  };
  const Result<jclass> found = BootClass(jni, kName, kProbeClassBytes, methods);
  if (!found) {
    delete probes;
    return found.error();
  }
  probes->class_ = found.value();
  return probes;
}

Status ProbeClass::Bind(JNIEnv* jni, Slow slow) const {
  return BindNative(jni, class_, "slow", kSlowDescriptor, reinterpret_cast<void*>(slow));
}

Status ProbeClass::Bind(JNIEnv* jni, Window window) const {
  return BindNative(jni, class_, "edge", "(I)Z", reinterpret_cast<void*>(window));
}

Status ProbeClass::Open(JNIEnv* jni, uint32_t first) const {
  jni->CallStaticVoidMethod(class_, open_, static_cast<jint>(first));
  const Status opened = CheckBootCall(jni, "open");
  if (!opened) Close(jni);  // drops the arrays that `open` has made
  return opened;
}

Status ProbeClass::SetThreshold(JNIEnv* jni, uint32_t number, Nanos threshold_ns) const {
  jni->CallStaticVoidMethod(class_, set_threshold_, static_cast<jint>(number),
                            static_cast<jlong>(threshold_ns));
  return CheckBootCall(jni, "setThreshold");
}

void ProbeClass::Close(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, close_);
  static_cast<void>(CheckBootCall(jni, "close"));
}

Result<MethodCounts> ProbeClass::Read(JNIEnv* jni, uint32_t number) const {
  const LocalFrame frame(jni, 2);
  auto* const array = static_cast<jlongArray>(
      jni->CallStaticObjectMethod(class_, read_, static_cast<jint>(number)));
  const Status called = CheckBootCall(jni, "read");
  if (!called) return called.error();
  if (array == nullptr) return MethodCounts();
  const auto size = static_cast<size_t>(jni->GetArrayLength(array));
  const auto values = std::make_unique<jlong[]>(size);
  jni->GetLongArrayRegion(array, 0, static_cast<jsize>(size), values.get());
  const Status copied = CheckBootCall(jni, "read");
  if (!copied) return copied.error();
  MethodCounts counts;
  if (size == kOfCounted) {
    counts.calls = static_cast<uint64_t>(values[0]);
    counts.exceptions = static_cast<uint64_t>(values[1]);
    counts.is_timed = false;
    return counts;
  }
  counts.total_ns = values[kTotal];
  counts.exceptions = static_cast<uint64_t>(values[kExceptions]);
  counts.longest_ns = values[kLongest];
  counts.durations = LatencyHistogram(std::span<const int64_t>(values.get() + kSums, size - kSums));
  counts.calls = counts.durations.calls();
  // A call that is being counted at this moment can be in its cell of the histogram, but not yet in
  // the longest and shortest durations.
  if (counts.calls != 0) {
    counts.shortest_ns = std::min(values[kShortest], values[kLongest]);
  }
  return counts;
}

uint64_t ProbeClass::Uncounted(JNIEnv* jni) const {
  const jlong count = jni->CallStaticLongMethod(class_, uncounted_);
  return CheckBootCall(jni, "uncounted") ? static_cast<uint64_t>(count) : 0;
}

}  // namespace jprof
