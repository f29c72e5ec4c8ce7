// LoadEvents writes the load of the machine and of the process. ProfilerStatistics writes the cost
// of profiling. Both participants run on the recorder's thread.

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/scaled_text.h"
#include "chunks/own_participants.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_events.h"
#include "os/cpu_clock.h"
#include "os/process_load.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "threads/thread_registry.h"

namespace jprof {
namespace {

// A thread that has used less CPU time than this has no event jdk.ThreadCPULoad: the event would
// show 0.
constexpr Nanos kLeastUse = 1'000'000;

float Share(double part, double whole) {
  return whole > 0 ? static_cast<float>(std::clamp(part / whole, 0.0, 1.0)) : 0;
}

// Writes the load of the machine and of the process: jdk.CPULoad each second, jdk.ThreadCPULoad and
// jdk.ResidentSetSize every ten seconds.
//
// Numbers that the kernel does not report are not written. While no chunk can be written, no load
// is read; the first events afterwards cover all the time since the last reading.
class LoadEvents final : public ChunkParticipant {
 public:
  static constexpr Nanos kCpuPeriod = kNanosPerSecond;
  static constexpr Nanos kThreadPeriod = 10 * kNanosPerSecond;

  // `now_ns` is the start of the time that the first events cover.
  LoadEvents(ThreadRegistry& registry, Nanos now_ns);

  void AddSettings(EventSettings& settings) const override;

  // Writes the events that are due.
  void AfterSamples(OpenChunk& chunk) override;

 private:
  struct ThreadUse {
    Nanos cpu_ns;
    Nanos system_ns;
    bool seen;
  };

  void WriteCpu(JfrWriter& writer, Nanos now_ns);
  void WriteThreads(OpenChunk& chunk);

  ThreadRegistry& registry_;
  const double processors_;
  Nanos cpu_since_ns_;
  CpuTimes process_;
  std::optional<MachineTicks> machine_;
  Nanos threads_since_ns_;
  std::unordered_map<uint32_t, ThreadUse> threads_;  // keyed by serial, as of the last reading
};

LoadEvents::LoadEvents(ThreadRegistry& registry, Nanos now_ns)
    : registry_(registry),
      processors_(static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))),
      cpu_since_ns_(now_ns),
      process_(ProcessCpuTimes()),
      machine_(ReadMachineTicks()),
      threads_since_ns_(now_ns) {}

void LoadEvents::AddSettings(EventSettings& settings) const {
  const auto add = [&](JfrType event, Nanos period_ns) {
    settings.Enable(event);
    settings.Set(event, "period", DurationText(period_ns));
  };
  add(JfrType::kCPULoad, kCpuPeriod);
  add(JfrType::kThreadCPULoad, kThreadPeriod);
  add(JfrType::kResidentSetSize, kThreadPeriod);
}

void LoadEvents::AfterSamples(OpenChunk& chunk) {
  const Nanos now_ns = chunk.now_ns;
  if (now_ns - cpu_since_ns_ >= kCpuPeriod) WriteCpu(chunk.writer, now_ns);
  if (now_ns - threads_since_ns_ < kThreadPeriod) return;
  if (const std::optional<ResidentSet> set = ReadResidentSet()) {
    chunk.writer.Append(ResidentSetSize{now_ns, static_cast<uint64_t>(set->size_bytes),
                                        static_cast<uint64_t>(set->peak_bytes)});
  }
  WriteThreads(chunk);
}

void LoadEvents::WriteCpu(JfrWriter& writer, Nanos now_ns) {
  const CpuTimes process = ProcessCpuTimes();
  const std::optional<MachineTicks> machine = ReadMachineTicks();
  if (machine && machine_) {
    const double available = static_cast<double>(now_ns - cpu_since_ns_) * processors_;
    const auto user = static_cast<double>(process.user_ns - process_.user_ns);
    const auto system = static_cast<double>(process.system_ns - process_.system_ns);
    const auto busy = static_cast<double>(machine->busy) - static_cast<double>(machine_->busy);
    const auto all = static_cast<double>(machine->all) - static_cast<double>(machine_->all);
    writer.Append(
        CPULoad{now_ns, Share(user, available), Share(system, available), Share(busy, all)});
  }
  cpu_since_ns_ = now_ns;
  process_ = process;
  machine_ = machine;
}

