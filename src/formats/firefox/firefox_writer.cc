// The writer of the Firefox Profiler's processed format, version 70 (docs/formats/firefox.md). Used
// by one thread.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/placeholders.h"
#include "formats/credible_time.h"
#include "formats/firefox/code_tables.h"
#include "formats/firefox/facts.h"
#include "formats/firefox/markers.h"
#include "formats/firefox/sample_log.h"
#include "formats/firefox/thread_samples.h"
#include "formats/format_table.h"
#include "formats/json_writer.h"
#include "sources/source_text.h"

namespace jprof {
namespace {

using firefox::CodeTables;
using firefox::Counters;
using firefox::Facts;
using firefox::LoggedSample;
using firefox::Markers;
using firefox::RelativeTime;
using firefox::SampleColumns;
using firefox::SampleLog;
using firefox::SampleRoles;
using profile::CallTree;
using profile::SampleKind;

constexpr int64_t kAfterEndNs = 1'000'000;
constexpr uint64_t kProcessedVersion = 70, kGeckoVersion = 36;
constexpr size_t kMaxThreads = 1000;

// JoinedThreads joins threads of the recording, because the front end draws a track for each
// thread. It joins all virtual threads without a name into one thread. If more than kMaxThreads
// threads are left, it joins the least busy ones into one thread.
class JoinedThreads {
 public:
  // Joins the threads in `samples` and `markers`.
  JoinedThreads(const profile::Profile& profile, SampleLog& samples, Markers& markers)
      : profile_(profile) {
    const auto join = [&](uint32_t from, uint32_t to) {
      samples.Join(from, to);
      markers.Join(from, to);
    };
    std::map<uint32_t, uint64_t> counts = samples.CountsByThread();
    for (const uint32_t thread : markers.Threads()) {
      if (thread != Markers::kNoThread) counts[thread] += markers.CountOf(thread);
    }
    std::optional<uint32_t> nameless;
    for (auto at = counts.begin(); at != counts.end();) {
      const uint32_t thread = at->first;
      const bool is_nameless =
          profile.threads()[thread].is_virtual && profile.ThreadName(thread).empty();
      if (!is_nameless || !nameless) {
        if (is_nameless) nameless = thread;
        ++at;
        continue;
      }
      join(thread, *nameless);
      names_[*nameless] = Text(Placeholder::kVirtualThreads);
      counts[*nameless] += at->second;
      at = counts.erase(at);
    }
    std::vector<std::pair<uint64_t, uint32_t>> threads;
    for (const auto& [thread, count] : counts) threads.emplace_back(count, thread);
    if (threads.size() <= kMaxThreads) return;
    // The busiest thread comes first; equally busy ones are in the order of the recording.
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const uint32_t rest = threads[kMaxThreads - 1].second;
    for (size_t i = kMaxThreads; i < threads.size(); ++i) join(threads[i].second, rest);
    std::string name(Text(Placeholder::kOtherThreads));
    names_[rest] =
        name.replace(name.find('N'), 1, std::to_string(threads.size() - kMaxThreads + 1));
  }

  // Returns the name of a thread. If the thread stands for joined threads, returns a name for all
  // of them.
  std::string NameOf(uint32_t thread) const {
    if (const auto joined = names_.find(thread); joined != names_.end()) return joined->second;
    const std::string& name = profile_.ThreadName(thread);
    if (!name.empty()) return name;
    return std::string(profile_.threads()[thread].is_virtual ? "virtual thread"
                                                             : Text(Placeholder::kUnknownThread));
  }

