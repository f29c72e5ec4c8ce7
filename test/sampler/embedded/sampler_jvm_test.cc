#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "jfr/writer/jfr_events.h"
#include "jvm/embedded/embedded_jvm.h"
#include "sampler/engine_table.h"
#include "sampler/sampler.h"
#include "sigsafe/os/clock.h"
#include "support/temp_folder.h"
#include "support/text.h"

namespace jprof {
namespace {

struct Calls {
  int installed = 0;
  int started = 0;
  int stopped = 0;
  int destroyed = 0;
  int threads = 0;
  int written = 0;
  int last_drains = 0;
};

// An engine that writes an event into each chunk. Its start fails if Behaviour is kFails.
class TickEngine final : public Engine, private JvmEventListener {
 public:
  enum class Behaviour { kStarts, kFails };

  TickEngine(const EngineContext& context, Behaviour behaviour, Calls* calls)
      : context_(context), behaviour_(behaviour), calls_(calls) {}
  ~TickEngine() override { ++calls_->destroyed; }

  Status Install() override {
    ++calls_->installed;
    return {};
  }
  Status Start() override {
    if (calls_->installed == 1) ++calls_->started;
    Result<JvmEvents::Subscription> threads =
        context_.jvm_events.Subscribe(*this, {JVMTI_EVENT_THREAD_START});
    if (!threads) return threads.error();
    subscription_ = std::move(threads).value();
    return behaviour_ == Behaviour::kFails ? Status(Error("no clock ticks here")) : Status();
  }
  bool Stop() override {
    ++calls_->stopped;
    return subscription_.CancelAndWait();
  }
  std::string Description() const override { return "tick"; }
  void AddSettings(EventSettings& settings) const override {
    settings.Set(JfrType::kCounter, "tickSetting", "ticks are on");
  }
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override {
    ++calls_->written;
    writer.Append(Counter{now_ns, "ticks until now", 1});
  }
  void BeforeLastDrain(JNIEnv*) override { ++calls_->last_drains; }

 private:
  void OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) override { ++calls_->threads; }

  const EngineContext context_;
  const Behaviour behaviour_;
  Calls* const calls_;
  JvmEvents::Subscription subscription_;
};

int Occurrences(const std::string& path, const std::string& text) {
  return static_cast<int>(test::CountOf(test::FileContent(path), text));
}

// A JVM, and the folder of its recordings.
struct World {
  explicit World(JNIEnv* env) : jni(env) {
    JavaVM* vm = nullptr;
    env->GetJavaVM(&vm);
    jvm = JvmConnection::Make(*JvmEvents::Create(vm).value(), env).value();
  }

  Result<std::unique_ptr<Sampler>> Start(const std::string& words) {
    const Options options =
        ParseOptions("start," + words + ",file='" + folder.File("a.jfr") + "'").value();
    RecordingPlan files;
    files.path = folder.File("a.jfr");
    files.stop_soon = [] { return true; };
    return Sampler::Start(*jvm, jni, options, {++number, std::move(files)});
  }

  void AttachAThread() const {
    std::thread([vm = jvm->events.vm()] {
      JNIEnv* own = nullptr;
      vm->AttachCurrentThread(reinterpret_cast<void**>(&own), nullptr);
      vm->DetachCurrentThread();
    }).join();
  }

