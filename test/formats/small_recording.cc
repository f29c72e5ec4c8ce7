#include "formats/small_recording.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace jprof::test {

std::vector<MadeFrame> FramesOf(const std::vector<std::string>& outermost_first, FrameType leaf) {
  std::vector<MadeFrame> frames;
  for (auto frame = outermost_first.rbegin(); frame != outermost_first.rend(); ++frame) {
    const size_t end = frame->find_last_not_of("0123456789");
    const bool has_line = (*frame)[end] == ':' && end + 1 < frame->size();
    const std::string name = has_line ? frame->substr(0, end) : *frame;
    const size_t dot = name.rfind('.');
    std::string owner = name.substr(0, dot);
    std::ranges::replace(owner, '.', '/');
    frames.push_back({std::move(owner), name.substr(dot + 1), "()V",
                      frames.empty() ? leaf : FrameType::kInlined,
                      has_line ? std::stoi(frame->substr(end + 1)) : 1});
  }
  return frames;
}

SmallRecording::SmallRecording(const std::string& path) : SmallRecording(path, !kWithSpans) {}

SmallRecording::SmallRecording(const std::string& path, bool has_spans)
    : writer_(std::move(JfrWriter::Claim(path, ChunkClock{1'700'000'000'000'000'000, 0})).value()) {
  EventDeclarations declarations = EventDeclarations::All();
  if (has_spans) {
    declarations.AppendField(JfrType::kExecutionSample, {"spanId", JfrType::kLong});
    declarations.AppendField(JfrType::kExecutionSample, {"localRootSpanId", JfrType::kLong});
  }
  writer_->Declare(std::move(declarations));
  if (!writer_->StartChunk(writer_->clock().MonotonicNanos(0)).ok()) std::abort();
  settings_.Enable(JfrType::kExecutionSample);
  settings_.Set(JfrType::kExecutionSample, "period", "10 ms");
  settings_.Set(JfrType::kWallClockSample, "period", "20 ms");
}

void SmallRecording::WorkFor(int64_t span, int64_t root) {
  spans_ = {span, root};
  writer_->SetTrailing(spans_);
}

void SmallRecording::Cpu(int count, const MadeThread& thread,
                         const std::vector<MadeFrame>& frames) {
  const uint32_t stack = Stack(frames);
  for (int i = 0; i < count; ++i) {
    writer_->Append(ExecutionSample{time_ns_ += 10 * kMillis, Thread(thread), stack});
  }
}

void SmallRecording::VirtualCpu(int64_t java_id, const std::vector<MadeFrame>& frames) {
  const uint32_t thread = writer_->pools().Thread(
      {.serial = static_cast<uint64_t>(java_id), .java_id = java_id, .is_virtual = true});
  writer_->Append(ExecutionSample{time_ns_ += 10 * kMillis, thread, Stack(frames)});
}

void SmallRecording::Wall(uint32_t samples, const MadeThread& thread, ThreadState state,
                          const std::vector<MadeFrame>& frames) {
  writer_->Append(WallClockSample{time_ns_, Thread(thread), Stack(frames), state, samples,
                                  samples * 20 * kMillis});
}

void SmallRecording::Trace(const Call& call) {
  const std::vector<MadeFrame> frames = FramesOf({call.method}, FrameType::kJitCompiled);
  const uint32_t stack = Stack(frames);
  ConstantPools& pools = writer_->pools();
  const uint32_t method =
      pools.Method({pools.Class({.name = frames[0].owner}), frames[0].name, frames[0].descriptor});
  const uint32_t thread = Thread(call.thread);
  writer_->Append(MethodTrace{.time_ns = call.from_ns,
                              .duration_ns = call.duration_ns,
                              .thread_key = thread,
                              .stack_key = stack,
                              .method_key = method,
                              .is_exception = call.has_thrown});
}

uint32_t SmallRecording::Thread(const MadeThread& thread) {
  return writer_->pools().Thread(
      {static_cast<uint64_t>(thread.id), thread.id, thread.name, thread.name, thread.id});
}

uint32_t SmallRecording::Stack(const std::vector<MadeFrame>& frames) {
  ConstantPools& pools = writer_->pools();
  std::vector<FrameConstant> constants;
  for (const MadeFrame& frame : frames) {
    const uint32_t type = pools.Class({.name = frame.owner});
    constants.push_back(
        {pools.Method({type, frame.name, frame.descriptor}), frame.line, 0, frame.type});
  }
  const uint32_t key = pools.NewStackTraceKey();
  pools.SetStackTrace(key, Truncated::kNo, constants);
  return key;
}

}  // namespace jprof::test
