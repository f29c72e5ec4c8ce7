// Tests ChunkSequence in a JVM: while no chunk can be written, and with a second sink of samples.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "chunks/chunk_sequence.h"
#include "jvm/embedded/embedded_jvm.h"
#include "sampler/engine_table.h"
#include "sampler/jvm_connection.h"
#include "sampler/sampling_memory.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

constexpr int kThreads = 200;
constexpr Nanos kInterval = 1'000'000;

// Adds settings of sample kinds, as the engines do.
class Kinds final : public ChunkParticipant {
 public:
  void AddSettings(EventSettings& settings) const override {
    settings.AddKind(SampleKind::kCpu, kInterval);
    settings.AddKind(SampleKind::kWall, kInterval);
  }
};

// The objects that a recorder uses, in the JVM of `jni`.
struct World {
  explicit World(JNIEnv* jni) {
    JavaVM* vm = nullptr;
    jni->GetJavaVM(&vm);
    jvm = JvmConnection::Make(*JvmEvents::Create(vm).value(), jni).value();
    memory =
        std::move(SamplingMemory::Reserve({1, 64, 8, 32 << 20}, jvm->slot_reserve.slots())).value();
    participants.Add(&kinds);
  }

  RecorderContext Context() {
    return {jvm->events.vm(),
            jvm->events.jvmti(),
            memory->traces(),
            memory->samples(),
            off_thread,
            jvm->slot_reserve.slots(),
            jvm->registry,
            jvm->java_threads,
            jvm->classes,
            jvm->sampled_classes,
            memory->sample_pages(),
            memory->names(),
            jvm->gc_pauses,
            jvm->stubs,
            participants,
            SampleEventsOfEngines()};
  }

  // Makes the registry see a Java thread that starts, loses a sample and ends.
  void LiveOnce(int64_t id) {
    std::thread([&] {
      jvm->registry.OnJavaThreadStart(this, {"life", id, {}});
      CurrentThread()->AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 3 * kInterval);
      jvm->registry.OnJavaThreadEnd(nullptr);
    }).join();
  }

  JvmConnection* jvm = nullptr;
  OffThreadSamples off_thread;
  Kinds kinds;
  ChunkParticipants participants;
  std::unique_ptr<SamplingMemory> memory;
};

void ForgetThreadsWithoutAChunk(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  const RecorderContext context = world.Context();
  auto folder = std::make_unique<test::TempFolder>();
  RecordingPlan plan;
  plan.path = folder->File("a.jfr");
  plan.vm = &world.jvm->structs.statics;
  RecordingSummary summary;
  auto writer = JfrWriter::Claim(plan.path, ChunkClock::Now());
  report->Expect(writer.ok(), "the file can be written");
  Nanos now_ns = MonotonicNanos();
  ChunkSequence chunks(context, plan, std::move(writer).value(), jni, summary);
  report->Expect(chunks.Begin(now_ns).ok(), "the file is written");
  folder.reset();
  chunks.Rotate(now_ns += kNanosPerSecond);
  report->Expect(!chunks.outcome().ok(), "there is no chunk any more");

  const uint64_t unwritten = summary.unwritten_events;
  const size_t before = world.jvm->registry.names().Known().size();
  for (int i = 0; i < kThreads; ++i) {
    world.LiveOnce(i + 1);
    chunks.Drain(now_ns += kInterval);
  }
  report->Expect(world.jvm->registry.names().Known().size() <= before + 1,
                 "ended threads are forgotten");
  constexpr uint64_t kEventsEach = 2 + 3;  // the start, the end, and the lost intervals
  report->Expect(
      summary.unwritten_events == unwritten + kEventsEach * kThreads,
      std::to_string(summary.unwritten_events - unwritten) + " events are counted as not written");
  const auto cpu = static_cast<size_t>(SampleKind::kCpu);
  const uint64_t lost = summary.lost[cpu][static_cast<size_t>(LostReason::kSamplesFull)];
  report->Expect(lost == uint64_t{3} * kThreads, std::to_string(lost) + " intervals were lost");
}