  JNIEnv* const jni;
  JvmConnection* jvm = nullptr;
  test::TempFolder folder;
  uint32_t number = 0;
};

void JoinAndLeave(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  auto started = world.Start("cpu=10ms");
  if (!started) return report->Expect(false, started.error().message());
  Sampler& sampler = *started.value();
  report->Expect(sampler.Begin().ok(), "it begins");
  report->Expect(sampler.Dump().ok(), "and is dumped");
  const std::string path = world.folder.File("a.jfr");
  report->Expect(Occurrences(path, "ticks are on") == 0, "no engine ticks");

  Calls calls;
  auto tick =
      std::make_unique<TickEngine>(sampler.context(), TickEngine::Behaviour::kStarts, &calls);
  const Engine& joined = *tick;
  report->Expect(sampler.Join(std::move(tick)).ok(), "an engine joins");
  report->Expect(sampler.engines().size() == 2 && calls.started == 1, "it is one of two");
  const int written_before = calls.written;
  world.AttachAThread();
  report->Expect(calls.threads == 1, "it hears of events of the JVM");
  report->Expect(sampler.Dump().ok(), "a chunk ends");
  report->Expect(calls.written == written_before + 1 && calls.last_drains == calls.written,
                 "with its share in that");
  report->Expect(Occurrences(path, "ticks are on") == 1, "its settings are in its chunk");

  sampler.Leave(joined);
  report->Expect(calls.stopped == 1 && calls.destroyed == 1, "it leaves");
  report->Expect(sampler.engines().size() == 1, "and the other stays");
  const int written = Occurrences(path, "ticks until now");
  report->Expect(written == calls.written, "all that it wrote is in the file");
  const int settings = Occurrences(path, "ticks are on");
  world.AttachAThread();
  report->Expect(calls.threads == 1, "it hears of nothing more");
  report->Expect(sampler.Finish().ok(), "the recording ends");
  report->Expect(Occurrences(path, "ticks are on") == settings, "without it");
  report->Expect(Occurrences(path, "ticks until now") == written, "altogether");
}

void FailToJoin(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  auto started = world.Start("cpu=10ms");
  if (!started) return report->Expect(false, started.error().message());
  Sampler& sampler = *started.value();
  report->Expect(sampler.Begin().ok(), "it begins");
  Calls calls;
  const Status joined = sampler.Join(
      std::make_unique<TickEngine>(sampler.context(), TickEngine::Behaviour::kFails, &calls));
  report->Expect(!joined.ok(), "an engine cannot start");
  report->Expect(joined.ok() || joined.error().message() == "no clock ticks here", "and says why");
  report->Expect(calls.stopped == 1 && calls.destroyed == 1, "it is gone");
  world.AttachAThread();
  report->Expect(calls.threads == 0, "and hears of nothing");
  report->Expect(sampler.engines().size() == 1, "the other engine goes on");
  report->Expect(sampler.Finish().ok(), "and the recording is complete");
}

// Returns the recorded weight of samples of `kind` so far, counted as in reports.
uint64_t RecordedOf(Sampler& sampler, SampleKind kind) {
  EXPECT_TRUE(sampler.Dump().ok());
  return sampler.Latest().recorded[static_cast<size_t>(kind)];
}

void Burn(Nanos nanos) {
  const Nanos end_ns = ThreadCpuNanos() + nanos;
  while (ThreadCpuNanos() < end_ns) {
  }
}

void JoinAndLeaveByKind(JNIEnv* jni, ChildReport* report) {
  constexpr Nanos kInterval = 5'000'000;
  constexpr uint64_t kIntervals = 40;
  World world(jni);
  auto started = world.Start("cpu=5ms");
  if (!started) return report->Expect(false, started.error().message());
  Sampler& sampler = *started.value();
  const Engine& cpu = *sampler.engines().front();
  report->Expect(sampler.Begin().ok(), "it begins");

  auto wall =
      MakeEngine(SampleKind::kWall, ParseOptions("start,wall=5ms").value(), sampler.context());
  report->Expect(wall.ok() && sampler.Join(std::move(wall).value()).ok(), "wall joins");
  Burn(kIntervals * kInterval);
  const uint64_t of_wall = RecordedOf(sampler, SampleKind::kWall);
  const uint64_t of_cpu = RecordedOf(sampler, SampleKind::kCpu);
  report->Expect(of_wall + 1 >= kIntervals, std::to_string(of_wall) + " intervals of wall");
  report->Expect(of_cpu + 1 >= kIntervals, std::to_string(of_cpu) + " intervals of cpu");

  sampler.Leave(cpu);
  const uint64_t at_leaving = RecordedOf(sampler, SampleKind::kCpu);
  Burn(kIntervals * kInterval);
  const uint64_t later = RecordedOf(sampler, SampleKind::kCpu);
  report->Expect(later == at_leaving, std::to_string(later - at_leaving) + " of cpu without cpu");
  report->Expect(RecordedOf(sampler, SampleKind::kWall) + 1 >= of_wall + kIntervals,
                 "wall goes on");
  report->Expect(sampler.Finish().ok(), "the recording ends");
}

// The program already handles the signal of the second engine, so the start of that engine fails.
void FailToStart(JNIEnv* jni, ChildReport* report) {
  World world(jni);
  const std::string path = world.folder.File("a.jfr");
  std::ofstream(path) << "of an earlier recording";
  signal(SIGVTALRM, [](int) {});
  const auto refused = world.Start("cpu=10ms,wall=50ms");
  report->Expect(!refused.ok(), "an engine refuses");
  report->Expect(Occurrences(path, "of an earlier recording") == 1, "the file is untouched");
  report->Expect(world.folder.Names().size() == 1, "and alone");
  struct sigaction action = {};
  sigaction(SIGPROF, nullptr, &action);
  report->Expect(action.sa_handler == SIG_DFL, "the first engine's signal is as it was");
  jvmtiCapabilities capabilities{};
  world.jvm->events.jvmti()->GetCapabilities(&capabilities);
  report->Expect(capabilities.can_generate_garbage_collection_events == 0, "so is the JVM");
  signal(SIGVTALRM, SIG_DFL);
  auto started = world.Start("cpu=10ms,wall=50ms");
  report->Expect(started.ok(), "then both start");
  if (!started) return;
  report->Expect(started.value()->Begin().ok() && started.value()->Finish().ok(), "and stop");
  started.value().reset();
  world.jvm->events.jvmti()->GetCapabilities(&capabilities);
  report->Expect(capabilities.can_generate_garbage_collection_events == 0, "and are gone");
}

class SamplerJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(SamplerJvmTest, AnEngineJoinsAndLeavesWhileTheRecordingRuns) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, JoinAndLeave), "");
}

TEST_P(SamplerJvmTest, AnEngineThatCannotStartLeavesTheRecordingAsItWas) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, FailToJoin), "");
}

TEST_P(SamplerJvmTest, CountsAKindWhileItsEngineTakesPart) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, JoinAndLeaveByKind), "");
}

TEST_P(SamplerJvmTest, AStartThatAnEngineRefusesIsUndone) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, FailToStart), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, SamplerJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
