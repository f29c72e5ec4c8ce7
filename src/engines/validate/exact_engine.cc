#include "engines/validate/exact_engine.h"

#include <jvmti.h>

#include <set>
#include <string_view>
#include <utility>

#include "audit/method_tokens.h"
#include "engines/method/retransformation.h"
#include "engines/validate/exact_times.h"
#include "engines/validate/probe_choice.h"
#include "engines/validate/time_probes.h"
#include "jfr/writer/jfr_events.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof {
namespace {

constexpr uint32_t kSynchronized = 0x20;

std::string_view TextOf(LeftOut left_out) {
  switch (left_out) {
    case LeftOut::kTooShort:
      return "its calls are too short";
    case LeftOut::kEnteredBefore:
      return "a thread was in it when the probes came";
    case LeftOut::kNo:
      break;
  }
  return "";
}

// Adds the numbers of the methods of the thread's calls that run code without probes. JVMTI calls
// such code obsolete. Later calls have probes, so that they are measured from their entry on.
void FindOldCalls(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, std::set<uint32_t>* numbers) {
  constexpr jint kFrames = 1024;
  std::vector<jvmtiFrameInfo> frames(kFrames);
  jint count = kFrames;
  for (jint begin = 0; count == kFrames; begin += kFrames) {
    if (jvmti->GetStackTrace(thread, begin, kFrames, frames.data(), &count) != JVMTI_ERROR_NONE) {
      return;
    }
    for (jint i = 0; i < count; ++i) {
      jboolean is_obsolete = JNI_FALSE;
      const jmethodID method = frames[static_cast<size_t>(i)].method;
      const jvmtiError known = jvmti->IsMethodObsolete(method, &is_obsolete);
      if (known != JVMTI_ERROR_NONE || is_obsolete == JNI_FALSE) continue;
      MethodTokens& tokens = MethodTokens::OfProcess();
      const auto number =
          ExactTimes::OfProcess().Find(tokens.TextOf(tokens.OfJvm(jvmti, jni, method)));
      if (number) numbers->insert(*number);
    }
  }
}

Result<std::set<uint32_t>> FindOldCalls(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni, LocalFrame::kMost);
  JvmtiPtr<jthread> threads(jvmti);
  jint count = 0;
  const Status listed = CheckAccepted(jvmti->GetAllThreads(&count, threads.out()), "GetAllThreads");
  if (!listed) return listed.error();
  std::set<uint32_t> numbers;
  for (jint i = 0; i < count; ++i) FindOldCalls(jvmti, jni, threads[i], &numbers);
  return numbers;
}

}  // namespace

ExactEngine::ExactEngine(const EngineContext& context, const Options& options)
    : context_(context),
      text_(jprof::TextOf(options.validation.exact)),
      share_(options.validation.share),
      has_cpu_samples_(options.samples[SampleKind::kCpu].enabled()),
      installer_(context.jvm_events, context.probes, *this, options.validation.exact) {}

Status ExactEngine::Install() {
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  const Status allowed = CheckNoArchiveIsRecorded(jni, context_.structs);
  if (!allowed) return allowed;
  const Result<const TimeProbeClass*> probes = TimeProbeClass::OfProcess(jni);
  if (!probes) return probes.error();
  is_open_ = true;
  const Status open = probes.value()->Open(jni, ExactTimes::OfProcess().Begin(has_cpu_samples_));
  return open ? installer_.Install() : open;
}

// Waits for a moment until calls without probes have ended.
Status ExactEngine::Start() {
  constexpr int kLooks = 10;
  constexpr Nanos kPause = 50'000'000;
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return NotAttachedToJvm();
  std::set<uint32_t> old;
  for (int look = 1; look <= kLooks; ++look) {
    Result<std::set<uint32_t>> found = FindOldCalls(context_.jvm_events.jvmti(), jni);
    if (!found) return found.error();
    old = std::move(found).value();
    if (old.empty()) break;
    if (look != kLooks) RawSleep(kPause);
  }
  for (const uint32_t number : old) {
    ExactTimes::OfProcess().LeaveOut(number, LeftOut::kEnteredBefore);
  }
  ExactTimes::OfProcess().BeginWindow();
  return {};
}

// Ends the window first: the engines of the samples stop after this function.
bool ExactEngine::Stop() {
  const bool was_open = std::exchange(is_open_, false);
  if (was_open) ExactTimes::OfProcess().EndWindow();
  const bool may_go = installer_.Remove();
  if (!was_open) return may_go;
  JNIEnv* const jni = context_.jvm_events.CurrentJni();
  if (jni == nullptr) return may_go;
  const Result<const TimeProbeClass*> probes = TimeProbeClass::OfProcess(jni);
  if (probes) probes.value()->Close(jni);
  return may_go;
}

instrument::ProbeTarget ExactEngine::ProbedBy(bool) const {
  return {.class_name = TimeProbeClass::kName};
}

std::optional<uint32_t> ExactEngine::NumberFor(JNIEnv*, TracedMethod method) {
  // The entry probe of a synchronized method comes after the wait for its lock.
  if ((method.modifiers & kSynchronized) != 0 || !IsProbed(method, share_)) return std::nullopt;
  return ExactTimes::OfProcess().NumberOf(method);
}

void ExactEngine::SetProbed(uint32_t number, bool is_probed) {
  if (is_probed) ExactTimes::OfProcess().SetProbed(number);
}

std::string ExactEngine::Description() const { return "exact times of " + text_; }

void ExactEngine::AddSettings(EventSettings& settings) const {
  settings.Enable(JfrType::kExactTime);
  settings.Set(JfrType::kExactTime, "methods", text_);
  settings.Set(JfrType::kExactTime, "share", std::to_string(share_));
}

void ExactEngine::WriteClosing(JfrWriter& writer, Nanos) {
  for (const ExactTimes::Row& row : ExactTimes::OfProcess().Rows()) {
    ExactTime event;
    event.time_ns = row.from_ns;
    event.duration_ns = row.until_ns - row.from_ns;
    event.method = row.method;
    event.calls = row.sum.calls;
    event.cpu_ns = row.sum.time.cpu_ns;
    event.elapsed_ns = row.sum.time.elapsed_ns;
    event.left_out = TextOf(row.left_out);
    writer.Append(event);
  }
}

}  // namespace jprof
