#include "profile/span_recording.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "jfr/writer/event_settings.h"

namespace jprof::test {
namespace {

constexpr int64_t kMillis = 1'000'000;

// Returns the tenant. If there is none, returns a view whose data() is nullptr.
std::string_view Tenant(const SpanTags& tags) {
  return tags.tenant.empty() ? std::string_view() : std::string_view(tags.tenant);
}

}  // namespace

SpanRecording::SpanRecording(const std::string& path)
    : writer_(std::move(JfrWriter::Claim(path, ChunkClock{1'700'000'000'000'000'000, 0})).value()) {
  EventDeclarations declarations = EventDeclarations::All();
  for (const JfrType event : {JfrType::kExecutionSample, JfrType::kSpan}) {
    declarations.AppendField(event, {"spanId", JfrType::kLong});
    declarations.AppendField(event, {"localRootSpanId", JfrType::kLong});
    declarations.AppendField(event, {"traceId", JfrType::kString});
    declarations.AppendField(event, {"tenant", JfrType::kString});
  }
  writer_->Declare(std::move(declarations));
  EXPECT_TRUE(writer_->StartChunk(writer_->clock().MonotonicNanos(0)).ok());
  EventSettings settings;
  settings.Enable(JfrType::kExecutionSample);
  settings.Enable(JfrType::kSpan);
  settings.WriteTo(*writer_, 0);
  ConstantPools& pools = writer_->pools();
  stack_ = pools.NewStackTraceKey();
  const FrameConstant frame{pools.Method({pools.Class({.name = "A"}), "run", "()V"}), 1, 0,
                            FrameType::kC1Compiled};
  pools.SetStackTrace(stack_, Truncated::kNo, std::vector{frame});
}

void SpanRecording::Sample(int64_t at_ms, const SpanTags& tags, int thread) {
  writer_->Append(ExecutionSample{at_ms * kMillis, Thread(thread), stack_}, tags.span, tags.root,
                  std::string_view(), Tenant(tags));
}

void SpanRecording::Scope(int64_t from_ms, int64_t to_ms, const SpanTags& tags) {
  Span event;
  event.time_ns = from_ms * kMillis;
  event.duration_ns = (to_ms - from_ms) * kMillis;
  event.thread_key = Thread(1);
  writer_->Append(event, tags.span, tags.root, std::string_view(), Tenant(tags));
}

void SpanRecording::Seal(int64_t at_ms) { EXPECT_TRUE(writer_->Seal(at_ms * kMillis).ok()); }

uint32_t SpanRecording::Thread(int number) {
  return writer_->pools().Thread({static_cast<uint32_t>(number), number, "os", "java", number});
}

}  // namespace jprof::test
