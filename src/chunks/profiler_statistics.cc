#include "chunks/profiler_statistics.h"

#include "jfr/writer/jfr_events.h"
#include "os/cpu_clock.h"
#include "os/task_list.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Writes the count in every chunk once its total is not 0.
void WriteCount(JfrWriter& writer, Nanos now_ns, std::string_view kind, std::string_view outcome,
                uint64_t total, uint64_t before) {
  if (total == 0) return;
  writer.Append(SampleCount{now_ns, kind, outcome, total - before, total});
}

}  // namespace

void ProfilerStatistics::Observe() {
  for (const Tid tid : context_.registry.Ignored()) {
    const Nanos cpu_ns = TaskCpuNanos(tid);
    const auto [entry, is_new] = own_threads_.try_emplace(Value(tid));
    ThreadTime& time = entry->second;
    // A freed tid can be reused by another thread of the profiler: its clock then starts below
    // cpu_ns.
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
  total_ns -= total_ns % ChunkClock::kNanosPerTick;  // makes the chunks add up to the total
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

}  // namespace jprof