 private:
  const profile::Profile& profile_;
  std::map<uint32_t, std::string> names_;  // keyed by a thread that stands for joined threads
};

// The samples and events collected until Write.
struct Collected {
  profile::TextTable strings;
  SampleLog samples;
  Markers markers{strings};
  Counters counters;
  Facts facts;
};

class Document {
 public:
  Document(const profile::Profile& profile, const FormatContext& context, Collected& collected,
           const FindSource& find_source, OutputStream& out)
      : profile_(profile),
        context_(context),
        collected_(collected),
        find_source_(find_source),
        roles_(profile, context.kind),
        threads_(profile, collected.samples, collected.markers),
        code_(profile, collected.strings),
        pid_(std::to_string(std::max<int64_t>(profile.pid, 0))),
        json_(out) {
    start_ns_ = std::min({collected.samples.first_ns(), collected.markers.first_ns(),
                          collected.counters.first_ns()});
    if (start_ns_ == INT64_MAX) start_ns_ = CredibleTime(profile.start_ns);
    // A sample stands for the interval before it. So the output starts one interval before the
    // first sample.
    if (!roles_.sampled.empty()) {
      start_ns_ = std::min(start_ns_, CredibleTime(profile.start_ns));
      start_ns_ -= firefox::IntervalOf(profile.kinds[roles_.sampled[0]]);
      start_ns_ = std::max<int64_t>(start_ns_, 0);
    }
    end_ns_ = std::max(start_ns_, CredibleTime(profile.end_ns));
  }

  // Writes the tables of strings and stacks last, because they are complete only after all other
  // parts: a row is added when another part first refers to it.
  void Write() {
    json_.BeginObject();
    WriteThreads();
    json_.Key("counters");
    collected_.counters.Write(start_ns_, pid_, 0, json_);
    json_.Key("libs");
    code_.WriteLibraries(json_);
    WriteMeta();
    json_.BeginObject("shared");
    code_.WriteShared(find_source_, json_);
    json_.BeginArray("stringArray");
    for (size_t i = 0; i < collected_.strings.size(); ++i) {
      json_.Text(collected_.strings[static_cast<uint32_t>(i)]);
    }
    json_.EndArray();
    json_.EndObject();
    json_.BeginArray("pages");
    json_.EndArray();
    json_.EndObject();
  }

 private:
  void WriteMeta() {
    json_.BeginObject("meta");
    json_.Number("version", kGeckoVersion);
    json_.Number("preprocessedProfileVersion", kProcessedVersion);
    const SampleKind* kind =
        roles_.sampled.empty() ? nullptr : &profile_.kinds[roles_.sampled.front()];
    json_.Millis("interval", firefox::IntervalOf(kind != nullptr ? *kind : SampleKind{}));
    json_.Millis("startTime", start_ns_);
    json_.Millis("profilingStartTime", 0);
    // The front end does not show the last moment of the range. So the range ends a little after
    // the last moment of the recording.
    json_.Millis("profilingEndTime", end_ns_ - start_ns_ + kAfterEndNs);
    json_.Number("processType", 0);
    json_.Number("stackwalk", 1);
    json_.Number("debug", 0);
    collected_.facts.Write(profile_, context_, json_);
    json_.BeginObject("sampleUnits");
    json_.Text("time", "ms");
    json_.Text("eventDelay", "ms");
    json_.Text("threadCPUDelta", "ns");
    json_.EndObject();
    json_.Bool("symbolicated", true);
    json_.Bool("symbolicationNotSupported", true);
    json_.Bool("sourceCodeIsNotOnSearchfox", true);
    json_.Bool("keepProfileThreadOrder", true);
    json_.Bool("usesOnlyOneStackType", false);
    json_.Key("categories");
    firefox::WriteCategories(json_);
    json_.Key("markerSchema");
    collected_.markers.WriteSchemas(json_);
    json_.EndObject();
  }

  // Returns the kind whose samples are CPU time; nullopt if there is none.
  std::optional<uint32_t> CpuKind() const {
    for (const uint32_t number : roles_.sampled) {
      if (profile_.kinds[number].name.starts_with("cpu")) return number;
    }
    return std::nullopt;
  }

