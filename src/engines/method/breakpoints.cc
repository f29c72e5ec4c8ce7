#include "engines/method/breakpoints.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "elf/library_map.h"
#include "elf/symbol_finder.h"
#include "os/read_file.h"
#include "os/task_list.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/signal_handlers.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {
namespace {

// Replaces the slot index of a thread in Start's check, before threads have their breakpoints.
constexpr uint32_t kNoThread = kNoOwner;

// Returns the setting by which the kernel might refuse, for the text of an Error.
std::string ParanoidText() {
  const Result<std::string> level = ReadFile("/proc/sys/kernel/perf_event_paranoid");
  if (!level) return "";
  return "; kernel.perf_event_paranoid is " + level.value().substr(0, level.value().find('\n'));
}

}  // namespace

Status Breakpoints::Start(const WindowEdges& edges) {
  unloads_ = ReadLoadCounts().unloads;
  // An instruction with two breakpoints would give two signals.
  const bool is_one = edges.begin == edges.end;
  Status done = AddFunctions(edges.begin, is_one ? kWindowTurns : kWindowBegins);
  if (done && !is_one) done = AddFunctions(edges.end, kWindowEnds);
  if (!done || function_count_ == 0) return done;
  // Checks all of them at once, as every thread will have them.
  done = Watch(CurrentTid(), kNoThread);
  Unwatch(kNoThread);
  if (!done) {
    return Error("the kernel refuses breakpoints, which show calls of functions: " +
                 done.error().message() + ParanoidText());
  }
  done = ChooseSignal();
  if (!done) return done;
  const std::lock_guard lock(disarm_mutex_);
  registry_.AddListener(this);
  is_watching_ = true;
  return {};
}

Status Breakpoints::AddFunctions(const std::string& name, uint32_t owner) {
  if (!WindowEdges::IsFunction(name)) return {};
  const size_t before = function_count_;
  bool fits = true;
  const LibraryMap loaded = LibraryMap::Snapshot();
  for (const Library& library : loaded.libraries()) {
    for (const uint64_t address : FindFunctions(library, name)) {
      fits = function_count_ < kMostFunctions;
      if (!fits) continue;
      functions_[function_count_++] = {address, owner};
      libraries_.push_back(library);
    }
  }
  if (!fits) return Error("too many functions are called " + name);
  if (function_count_ != before) return {};
  return Error("no library of the process has the function " + name +
               ", or it is stripped: install its debug symbols");
}

bool Breakpoints::HasLostLibrary() {
  const uint64_t unloads = ReadLoadCounts().unloads;
  if (std::exchange(unloads_, unloads) == unloads) return false;
  const LibraryMap loaded = LibraryMap::Snapshot();
  return std::ranges::any_of(libraries_, [&](const Library& library) {
    return std::ranges::find(loaded.libraries(), library) == loaded.libraries().end();
  });
}

Status Breakpoints::Watch(Tid tid, uint32_t slot_index) {
  for (const Function& function : std::span(functions_, function_count_)) {
    Result<PerfEvent> event = PerfEvent::AtInstruction(tid, signal_, function.address);
    if (!event) return event.error();
    if (event.value().fd() >= kMaxOwnedDescriptor) return Error("too many open files");
    if (slot_index != kNoThread) {
      SetDescriptorOwner(event.value().fd(), function.owner);
      event.value().Enable();
    }
    watched_.push_back({slot_index, std::move(event).value()});
  }
  return {};
}

void Breakpoints::Unwatch(uint32_t slot_index) {
  std::erase_if(watched_, [slot_index](const Watched& watched) {
    if (watched.slot_index != slot_index) return false;
    watched.event.Disable();
    ClearDescriptorOwner(watched.event.fd());
    return true;
  });
}

// Tries the last signal first: the cpu engine tries the first one first.
Status Breakpoints::ChooseSignal() {
  for (auto row = kCpuSignals.rbegin(); row != kCpuSignals.rend(); ++row) {
    if (row->number == avoid_) continue;
    Result<SignalAction> action = SignalAction::Install(row->number, WindowHandler, kEngineSignals);
    if (!action) continue;
    action_ = std::move(action).value();
    signal_ = row->number;
    return {};
  }
  return Error("no signal is free for calls of functions");
}

void Breakpoints::Disarm() {
  const std::lock_guard lock(disarm_mutex_);
  if (std::exchange(is_watching_, false)) registry_.RemoveListener(this);
  while (!watched_.empty()) Unwatch(watched_.back().slot_index);
}

void Breakpoints::Stop() {
  Disarm();
  action_.Uninstall();
}

void Breakpoints::OnThreadStart(ThreadSlot& thread, Observed) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  const Status seen = Watch(tid, thread.index);
  if (seen || has_reported_ || !TaskExists(tid)) return;
  has_reported_ = true;
  Log::Warn("calls of functions on thread %d are not seen, others may follow: %s", Value(tid),
            seen.error().message().c_str());
}

void Breakpoints::OnThreadEnd(ThreadSlot& thread, EndedBy) { Unwatch(thread.index); }

}  // namespace jprof