// Reads the CPU clocks of all threads: they are exact and cheap to read. Reads the division into
// user and system time only for threads that have used at least kLeastUse.
void LoadEvents::WriteThreads(OpenChunk& chunk) {
  const Nanos now_ns = chunk.now_ns;
  struct Profiled {
    uint32_t serial;
    Tid tid;
    bool is_older;  // existed before the recording; its first reading has no event
  };
  std::vector<Profiled> profiled;
  registry_.ForEach([&](const ThreadSlot& thread) {
    profiled.push_back({thread.serial.load(std::memory_order_relaxed),
                        thread.tid.load(std::memory_order_relaxed),
                        thread.path.load(std::memory_order_relaxed) == PrimingPath::kScan});
  });
  const double available =
      static_cast<double>(now_ns - std::exchange(threads_since_ns_, now_ns)) * processors_;
  for (auto& [serial, use] : threads_) use.seen = false;
  for (const auto& [serial, tid, is_older] : profiled) {
    const auto [entry, is_new] = threads_.try_emplace(serial, ThreadUse{0, 0, true});
    ThreadUse& use = entry->second;
    use.seen = true;
    const Nanos cpu_ns = TaskCpuNanos(tid);
    const Nanos used_ns = cpu_ns - use.cpu_ns;
    if (used_ns < kLeastUse) continue;
    const std::optional<CpuTimes> times = TaskCpuTimes(tid);
    if (!times) continue;
    const Nanos system_ns = std::clamp<Nanos>(
        times->system_ns - std::exchange(use.system_ns, times->system_ns), 0, used_ns);
    use.cpu_ns = cpu_ns;
    if (is_new && is_older) continue;
    chunk.writer.Append(ThreadCPULoad{now_ns, chunk.threads.KeyOf(serial, tid),
                                      Share(static_cast<double>(used_ns - system_ns), available),
                                      Share(static_cast<double>(system_ns), available)});
  }
  std::erase_if(threads_, [](const auto& entry) { return !entry.second.seen; });
}

// Writes events about the profiler itself, at the end of every chunk: samples recorded and lost;
// the time and the memory of profiling; how threads became known (PrimingPath). Each count of
// samples, and each time, is written for the chunk and as the total since the start.
class ProfilerStatistics final : public ChunkParticipant {
 public:
  // REQUIRES: all references outlive the object.
  ProfilerStatistics(const RecorderContext& context, RecordingSummary& summary,
                     const MethodNames& methods, const NativeNames& natives)
      : context_(context), summary_(summary), methods_(methods), natives_(natives) {
    Observe();
    has_begun_ = true;
  }

  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk&) override { Observe(); }
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  struct ThreadTime {
    std::string name;
    Nanos start_ns;  // CPU time before this recording
    Nanos cpu_ns;
  };

  // Reads the CPU clocks of the profiler's threads and adds them up for the summary. Called at
  // every drain, so that only the last moments of an ending thread are missed.
  void Observe();
  void WriteSamples(JfrWriter& writer, Nanos now_ns);
  void WriteTimes(JfrWriter& writer, Nanos now_ns);
  void WriteMemory(JfrWriter& writer, Nanos now_ns) const;
  void WriteThreads(JfrWriter& writer, Nanos now_ns) const;
  // Writes the sizes of the profiler's bounded containers, so that a recording shows whether they
  // grow while the program runs.
  void WriteInMemory(JfrWriter& writer, Nanos now_ns) const;
  void WriteTime(JfrWriter& writer, const std::string& part, Nanos total_ns, Nanos now_ns);

  const RecorderContext& context_;
  RecordingSummary& summary_;
  const MethodNames& methods_;
  const NativeNames& natives_;
  std::map<int32_t, ThreadTime> own_threads_;  // keyed by tid; includes ended threads
  bool has_begun_ = false;    // true after the first Observe: threads first seen later are new
  RecordingSummary written_;  // numbers as of the last chunk
  std::map<std::string, Nanos> written_times_;
};

