#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/scaled_text.h"
#include "chunks/sample_events.h"
#include "elf/import_hook.h"
#include "engines/engine.h"
#include "engines/lock/wait_totals.h"
#include "engines/nativelock/native_lock_wrappers.h"
#include "engines/nativelock/native_waits.h"
#include "jfr/writer/jfr_events.h"
#include "sigsafe/sampling/sampling_state.h"

namespace jprof {
namespace {

// NativeLockEngine records for which pthread mutexes, rwlocks and conditions threads wait, how
// long, and which threads hold them. Import slots of all libraries lead to wrappers
// (native_lock_wrappers.h).
//
// Every wait is counted exactly; samples are taken of some waits, as LockSampling decides.
class NativeLockEngine final : public Engine, private JvmEventListener {
 public:
  // REQUIRES: the parts of `context` outlive the engine.
  NativeLockEngine(const EngineContext& context, EngineRequest request);

  ~NativeLockEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  void InspectThreads() override { CoverNewLibraries(); }
  std::string Description() const override;
  std::vector<std::string> Totals() const override;
  std::vector<std::string> TakeNotes() override;
  void AddSettings(EventSettings& settings) const override;
  void BeforeLastDrain(JNIEnv* jni) override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  void OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jmethodID method,
                          void* address, void** new_address) override;
  void CoverNewLibraries();
  WaitSumsByType Read() const;

  JvmEvents& jvm_events_;
  const EngineRequest request_;
  WaitTotals totals_;
  JvmEvents::Subscription binds_;
  std::mutex mutex_;                  // guards hook_
  std::unique_ptr<ImportHook> hook_;  // nullptr unless started
  bool is_started_ = false;
  size_t refused_ = 0;      // import slots that could not be hooked at the start
  WaitSumsByType written_;  // sums that WriteClosing writes
};

// Writes a native wait as async-profiler's event for such waits, followed by the additional fields
// that the events of engines/lock have too. The duration of the event is the weight of the sample.
// The event ends when the wait ended. If the wait was shorter than the interval, the weight is the
// interval, and the event begins before the wait.
void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  // Only the time and the weight of a lost sample are known.
  const NativeLockPayload payload =
      resolved.lost ? NativeLockPayload{} : resolved.sample.Payload<NativeLockPayload>();
  NativeLock event;
  event.duration_ns = static_cast<int64_t>(resolved.sample.weight);
  event.time_ns = resolved.lost ? resolved.sample.time_ns
                                : payload.start_ns + payload.waited_ns - event.duration_ns;
  event.thread_key = resolved.thread_key;
  event.stack_key = resolved.stack_key;
  event.address = static_cast<int64_t>(payload.address);
  event.operation = resolved.lost ? "" : NameOf(payload.type);
  event.waited_ns = resolved.lost ? event.duration_ns : payload.waited_ns;
  if (payload.owner != PayloadThread::kUnknown) {
    event.owner_key = resolved.threads.KeyOfMentioned(FromPayload(payload.owner));
  }
  event.is_unfinished = (payload.flags & NativeLockPayload::kUnfinished) != 0;
  writer.Append(event);
}

uint64_t Count(uint64_t, const SampleSettings&) { return 1; }

}  // namespace

Result<std::unique_ptr<Engine>> MakeNativeLockEngine(const Options& options,
                                                     const EngineContext& context) {
  EngineRequest request = RequestOf(options, SampleKind::kNativeLock);
  request.filter.clear();  // waits are counted and recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<NativeLockEngine>(context, std::move(request)));
}

NativeLockEngine::NativeLockEngine(const EngineContext& context, EngineRequest request)
    : jvm_events_(context.jvm_events), request_(std::move(request)) {}

Status NativeLockEngine::Start() {
  Result<JvmEvents::Subscription> binds =
      jvm_events_.Subscribe(*this, {JVMTI_EVENT_NATIVE_METHOD_BIND});
  if (!binds) return binds.error();
  binds_ = std::move(binds).value();
  NativeLockWrappers& wrappers = NativeLockWrappers::OfProcess();
  const JNIInvokeInterface_* const functions = jvm_events_.vm()->functions;
  wrappers.ExcludeConditionsOf(reinterpret_cast<const void*>(functions->DestroyJavaVM));
  Sampling().SetInterval(SampleKind::kNativeLock, request_.samples.interval);
  NativeWaits::Open(request_.samples.interval, totals_);
  // Called without mutex_, because Install takes the dynamic linker's lock. A library's constructor
  // runs under that lock, and might wait for mutex_.
  std::unique_ptr<ImportHook> hook = ImportHook::Install(wrappers);
  const std::lock_guard lock(mutex_);
  is_started_ = true;
  hook_ = std::move(hook);
  refused_ = hook_->refused_slots();
  return {};
}

// After Stop, threads can still be inside a wrapper, and leave the wrapper at any time.
bool NativeLockEngine::Stop() {
  const bool binds_may_go = binds_.CancelAndWait();
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_started_, false)) return binds_may_go;
    hook_.reset();
  }
  const TakerForOthers taker(*GetThreadSlots());
  const bool waits_may_go = NativeWaits::Close(taker.slot());
  Sampling().SetInterval(SampleKind::kNativeLock, 0);
  return binds_may_go && waits_may_go;
}

void NativeLockEngine::OnNativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void*, void**) {
  CoverNewLibraries();
}

void NativeLockEngine::CoverNewLibraries() {
  const std::lock_guard lock(mutex_);
  if (hook_ != nullptr) hook_->CoverNewLibraries();
}

WaitSumsByType NativeLockEngine::Read() const {
  WaitSumsByType all;
  for (size_t i = 0; i < kWaitTypeCount; ++i) all[i] = totals_.Of(static_cast<WaitType>(i));
  return all;
}

std::string NativeLockEngine::Description() const {
  return "native waits for locks of " + DurationText(request_.samples.interval) + " and more";
}

std::vector<std::string> NativeLockEngine::Totals() const {
  std::vector<std::string> lines = WaitLines(Read(), request_.samples.interval);
  if (lines.empty()) lines.emplace_back("no thread has waited for a native lock");
  return lines;
}

std::vector<std::string> NativeLockEngine::TakeNotes() {
  const size_t refused = std::exchange(refused_, 0);
  if (refused == 0) return {};
  return {"warning: native locks: " + std::to_string(refused) +
          " calls of libraries are not seen: other software has taken their place"};
}

void NativeLockEngine::AddSettings(EventSettings& settings) const {
  AddRequest(request_, JfrType::kNativeLock, settings);
  settings.Set(JfrType::kNativeLock, "threshold", DurationText(request_.samples.interval));
  settings.Set(JfrType::kNativeLock, "nativelock", std::to_string(request_.samples.interval));
}

void NativeLockEngine::BeforeLastDrain(JNIEnv*) { written_ = Read(); }

// Writes the sums of all waits since the start, as BeforeLastDrain has read them.
void NativeLockEngine::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  WriteWaitCounters(written_, now_ns, writer);
}

extern const SampleEvents kNativeLockSampleEvents{Write, Count};

}  // namespace jprof