// Counts the calls to it. Drops kEvents events in each Forget.
class CountingParticipant final : public ChunkParticipant {
 public:
  void WriteOpening(JfrWriter&, Nanos) override { ++openings; }
  void BeforeSamples(OpenChunk& open) override {
    ++written;
    written_last += open.is_last ? 1 : 0;
  }
  void BeforeLastDrain(JNIEnv* jni) override { last_drains += jni != nullptr ? 1 : 0; }
  void WriteClosing(JfrWriter&, Nanos) override { ++closings; }
  uint64_t Forget() override {
    ++forgotten;
    return kEvents;
  }

  static constexpr uint64_t kEvents = 7;
  int openings = 0;
  int written = 0;
  int written_last = 0;
  int last_drains = 0;
  int closings = 0;
  int forgotten = 0;
};

void CallParticipantsWithoutAChunk(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  CountingParticipant participant;
  world.participants.Add(&participant);
  const RecorderContext context = world.Context();
  auto folder = std::make_unique<test::TempFolder>();
  RecordingPlan plan;
  plan.path = folder->File("a.jfr");
  plan.vm = &world.jvm->structs.statics;
  RecordingSummary summary;
  auto writer = JfrWriter::Claim(plan.path, ChunkClock::Now());
  Nanos now_ns = MonotonicNanos();
  ChunkSequence chunks(context, plan, std::move(writer).value(), jni, summary);
  report->Expect(chunks.Begin(now_ns).ok(), "the file is there");
  report->Expect(participant.openings == 2, "it opens the file's first chunk and the next");
  chunks.Drain(now_ns += kInterval);
  report->Expect(participant.written == 1 && participant.forgotten == 0, "it writes to the chunk");
  report->Expect(participant.written_last == 0, "which goes on");
  folder.reset();
  chunks.Rotate(now_ns += kNanosPerSecond);
  report->Expect(participant.last_drains == 1 && participant.closings == 1, "it ends the chunk");
  report->Expect(participant.written == 2 && participant.written_last == 1, "by a last drain");

  const CountingParticipant before = participant;
  const uint64_t unwritten = summary.unwritten_events;
  constexpr int kDrains = 5;
  for (int i = 0; i < kDrains; ++i) chunks.Drain(now_ns += kInterval);
  report->Expect(participant.forgotten == before.forgotten + kDrains, "it forgets at each drain");
  chunks.Rotate(now_ns += kInterval);
  report->Expect(participant.last_drains == 2, "an epoch ends for it without a chunk");
  report->Expect(participant.forgotten == before.forgotten + kDrains + 1, "with a drain");
  report->Expect(participant.written == before.written && participant.closings == before.closings &&
                     participant.openings == before.openings,
                 "but nothing is written");
  report->Expect(
      summary.unwritten_events == unwritten + (kDrains + 1) * CountingParticipant::kEvents,
      std::to_string(summary.unwritten_events - unwritten) + " events are counted as not written");
  world.participants.Remove(&participant);
  chunks.Drain(now_ns += kInterval);
  report->Expect(participant.forgotten == before.forgotten + kDrains + 1, "it has left");
}

// A second consumer of samples, which keeps a line for each sample.
class Collector final : public SampleSink {
 public:
  void OnSample(const ResolvedSample& resolved) override {
    std::string line = RowOf(resolved.sample.kind).name;
    line += (resolved.lost ? " lost " : " ") + std::to_string(resolved.sample.weight) + " of " +
            resolved.ThreadName() + ":";
    for (const NamedFrame& frame : resolved.Frames()) line += " " + frame.owner + "." + frame.name;
    lines.push_back(std::move(line));
  }

  std::vector<std::string> lines;
};

// Takes a cpu sample and a wall sample as handlers do, pushes a third sample as an engine does, and
// loses a fourth.
void SampleOnce(World& world, jmethodID method) {
  std::thread([&] {
    world.jvm->registry.OnJavaThreadStart(&world, {"sampled", 1, {}});
    ThreadSlot& thread = *CurrentThread();
    const Frame frame{reinterpret_cast<uint64_t>(method), 0, FrameKind::kJava};
    Sample sample{};
    sample.time_ns = MonotonicNanos();
    sample.thread = SampledThread::Platform(thread.serial, thread.tid);
    {
      const CallTraceStorage::Guard table = Sampling().traces.Enter(thread.guards);
      sample.trace = table->Put({&frame, 1, false});
      for (const SampleKind kind : {SampleKind::kCpu, SampleKind::kWall}) {
        sample.kind = kind;
        sample.weight = 2 * kInterval;
        world.memory->samples().Push(thread, table.level(), sample);
      }
    }
    sample.kind = SampleKind::kWall;
    sample.weight = 5 * kInterval;
    world.off_thread.Push(thread, sample);
    thread.AddLost(SampleKind::kCpu, LostReason::kNoSignal, 3 * kInterval);
    world.jvm->registry.OnJavaThreadEnd(nullptr);
  }).join();
}