// Writes the count of this chunk and the total so far; writes nothing while the total is 0.
void WriteCount(JfrWriter& writer, Nanos now_ns, std::string_view kind, std::string_view outcome,
                uint64_t total, uint64_t before) {
  if (total == 0) return;
  writer.Append(SampleCount{now_ns, kind, outcome, total - before, total});
}

void ProfilerStatistics::Observe() {
  for (const Tid tid : context_.registry.Ignored()) {
    const Nanos cpu_ns = TaskCpuNanos(tid);
    const auto [entry, is_new] = own_threads_.try_emplace(Value(tid));
    ThreadTime& time = entry->second;
    // The tid of an ended thread can be reused by another thread of the profiler, whose clock
    // starts below time.cpu_ns.
    if (is_new) time = {TaskName(tid), has_begun_ ? 0 : cpu_ns, cpu_ns};
    if (cpu_ns > time.cpu_ns) time.cpu_ns = cpu_ns;
  }
  summary_.own_threads_ns = 0;
  for (const auto& [tid, time] : own_threads_) {
    summary_.own_threads_ns += time.cpu_ns - time.start_ns;
  }
}

void ProfilerStatistics::AddSettings(EventSettings& settings) const {
  for (const JfrType event : {JfrType::kSampleCount, JfrType::kProfilerTime,
                              JfrType::kProfilerMemory, JfrType::kCounter}) {
    settings.Enable(event);
  }
}

uint64_t ProfilerStatistics::Forget() {
  Observe();
  return 0;
}

void ProfilerStatistics::WriteClosing(JfrWriter& writer, Nanos now_ns) {
  Observe();
  WriteTimes(writer, now_ns);
  WriteSamples(writer, now_ns);
  WriteMemory(writer, now_ns);
  WriteThreads(writer, now_ns);
  WriteInMemory(writer, now_ns);
  written_ = summary_;
}

void ProfilerStatistics::WriteSamples(JfrWriter& writer, Nanos now_ns) {
  for (const SampleKindRow& row : kSampleKinds) {
    const char* name = row.name;
    const auto kind = static_cast<size_t>(row.kind);
    WriteCount(writer, now_ns, name, "recorded", summary_.recorded[kind], written_.recorded[kind]);
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      WriteCount(writer, now_ns, name,
                 "lost: " + std::string(LossText(static_cast<LostReason>(reason))),
                 summary_.lost[kind][reason], written_.lost[kind][reason]);
    }
    WriteCount(writer, now_ns, name, "lost: no thread slot", summary_.lost_without_thread[kind],
               written_.lost_without_thread[kind]);
    WriteCount(writer, now_ns, name, "outside the windows", summary_.outside[kind],
               written_.outside[kind]);
    if (summary_.without_root[kind] != 0) {
      writer.Append(Counter{now_ns, "samples without the root of their stack: " + std::string(name),
                            summary_.without_root[kind]});
    }
  }
  constexpr std::string_view kContext = "context";
  WriteCount(writer, now_ns, kContext, "lost: stack storage full", summary_.unstored_contexts,
             written_.unstored_contexts);
  WriteCount(writer, now_ns, kContext, "lost: no memory, or too many virtual threads",
             summary_.refused_contexts, written_.refused_contexts);
  WriteCount(writer, now_ns, kContext, "perhaps of an unknown virtual thread",
             summary_.unknown_virtual_threads, written_.unknown_virtual_threads);
  if (summary_.windows) {
    writer.Append(Counter{now_ns, "windows", summary_.windows->windows});
    writer.Append(Counter{now_ns, "windows: ns", static_cast<uint64_t>(summary_.windows->open_ns)});
  }
  if (summary_.removed_bytes != 0) {
    writer.Append(Counter{now_ns, "bytes removed from the file by others", summary_.removed_bytes});
  }
  if (const uint64_t refused = context_.virtual_names.refused(); refused != 0) {
    writer.Append(Counter{now_ns, "samples without the name of their virtual thread", refused});
  }
  if (summary_.unwritten_events == 0) return;
  writer.Append(Counter{now_ns, "events not written", summary_.unwritten_events});
}

