#include "engines/lock/asked_monitors.h"

#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Adds the time of a question, including the pause of the program that it needs, to `spent_ns`.
class TimedQuestion {
 public:
  explicit TimedQuestion(Nanos* spent_ns) : spent_ns_(spent_ns) {}
  ~TimedQuestion() { *spent_ns_ += MonotonicNanos() - begin_ns_; }
  TimedQuestion(const TimedQuestion&) = delete;
  TimedQuestion& operator=(const TimedQuestion&) = delete;

 private:
  Nanos* const spent_ns_;
  const Nanos begin_ns_ = MonotonicNanos();
};

}  // namespace

AskedMonitors::AskedMonitors(jvmtiEnv* jvmti, JNIEnv* jni, const ThreadIds& ids)
    : jvmti_(jvmti), jni_(jni), ids_(ids) {
  jvmtiCapabilities capabilities{};
  tells_awaited_ = jvmti->GetCapabilities(&capabilities) == JVMTI_ERROR_NONE &&
                   capabilities.can_get_current_contended_monitor != 0;
}

bool AskedMonitors::HasTime() {
  if (spent_ns_ < kMostAsking) return true;
  ++left_out_;
  return false;
}

jobject AskedMonitors::AwaitedBy(jthread thread) {
  if (!tells_awaited_ || !HasTime()) return nullptr;
  const TimedQuestion question(&spent_ns_);
  jobject awaited = nullptr;
  const jvmtiError error = jvmti_->GetCurrentContendedMonitor(thread, &awaited);
  return error == JVMTI_ERROR_NONE ? awaited : nullptr;
}

SampledThread AskedMonitors::OwnerOf(jobject object) {
  jint hash = 0;
  static_cast<void>(jvmti_->GetObjectHashCode(object, &hash));
  const auto [begin, end] = owners_.equal_range(hash);
  for (auto asked = begin; asked != end; ++asked) {
    if (jni_->IsSameObject(asked->second.object, object) != JNI_FALSE) return asked->second.owner;
  }
  if (!HasTime()) return {};
  const TimedQuestion question(&spent_ns_);
  const LocalFrame frame(jni_, 16);
  jvmtiMonitorUsage usage{};
  SampledThread owner;
  if (jvmti_->GetObjectMonitorUsage(object, &usage) == JVMTI_ERROR_NONE) {
    owner = ThreadIds::Signed(ids_.SignedOf(jni_, usage.owner));
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(usage.waiters));
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(usage.notify_waiters));
  }
  owners_.emplace(hash, Asked{object, owner});
  return owner;
}

}  // namespace jprof
