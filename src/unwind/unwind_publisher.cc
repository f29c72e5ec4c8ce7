#include "unwind/unwind_publisher.h"

#include <sched.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "elf/library_map.h"
#include "sigsafe/os/clock.h"
#include "unwind/unwind_compiler.h"

namespace jprof {
namespace {

constexpr Nanos kLookEvery = kNanosPerSecond / 10;
// The kernel may queue a thread that is being created behind this one for a whole slice, of some
// milliseconds, though another processor is free; its creator waits. Where none is free each time
// costs a slice, so not more often.
constexpr Nanos kGiveWayEvery = kNanosPerSecond / 2000;
constexpr Nanos kPublishEvery = kNanosPerSecond / 100;  // while tables are being made

uint64_t CodeSize(const Library& library) {
  uint64_t size = 0;
  for (const AddressRange& range : library.executable) size += range.end - range.begin;
  return size;
}

// What makes two loaded objects the same code.
std::string KeyOf(const Library& library) {
  std::string key = library.build_id.empty() ? library.path : library.build_id;
  for (const AddressRange& range : library.executable) {
    key += ' ' + std::to_string(range.begin - library.load_bias) + '+' +
           std::to_string(range.end - range.begin);
  }
  return key;
}

// Every table that was ever made, and what is loaded now.
class ProcessTables {
 public:
  bool Update(const GivenUp& given_up) {
    const std::lock_guard lock(mutex_);
    const LibraryMap::Generation generation = LibraryMap::CurrentGeneration();
    if (generation_ == generation) return false;
    generation_ = generation;
    LibraryMap map = LibraryMap::Snapshot();
    std::vector<Library> missing = PublishKnown(map);
    std::ranges::sort(missing, {}, CodeSize);
    Nanos published = MonotonicNanos();
    for (const Library& library : missing) {
      Compile(library, given_up);
      if (given_up()) {
        generation_.reset();  // the next look finds the rest
        return true;
      }
      if (MonotonicNanos() - published < kPublishEvery) continue;
      PublishKnown(map);
      published = MonotonicNanos();
    }
    if (!missing.empty()) PublishKnown(map);
    return true;
  }

  UnwindTotals Totals() {
    const std::lock_guard lock(mutex_);
    return totals_;
  }

 private:
  using Tables = std::vector<const UnwindTable*>;  // empty: the object has no unwind information

  // Returns those whose tables are yet to be made.
  std::vector<Library> PublishKnown(const LibraryMap& map) {
    std::vector<CodeRange> ranges;
    std::vector<Library> missing;
    for (const Library& library : map.libraries()) {
      const auto known = tables_.find(KeyOf(library));
      if (known == tables_.end()) {
        missing.push_back(library);
        continue;
      }
      for (size_t i = 0; i < known->second.size(); ++i) {
        const AddressRange& code = library.executable[i];
        ranges.push_back({code.begin, code.end, known->second[i]});
      }
    }
    std::ranges::sort(ranges, {}, &CodeRange::begin);
    NativeCode::OfProcess().Publish(ranges.data(), ranges.size());
    return missing;
  }

  void Compile(const Library& library, const GivenUp& given_up) {
    if (totals_.bytes > UnwindPublisher::kMaxBytes) return;
    const Nanos begun = MonotonicNanos();
    Result<std::vector<BuiltTable>> compiled = CompileUnwindTables(library, given_up);
    if (!compiled) {
      if (given_up()) return;
      Log::Debug("native frames of %s cannot be walked: %s", library.path.c_str(),
                 compiled.error().message().c_str());
      // One that has been unloaded meanwhile may come back whole.
      if (LibraryMap::CurrentGeneration() == generation_) tables_[KeyOf(library)] = {};
      return;
    }
    Tables& tables = tables_[KeyOf(library)];
    size_t rows = 0;
    size_t bytes = 0;
    for (BuiltTable& built : compiled.value()) {
      built.pages.Leak();  // a handler may read it at any time
      tables.push_back(built.table);
      rows += built.rows;
      bytes += built.bytes;
    }
    ++totals_.objects;
    totals_.rows += rows;
    totals_.bytes += bytes;
    Log::Debug("unwind table of %s: %zu rows, %zu bytes, compiled in %lld us", library.path.c_str(),
               rows, bytes, static_cast<long long>((MonotonicNanos() - begun) / 1000));
  }

  std::mutex mutex_;
  std::optional<LibraryMap::Generation> generation_;
  std::map<std::string, Tables> tables_;
  UnwindTotals totals_;
};

// Never freed: what it holds may be in use in a handler.
ProcessTables& OfProcess() {
  static auto* const tables = new ProcessTables;
  return *tables;
}

}  // namespace

Result<std::unique_ptr<UnwindPublisher>> UnwindPublisher::Start() {
  Result<StopEvent> stop = StopEvent::Create();
  if (!stop) return stop.error();
  std::unique_ptr<UnwindPublisher> publisher(new UnwindPublisher(std::move(stop).value()));
  Result<NativeThread> thread =
      NativeThread::Start("jprof-unwind", [self = publisher.get()] { self->Run(); });
  if (!thread) return thread.error();
  publisher->thread_ = std::move(thread).value();
  return publisher;
}

UnwindPublisher::~UnwindPublisher() {
  stop_.Set();
  thread_.Join();
}

void UnwindPublisher::Run() {
  Nanos gave_way_ns = MonotonicNanos();
  const GivenUp give_way_or_stop = [&] {
    if (MonotonicNanos() - gave_way_ns > kGiveWayEvery) {
      sched_yield();
      gave_way_ns = MonotonicNanos();
    }
    return stop_.WaitUntil(0);
  };
  do {
    OfProcess().Update(give_way_or_stop);
  } while (!stop_.WaitUntil(MonotonicNanos() + kLookEvery));
}

bool UnwindPublisher::Update() { return OfProcess().Update(NeverGivenUp); }

UnwindTotals UnwindPublisher::Totals() { return OfProcess().Totals(); }

}  // namespace jprof