  // Returns the threads with samples of `kind`, the busiest first: in descending order of their
  // samples of CPU time and, where these are equal, of their samples of `kind`.
  std::vector<uint32_t> ThreadsOf(uint32_t kind) const {
    const uint32_t first = CpuKind().value_or(kind);
    std::vector<uint32_t> threads;
    for (uint32_t i = 0; i < profile_.threads().size(); ++i) {
      if (collected_.samples.CountOf(kind, i) != 0) threads.push_back(i);
    }
    std::stable_sort(threads.begin(), threads.end(), [&](uint32_t a, uint32_t b) {
      const SampleLog& log = collected_.samples;
      return std::pair(log.CountOf(first, a), log.CountOf(kind, a)) >
             std::pair(log.CountOf(first, b), log.CountOf(kind, b));
    });
    return threads;
  }

  void WriteThreads() {
    json_.BeginArray("threads");
    std::vector<uint32_t> threads;
    if (!roles_.sampled.empty()) threads = ThreadsOf(roles_.sampled.front());
    std::set<uint32_t> known(threads.begin(), threads.end());
    const auto add_all = [&](const std::vector<uint32_t>& more) {
      for (const uint32_t thread : more) {
        if (thread != Markers::kNoThread && known.insert(thread).second) threads.push_back(thread);
      }
    };
    if (roles_.allocated) add_all(ThreadsOf(*roles_.allocated));
    const std::vector<uint32_t> with_markers = collected_.markers.Threads();
    add_all(with_markers);
    const bool has_jvm = !with_markers.empty() && with_markers.back() == Markers::kNoThread;
    // The thread of the JVM comes first, because the front end shows the counters with the first
    // thread.
    if (has_jvm || threads.empty()) WriteThread(Markers::kNoThread);
    for (const uint32_t thread : threads) WriteThread(thread);
    for (size_t i = 1; i < roles_.sampled.size(); ++i) WriteOtherThreads(roles_.sampled[i]);
    json_.EndArray();
  }

  // Writes the threads of `kind`, a kind other than the first one, as a separate process. In the
  // process of the first kind, the time of each thread would count twice.
  void WriteOtherThreads(uint32_t kind) {
    const std::string& name = profile_.kinds[kind].name;
    used_ids_.clear();
    for (const uint32_t thread : ThreadsOf(kind)) {
      BeginThread(thread, pid_ + "." + name, " (" + name + ")");
      WriteSamples(kind, thread, firefox::Weight::kSamples);
      json_.Key("markers");
      collected_.markers.Write(kNoMarkers, start_ns_, code_, json_);
      json_.EndObject();
    }
  }

  void WriteThread(uint32_t thread) {
    std::optional<uint32_t> kind;
    if (!roles_.sampled.empty() && thread != Markers::kNoThread) kind = roles_.sampled.front();
    BeginThread(thread, pid_, "");
    WriteSamples(kind, thread, roles_.weight);
    json_.Key("markers");
    collected_.markers.Write(thread, start_ns_, code_, json_);
    if (roles_.allocated && thread != Markers::kNoThread) WriteAllocations(thread);
    json_.EndObject();
  }

  // Writes the samples of a kind in a thread. Writes an empty table if `kind` is nullopt.
  void WriteSamples(std::optional<uint32_t> kind, uint32_t thread, firefox::Weight weight) {
    columns_.Clear(start_ns_, weight);
    if (kind) AddRows(*kind, thread);
    json_.Millis("registerTime", columns_.first_ns());
    if (columns_.empty()) {
      json_.Null("unregisterTime");
    } else {
      json_.Millis("unregisterTime", columns_.last_ns());
    }
    json_.Key("samples");
    columns_.Write(json_);
    end_ns_ = std::max(end_ns_, start_ns_ + columns_.last_ns());
  }

  void AddRows(uint32_t number, uint32_t thread) {
    const SampleKind& kind = profile_.kinds[number];
    const std::vector<LoggedSample> samples = collected_.samples.Of(number, thread);
    if (roles_.weight == firefox::Weight::kMillis) return AddEventRows(samples, columns_);
    if (!kind.is_elapsed) return AddCpuRows(kind, samples, columns_);
    const std::optional<uint32_t> cpu = CpuKind();
    if (!cpu) return AddElapsedRows(profile_, kind, samples, nullptr, columns_);
    const firefox::CpuUses uses(profile_.kinds[*cpu], collected_.samples.Of(*cpu, thread));
    AddElapsedRows(profile_, kind, samples, &uses, columns_);
  }