void HandSamplesToASecondConsumer(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  Collector collector;
  RecorderContext context = world.Context();
  context.sinks = {&collector};
  const test::TempFolder folder;
  RecordingPlan plan;
  plan.path = folder.File("a.jfr");
  plan.vm = &world.jvm->structs.statics;
  report->Expect(world.jvm->classes.AddLoaded(world.jvm->events.jvmti(), jni).ok(),
                 "classes are known");
  world.memory->Activate();
  {
    RecordingSummary summary;
    auto writer = JfrWriter::Claim(plan.path, ChunkClock::Now());
    ChunkSequence chunks(context, plan, std::move(writer).value(), jni, summary);
    report->Expect(chunks.Begin(MonotonicNanos()).ok(), "the file can be written");
    const jmethodID length = jni->GetMethodID(jni->FindClass("java/lang/String"), "length", "()I");
    SampleOnce(world, length);
    chunks.Drain(MonotonicNanos());
    const std::vector<std::string> expected = {
        "cpu 2000000 of sampled: java/lang/String.length",
        "wall 2000000 of sampled: java/lang/String.length",
        "wall 5000000 of sampled: java/lang/String.length",
        "cpu lost 3000000 of sampled: jprof.[lost: no signal reached the thread]"};
    std::string all;
    for (const std::string& line : collector.lines) all += line + "\n";
    report->Expect(collector.lines == expected, "the consumer sees:\n" + all);
    report->Expect(summary.recorded == decltype(summary.recorded){2, 7}, "in intervals: recorded");
    report->Expect(summary.TotalLost() == 3, "in intervals: lost");
    chunks.End(MonotonicNanos());
    report->Expect(chunks.outcome().ok(), "the recording is written as well");
  }
  report->Expect(world.memory->Deactivate(), "no handler is left inside");
}

void KeepClassesUntilTheirSamplesAreDrained(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  const RecorderContext context = world.Context();
  const test::TempFolder folder;
  RecordingPlan plan;
  plan.path = folder.File("a.jfr");
  plan.vm = &world.jvm->structs.statics;
  RecordingSummary summary;
  auto writer = JfrWriter::Claim(plan.path, ChunkClock::Now());
  ChunkSequence chunks(context, plan, std::move(writer).value(), jni, summary);
  SampledClasses& classes = world.jvm->sampled_classes;
  const auto number_of = [&](const char* name) {
    return classes.NumberOf(world.jvm->events.jvmti(), jni, jni->FindClass(name));
  };
  const uint32_t early = number_of("java/lang/String");
  Nanos now_ns = MonotonicNanos();
  report->Expect(chunks.Begin(now_ns).ok(), "the file can be written");
  report->Expect(classes.Find(early) != nullptr,
                 "a class that was sampled before the file is known");
  const uint32_t unused = number_of("java/lang/Integer");
  chunks.Rotate(now_ns += kNanosPerSecond);
  report->Expect(classes.Find(early) != nullptr, "and in the next chunk");
  for (int i = 0; i < 2; ++i) chunks.Rotate(now_ns += kNanosPerSecond);
  report->Expect(classes.Find(unused) == nullptr, "a class that is not sampled again is forgotten");
  chunks.End(now_ns);
}

class ChunkSequenceJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ChunkSequenceJvmTest, ThreadsThatEndAreForgottenWhileNothingCanBeWritten) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, ForgetThreadsWithoutAChunk), "");
}

TEST_P(ChunkSequenceJvmTest, ParticipantsAreCalledWhileNothingCanBeWritten) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, CallParticipantsWithoutAChunk), "");
}

TEST_P(ChunkSequenceJvmTest, AnotherConsumerSeesEverySampleWithItsNames) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, HandSamplesToASecondConsumer), "");
}

TEST_P(ChunkSequenceJvmTest, ClassesStayUntilTheirSamplesAreDrained) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, KeepClassesUntilTheirSamplesAreDrained), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ChunkSequenceJvmTest,
                         testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
