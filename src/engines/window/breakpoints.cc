#include "engines/window/breakpoints.h"

#include <utility>

#include "base/engine_signals.h"
#include "base/log.h"
#include "elf/function_finder.h"
#include "elf/library_map.h"
#include "os/read_file.h"
#include "os/task_list.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/descriptor_owners.h"
#include "sigsafe/sampling/window_handler.h"

namespace jprof {
namespace {

// As many as x86 processors have, of which the kernel gives all to one thread.
constexpr size_t kMostFunctions = 4;

// "; kernel.perf_event_paranoid is 3 here"; "": it can be read by nobody.
std::string ParanoidText() {
  Result<std::string> level = ReadFile("/proc/sys/kernel/perf_event_paranoid");
  if (!level) return "";
  std::string text = std::move(level).value();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return "; kernel.perf_event_paranoid is " + text + " here, and containers may forbid it as well";
}

Result<PerfEvent> OpenAt(Tid tid, int signal, uint64_t address) {
  Result<PerfEvent> event = PerfEvent::AtInstruction(tid, signal, address);
  if (event && event.value().fd() >= kMaxOwnedDescriptor) {
    return Error("a descriptor is beyond what can be told apart");
  }
  return event;
}

}  // namespace

Status Breakpoints::Start(const WindowEdges& edges) {
  Status done = AddFunction(edges.begin, "begin", kWindowBegins);
  if (done) done = AddFunction(edges.end, "end", kWindowEnds);
  if (!done || places_.empty()) return done;
  if (places_.size() > kMostFunctions) {
    return Error(std::to_string(places_.size()) + " functions are called so, and a thread has " +
                 std::to_string(kMostFunctions) + " breakpoints at most");
  }
  done = CheckIsAllowed();
  if (done) done = ChooseSignal();
  if (!done) return done;
  registry_.AddListener(this);
  is_watching_ = true;
  return {};
}

Status Breakpoints::AddFunction(const WindowEdge& edge, const char* option, uint32_t owner) {
  if (edge.function.empty()) return {};
  const size_t before = places_.size();
  const LibraryMap loaded = LibraryMap::Snapshot();
  for (const Library& library : loaded.libraries()) {
    for (const uint64_t address : FindFunctions(library, edge.function)) {
      places_.push_back({address, owner});
    }
  }
  if (places_.size() != before) return {};
  return Error(std::string(option) + "=" + edge.function +
               ": no library of the process has this function; where it is stripped of its "
               "symbols, install its debug symbols");
}

// All at a time, as a thread needs them.
Status Breakpoints::CheckIsAllowed() const {
  std::vector<PerfEvent> events;
  for (const Place& place : places_) {
    Result<PerfEvent> event = OpenAt(CurrentTid(), 0, place.address);
    if (!event) {
      return Error("the kernel refuses breakpoints, by which calls of functions are seen: " +
                   event.error().message() + ParanoidText());
    }
    events.push_back(std::move(event).value());
  }
  return {};
}

// The last ones first: the others are the cpu engine's first choice.
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

void Breakpoints::Stop() {
  if (std::exchange(is_watching_, false)) registry_.RemoveListener(this);
  for (const auto& [index, events] : events_) Close(events);
  events_.clear();
  action_.Uninstall();
}

void Breakpoints::Close(const std::vector<PerfEvent>& events) {
  for (const PerfEvent& event : events) {
    event.Disable();
    ClearDescriptorOwner(event.fd());
  }
}

void Breakpoints::OnThreadStart(ProfiledThread& thread, Observed) {
  std::vector<PerfEvent>& events = events_[thread.index];
  for (const Place& place : places_) {
    Result<PerfEvent> event =
        OpenAt(thread.tid.load(std::memory_order_relaxed), signal_, place.address);
    if (!event) {
      ReportUnseen(thread, event.error());
      return;
    }
    SetDescriptorOwner(event.value().fd(), place.owner);
    event.value().Enable();
    events.push_back(std::move(event).value());
  }
}

void Breakpoints::OnThreadEnd(ProfiledThread& thread, EndedBy) {
  const auto watched = events_.find(thread.index);
  if (watched == events_.end()) return;
  Close(watched->second);
  events_.erase(watched);
}

void Breakpoints::ReportUnseen(const ProfiledThread& thread, const Error& why) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  if (has_reported_ || !TaskExists(tid)) return;
  has_reported_ = true;
  Log::Warn("calls of functions on thread %d are not seen, others may follow: %s", Value(tid),
            why.message().c_str());
}

}  // namespace jprof
