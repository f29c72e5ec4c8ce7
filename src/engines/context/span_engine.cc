#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engines/context/context_class.h"
#include "engines/engine.h"
#include "jfr/writer/jfr_events.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/sampling/sample_taker.h"

namespace jprof {
namespace {

// SpanEngine records the spans of the program as samples without a stack. A span ends when the
// program closes the scope of jprof.ThreadContext to which the span belongs. Java code then calls
// OnSpanEnd on the thread of the span (ContextClass::RecordSpans).
class SpanEngine final : public Engine {
 public:
  explicit SpanEngine(EngineRequest request) : request_(std::move(request)) {}

  ~SpanEngine() override { Stop(); }

  Status Start() override;
  bool Stop() override;
  std::string Description() const override;
  void AddSettings(EventSettings& settings) const override;

 private:
  const EngineRequest request_;
};

struct [[gnu::packed]] SpanPayload {
  static constexpr SampleKind kKind = SampleKind::kSpan;

  Nanos begin_ns;  // start of the span (CLOCK_MONOTONIC), not later than the time of the sample
};

// SpanSampling is the SamplePolicy for spans. It is used on the thread that closes the scope of the
// span.
class SpanSampling : public SamplePolicy {
 public:
  static constexpr SampleKind kKind = SampleKind::kSpan;

  explicit SpanSampling(Nanos begin_ns) : begin_ns_(begin_ns) {}

  uint64_t WeightWithoutSlot() const { return 1; }
  uint64_t WeightWithoutGuard(const ThreadSlot&) const { return 1; }
  void Account(ThreadSlot&, Sample* sample) const {
    sample->weight = 1;
    sample->SetPayload(SpanPayload{std::min(begin_ns_, sample->time_ns)});
  }

 private:
  const Nanos begin_ns_;
};

// Records a span that ends on the calling thread. Records nothing if the recording has ended by
// now.
void OnSpanEnd(int64_t virtual_thread, Nanos begin_ns) {
  const ErrnoSaver saver;
  TakeSample(Subject::Reported(virtual_thread), NoStack(), SpanSampling(begin_ns));
}

void Write(const ResolvedSample& resolved, const SampleSettings&, JfrWriter& writer) {
  if (resolved.lost) return;  // lost spans are only counted: their times are unknown
  Span event;
  event.time_ns = resolved.sample.Payload<SpanPayload>().begin_ns;
  event.duration_ns = resolved.sample.time_ns - event.time_ns;
  event.thread_key = resolved.thread_key;
  writer.Append(event);
}

uint64_t Count(uint64_t weight, const SampleSettings&) { return weight; }

}  // namespace

extern const SampleEvents kSpanSampleEvents{Write, Count};

Result<std::unique_ptr<Engine>> MakeSpanEngine(const Options& options, const EngineContext&) {
  EngineRequest request = RequestOf(options, SampleKind::kSpan);
  request.filter.clear();  // spans are recorded on all threads
  return std::unique_ptr<Engine>(std::make_unique<SpanEngine>(std::move(request)));
}

Status SpanEngine::Start() {
  ContextClass::RecordSpans(OnSpanEnd);
  return {};
}

bool SpanEngine::Stop() {
  ContextClass::RecordSpans(nullptr);
  return true;
}

std::string SpanEngine::Description() const { return "spans"; }

void SpanEngine::AddSettings(EventSettings& settings) const {
  AddRequest(request_, JfrType::kSpan, settings);
}

}  // namespace jprof