  void BeginThread(uint32_t number, const std::string& pid, const std::string& process_suffix) {
    const bool is_jvm = number == Markers::kNoThread;
    json_.BeginObject();
    json_.Text("processType", "default");
    json_.Text("processName", profile_.ProgramName() + process_suffix);
    json_.Millis("processStartupTime", 0);
    json_.Null("processShutdownTime");
    json_.BeginArray("pausedRanges");
    json_.EndArray();
    json_.Bool("showMarkersInTimeline", true);
    json_.Bool("isMainThread", false);
    json_.Text("pid", pid);
    json_.Text("name", is_jvm ? "JVM" : threads_.NameOf(number));
    json_.Text("tid", is_jvm ? "jvm" : IdOf(number));
  }

  // Returns the id of a thread, such as "12". If several threads have the id 12, returns "12.2" for
  // the second of them, "12.3" for the third, and so on.
  std::string IdOf(uint32_t number) {
    const profile::ProfileThread& thread = profile_.threads()[number];
    const std::string id = std::to_string(thread.id());
    const int uses = ++used_ids_[id];
    return uses == 1 ? id : id + "." + std::to_string(uses);
  }

  void WriteAllocations(uint32_t thread) {
    const std::vector<LoggedSample> samples = collected_.samples.Of(*roles_.allocated, thread);
    if (samples.empty()) return;
    json_.BeginObject("nativeAllocations");
    const auto column = [&](std::string_view name, const auto& write) {
      json_.BeginArray(name);
      for (const LoggedSample& sample : samples) write(sample);
      json_.EndArray();
    };
    column("time",
           [&](const LoggedSample& each) { json_.Millis(RelativeTime(each.time_ns, start_ns_)); });
    column("weight", [&](const LoggedSample& each) { json_.Number(each.value); });
    json_.Text("weightType", "bytes");
    column("stack", [&](const LoggedSample& each) {
      if (each.stack == CallTree::kRoot) {
        json_.Null();
      } else {
        json_.Number(code_.StackRow(each.stack));
      }
    });
    if (roles_.is_live) {
      // The front end needs addresses to distinguish the objects that are never freed. Recordings
      // have no addresses of objects, so each object gets a new number as its address.
      column("memoryAddress", [&](const LoggedSample&) { json_.Number(next_address_ += 8); });
      column("threadId", [&](const LoggedSample&) { json_.Number(thread); });
    }
    json_.Number("length", samples.size());
    json_.EndObject();
  }

  static constexpr uint32_t kNoMarkers = Markers::kNoThread - 1;

  const profile::Profile& profile_;
  const FormatContext& context_;
  Collected& collected_;
  const FindSource& find_source_;
  const SampleRoles roles_;
  const JoinedThreads threads_;
  CodeTables code_;
  SampleColumns columns_{code_};
  const std::string pid_;
  JsonWriter json_;
  int64_t start_ns_ = 0, end_ns_ = 0;
  std::map<std::string, int> used_ids_;
  uint64_t next_address_ = 0;
};

class FirefoxWriter : public FormatWriter {
 public:
  explicit FirefoxWriter(const FormatOptions& options) : find_source_(options.find_source) {}

  void OnSample(const profile::Sample& sample) override { collected_.samples.Add(sample); }

  bool WantsEvents(const profile::RecordedType& type) override {
    return Facts::Wants(type) || Counters::Wants(type) || Markers::Wants(type);
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    const profile::RecordedType& type = event.event.type();
    if (Facts::Wants(type)) collected_.facts.OnEvent(event);
    if (Counters::Wants(type)) collected_.counters.OnEvent(event);
    if (Markers::Wants(type)) collected_.markers.OnEvent(event);
  }

  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) override {
    Document(profile, context, collected_, find_source_, out).Write();
    return {};
  }

 private:
  const FindSource find_source_;
  Collected collected_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFirefoxWriter(const FormatOptions& options) {
  return std::make_unique<FirefoxWriter>(options);
}

}  // namespace jprof
