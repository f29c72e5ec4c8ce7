#include "chunks/load_events.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/scaled_text.h"
#include "chunks/thread_constants.h"
#include "jfr/writer/jfr_events.h"
#include "os/cpu_clock.h"

namespace jprof {
namespace {

// The least CPU time that makes an event; for less the event would show 0.
constexpr Nanos kLeastUse = 1'000'000;

float Share(double part, double whole) {
  return whole > 0 ? static_cast<float>(std::clamp(part / whole, 0.0, 1.0)) : 0;
}

}  // namespace

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

// Reads the clocks of all threads, which are exact and cheap, and the division into user and system
// time only for threads that ran.
void LoadEvents::WriteThreads(OpenChunk& chunk) {
  const Nanos now_ns = chunk.now_ns;
  struct Profiled {
    uint32_t serial;
    Tid tid;
    bool was_there;  // before the recording: its CPU time so far belongs to no period
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
  for (const auto& [serial, tid, was_there] : profiled) {
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
    if (is_new && was_there) continue;
    chunk.writer.Append(ThreadCPULoad{now_ns, chunk.threads.KeyOf(serial, tid),
                                      Share(static_cast<double>(used_ns - system_ns), available),
                                      Share(static_cast<double>(system_ns), available)});
  }
  std::erase_if(threads_, [](const auto& entry) { return !entry.second.seen; });
}

}  // namespace jprof