void ProfilerStatistics::WriteTimes(JfrWriter& writer, Nanos now_ns) {
  writer.Append(Counter{now_ns, "ns of CPU of the process",
                        static_cast<uint64_t>(ReadClock(CLOCK_PROCESS_CPUTIME_ID))});
  WriteTime(writer, "signal handlers", summary_.handler_ns, now_ns);
  WriteTime(writer, "signal handlers: stack walks", summary_.walk_ns, now_ns);
  std::map<std::string, Nanos> by_name;
  for (const auto& [tid, time] : own_threads_) {
    if (!time.name.empty()) by_name[time.name] += time.cpu_ns - time.start_ns;
  }
  for (const auto& [name, total_ns] : by_name) {
    WriteTime(writer, "thread " + name, total_ns, now_ns);
  }
}

void ProfilerStatistics::WriteTime(JfrWriter& writer, const std::string& part, Nanos total_ns,
                                   Nanos now_ns) {
  // Rounds down to whole ticks, so that the times of all chunks add up to the total.
  total_ns -= total_ns % ChunkClock::kNanosPerTick;
  Nanos& before_ns = written_times_[part];
  writer.Append(ProfilerTime{now_ns, part, total_ns - before_ns, total_ns});
  before_ns = total_ns;
}

void ProfilerStatistics::WriteMemory(JfrWriter& writer, Nanos now_ns) const {
  writer.Append(ProfilerMemory{now_ns, "stacks", context_.traces.ResidentBytes()});
  writer.Append(ProfilerMemory{now_ns, "samples", context_.sample_pages.ResidentBytes()});
  writer.Append(ProfilerMemory{now_ns, "thread slots",
                               uint64_t{context_.slots.HighWater()} * sizeof(ThreadSlot)});
  writer.Append(
      ProfilerMemory{now_ns, "stacks of this chunk as written", writer.pools().StackBytes()});
  writer.Append(
      ProfilerMemory{now_ns, "names of young classes", context_.classes.short_lived().bytes()});
}

void ProfilerStatistics::WriteThreads(JfrWriter& writer, Nanos now_ns) const {
  const PrimingCounts counts = context_.registry.Counts();
  for (size_t path = 0; path < kPrimingPathCount; ++path) {
    if (counts.threads[path] == 0) continue;
    const std::string name = kPrimingPathNames[path];
    writer.Append(Counter{now_ns, "threads known by " + name, counts.threads[path]});
    const PrimeLatency& latency = counts.latency[path];
    if (latency.threads == 0) continue;
    const Nanos mean_ns = latency.total_ns / static_cast<Nanos>(latency.threads);
    writer.Append(Counter{now_ns, name + ": ns until known, mean", static_cast<uint64_t>(mean_ns)});
    writer.Append(
        Counter{now_ns, name + ": ns until known, most", static_cast<uint64_t>(latency.max_ns)});
  }
  writer.Append(Counter{now_ns, "thread slots in use", counts.slots_in_use});
  writer.Append(Counter{now_ns, "thread slots recycled", counts.slots_recycled});
  writer.Append(Counter{now_ns, "pauses of the collector not kept", context_.gc_pauses.missed()});
  writer.Append(Counter{now_ns, "priming signals", counts.signals});
}

void ProfilerStatistics::WriteInMemory(JfrWriter& writer, Nanos now_ns) const {
  writer.Append(Counter{now_ns, "in memory: threads", context_.registry.names().Known().size()});
  writer.Append(Counter{now_ns, "in memory: constants", writer.pools().size()});
  writer.Append(Counter{now_ns, "in memory: names of methods", methods_.size()});
  writer.Append(Counter{now_ns, "in memory: names of addresses", natives_.size()});
  writer.Append(Counter{now_ns, "in memory: ranges of method ids", context_.classes.size()});
  writer.Append(Counter{now_ns, "in memory: classes of samples", context_.sampled_classes.size()});
}

}  // namespace

std::unique_ptr<ChunkParticipant> MakeLoadEvents(const RecorderContext& context, Nanos now_ns) {
  return std::make_unique<LoadEvents>(context.registry, now_ns);
}

std::unique_ptr<ChunkParticipant> MakeProfilerStatistics(const RecorderParts& parts) {
  return std::make_unique<ProfilerStatistics>(parts.context, parts.summary, parts.methods,
                                              parts.natives);
}

}  // namespace jprof
