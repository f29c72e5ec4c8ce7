// Profile holds the content of a recording in a form that does not depend on the format of the
// file: methods, frames, stacks, threads, libraries, and the kinds of samples. Readers fill the
// profile, and the writers of output formats read it. The profile does not contain the samples
// themselves: a reader passes each sample to a SampleSink.
//
// The entries of each table of the profile are numbered from 0 without gaps; equal entries share a
// number. Texts are UTF-8. Not thread-safe.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/audit_counts.h"
#include "base/key_map.h"
#include "profile/call_tree.h"

namespace jprof::profile {

// TextTable stores each text once and numbers the texts from 0 without gaps.
class TextTable {
 public:
  uint32_t NumberOf(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }

  // Returns the number of `text`; nullopt if the table does not have it.
  std::optional<uint32_t> Find(std::string_view text) const {
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::string& operator[](uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // never moves a text
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

enum class FrameKind : uint8_t {
#define FRAME_KIND(Id, jfr_name, short_name, suffix, label, text) k##Id,
#include "profile/frame_kinds.def"
#undef FRAME_KIND
};

struct FrameKindRow {
  std::string_view jfr_name, short_name, suffix, label, text;
};
inline constexpr FrameKindRow kFrameKinds[] = {
#define FRAME_KIND(Id, jfr_name, short_name, suffix, label, text) \
  {jfr_name, short_name, suffix, label, text},
#include "profile/frame_kinds.def"
#undef FRAME_KIND
};
inline constexpr size_t kFrameKindCount = std::size(kFrameKinds);

constexpr const FrameKindRow& RowOf(FrameKind kind) {
  return kFrameKinds[static_cast<size_t>(kind)];
}

// A method, a function of native code, or the class of an object. Each member is the number of a
// text in Profile::texts.
struct ProfileMethod {
  uint32_t owner = 0;  // "java.util.HashMap", or the library of native code; can be empty
  uint32_t name = 0;   // "get", "epoll_wait"
  // "(Ljava/lang/Object;)V". Empty for native code. For a class, the full name of the class.
  uint32_t descriptor = 0;
};

struct ProfileFrame {
  uint32_t method = 0;
  int32_t line = 0;  // 0 if unknown
  FrameKind kind = FrameKind::kJava;
};

struct ProfileThread {
  uint32_t os_name = 0;    // text
  uint32_t java_name = 0;  // text; empty for a native thread, or a Java thread without a name
  int64_t os_id = 0;
  int64_t java_id = 0;
  bool is_virtual = false;

  // Returns the thread id that outputs show: the id in the operating system; if there is none, the
  // id in Java; if there is neither, 0.
  int64_t id() const { return os_id != 0 ? os_id : java_id; }
};

// Returns the name under which outputs show a thread, such as "main" or "virtual thread 37". Empty
// if the thread has neither a Java name nor an OS name nor a Java id.
std::string ThreadTextOf(const std::string& java_name, const std::string& os_name, int64_t java_id);

struct ProfileLibrary {
  uint32_t path = 0;      // text
  uint32_t build_id = 0;  // text, in hex; empty if unknown
  uint64_t base = 0;      // lowest address
  uint64_t top = 0;       // end of the addresses
};

// A label that the program gave to a sample, such as the active span (sample_labels.def).
struct ProfileLabel {
  uint32_t key = 0;    // text: "span_id"
  uint32_t value = 0;  // text, even if the label is a number
  std::optional<int64_t> number = std::nullopt;

  bool operator==(const ProfileLabel&) const = default;
  auto operator<=>(const ProfileLabel&) const = default;
};

// Selects whether frames keep their line numbers. With kDrop, all frames that differ only in the
// line number become one frame.
enum class LineNumbers : uint8_t { kKeep, kDrop };

// Selects the totals that outputs show: the number of samples, or the sum of Sample::value.
enum class Weigh : uint8_t { kSamples, kValue };

enum class SampleUnit : uint8_t { kSamples, kNanos, kBytes };

// Stands for an unknown variance or an unknown number of objects. It is NaN, so that a sum is
// unknown if any of its parts is unknown.
inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct SampleKind {
  std::string name;  // "cpu"; if sample_kinds.def has no name, the event type
  SampleUnit unit = SampleUnit::kSamples;
  int64_t interval_ns = 0;   // time between samples; 0 if unknown
  int preference = 0;        // display order: lower comes first
  int request = 0;           // position among the requested events, from 1; 0: unknown
  bool is_elapsed = false;   // each thread is sampled at each interval, in any state
  bool is_snapshot = false;  // its samples are the last snapshot of the recording
  uint64_t samples = 0;
  uint64_t value = 0;   // sum over all samples, in `unit`
  double variance = 0;  // variance of `value`
  double objects = 0;   // sum of Sample::objects over all samples

  // The sum of the variances of the samples. Set only if the weights of the samples were scaled to
  // a total that the JVM has counted: then the sum differs from `variance`. Otherwise kNotKnown.
  double summed_variance = kNotKnown;

  // Returns the variance of the total value of some samples of the kind. `part` is the sum of the
  // values of these samples, and `summed` is the sum of their variances.
  double VarianceOf(double part, double summed) const;

  bool HasError() const { return samples != 0 && !std::isnan(variance); }
  bool HasObjects() const { return samples != 0 && !std::isnan(objects); }
};

struct Sample {
  uint32_t kind = 0;
  uint32_t thread = 0;
  uint32_t stack = CallTree::kRoot;  // node of Profile::stacks
  int64_t time_ns = 0;               // nanoseconds since 1970
  int64_t covers_ns = 0;             // length of the covered time; if negative, its end is time_ns
  uint64_t samples = 1;              // number of samples taken
  uint64_t value = 1;                // weight in the unit of the kind
  double variance = kNotKnown;       // variance of `value`; can exceed any integer type
  double objects = kNotKnown;        // estimated number of objects that the sample stands for
  uint32_t state = 0;                // the thread's state in Profile::states; 0 if unknown
  uint32_t labels = 0;               // index into Profile::label_sets(); 0 if none
};

struct Interval {
  int64_t from_ns, to_ns;
};

// Returns the interval of length |covers_ns| that starts at `time_ns` or, if `covers_ns` is
// negative, ends at `time_ns`. The interval is empty if time_ns + covers_ns overflows.
inline Interval IntervalFrom(int64_t time_ns, int64_t covers_ns) {
  int64_t other_ns = 0;
  if (__builtin_add_overflow(time_ns, covers_ns, &other_ns)) other_ns = time_ns;
  return covers_ns < 0 ? Interval{other_ns, time_ns} : Interval{time_ns, other_ns};
}

// Returns the interval that the sample covers. It is empty if the sample covers only a moment.
inline Interval IntervalOf(const Sample& sample) {
  return IntervalFrom(sample.time_ns, sample.covers_ns);
}

// Returns the part of `sample` that lies in [window.from_ns, window.to_ns). The part covers only
// time within the window. Values are rounded so that the values of the parts in adjacent windows
// add up to the value of the sample. If the part has a value, its `samples` is at least 1. If the
// sample lies outside the window, `samples` and `value` of the part are 0.
Sample PartWithin(const Sample& sample, Interval window);

class JfrSchema;
class Profile;
struct RecordedType;
struct ProfileEvent;

// Says how long a sink uses the stacks that it receives.
enum class StackUse : uint8_t {
  kNone,            // never: samples have the root as their stack, events have no stack
  kUntilForgotten,  // until SampleSink::OnStacksForgotten
  kToTheEnd,        // until all events have been read
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  // UseOfStacks returns how long the sink uses the stacks of samples, and UseOfEventStacks how long
  // it uses the stacks of events. Both are called before the first sample and the first event.
  virtual StackUse UseOfStacks() const { return StackUse::kToTheEnd; }
  virtual StackUse UseOfEventStacks() const { return UseOfStacks(); }
  // Called when the profile has too many stacks. Never called if UseOfStacks or UseOfEventStacks
  // has returned kToTheEnd. After the call, all stack numbers that the sink has received are
  // invalid, because the profile reuses them for other stacks.
  virtual void OnStacksForgotten(const Profile& /*profile*/) {}
  // Called before the first sample. `time_ns` is the start of the recording.
  virtual void OnBegin(int64_t /*time_ns*/) {}
  // Called before the samples of every chunk, with the types that the chunk declares.
  virtual void OnChunk(const JfrSchema& /*declared*/) {}
  virtual void OnSample(const Sample& sample) = 0;
  // True if the sink accepts the snapshot of live objects that was taken at this time. The samples
  // of the last accepted snapshot are passed to OnSample after all events have been read; those of
  // the other accepted snapshots are not passed. The samples of a snapshot that the sink does not
  // accept are passed to OnSample as soon as they are read.
  virtual bool TakesSnapshot(int64_t /*time_ns*/) { return true; }

  // True if OnEvent is to receive the events of this type. Called once per chunk and type. An event
  // that is a sample is also passed to OnSample.
  virtual bool WantsEvents(const RecordedType& /*type*/) { return false; }
  // Called for every event of a wanted type, before its fields are read. If it returns false, the
  // event is skipped. So a sink with a limit can count further events without the cost of reading
  // them.
  virtual bool TakesEvent(const RecordedType& /*type*/) { return true; }
  virtual void OnEvent(const ProfileEvent& /*event*/) {}
};

// True if the sink uses stacks until all events have been read. If so, readers must not forget
// stacks.
inline bool KeepsStacks(const SampleSink& sink) {
  return sink.UseOfStacks() == StackUse::kToTheEnd ||
         sink.UseOfEventStacks() == StackUse::kToTheEnd;
}

class Profile {
 public:
  static constexpr size_t kMaxKinds = 1000;  // the JDK has 80 events with stacks
  // Unless KeepsStacks(sink) is true, readers forget all stacks when `stacks` has more nodes than
  // this (some 30 MB). Most recordings have fewer nodes, so their stacks are never decoded twice.
  static constexpr size_t kManyStacks = size_t{1} << 20;

  TextTable texts;
  TextTable states;  // "STATE_RUNNABLE"; number 0 is "", for samples without a state
  CallTree stacks;
  std::vector<SampleKind> kinds;
  std::vector<ProfileLibrary> libraries;  // distinct libraries in the order of the file
  std::string jvm_version;                // empty if unknown
  std::string java_arguments;             // main class or jar and its arguments
  std::string host_name;                  // name of the machine or container; empty if unknown
  std::string filter;                     // the threads that were recorded; empty if all or unknown
  std::vector<std::string> notes;         // a line for each part that is not shown, with the reason
  // The number of windows that were recorded (--begin, --end); nullopt if the recording was not
  // limited to windows.
  std::optional<uint64_t> windows;
  // How the stacks compared with those of the JVM (audit=); nullopt if they were not compared.
  std::optional<AuditCounts> audit;
  int64_t pid = 0;
  int64_t start_ns = 0;  // nanoseconds since 1970
  int64_t end_ns = 0;

  Profile() { states.NumberOf(""); }

  uint32_t MethodNumber(const ProfileMethod& method);
  uint32_t FrameNumber(const ProfileFrame& frame);
  uint32_t ThreadNumber(const ProfileThread& thread);
  uint32_t LabelsNumber(const std::vector<ProfileLabel>& labels);
  void AddLibrary(const ProfileLibrary& library);
  // Drops all stacks except those of the `kept` samples, and sets the new stack numbers in these
  // samples.
  void ForgetStacks(const std::vector<Sample*>& kept);
  bool HasKind(std::string_view name, SampleUnit unit) const;
  // Returns the number of the kind; adds the kind if it is new. Returns nullopt if it is new and
  // there are already kMaxKinds kinds. The limit exists because the cost of outputs grows with the
  // number of kinds.
  std::optional<uint32_t> KindNumber(std::string_view name, SampleUnit unit, int preference);

  // Returns the numbers of all kinds: first the kinds of requested events in the order of the
  // request, then the others by preference.
  std::vector<uint32_t> KindsInOrder() const;

  // True if any kind of the same requested event as `kind` has samples. A requested event can have
  // several kinds: `lock` has lock, park and wait.
  bool HasSamplesOfRequest(const SampleKind& kind) const;

  const std::vector<ProfileMethod>& methods() const { return methods_; }
  const std::vector<ProfileFrame>& frames() const { return frames_; }
  const std::vector<ProfileThread>& threads() const { return threads_; }
  const std::vector<std::vector<ProfileLabel>>& label_sets() const { return label_sets_; }

  // Returns the main class or jar; "java" if unknown.
  std::string ProgramName() const;

  // Returns the Java name of the thread; if it has none, its OS name; empty if it has neither.
  const std::string& ThreadName(uint32_t thread) const;

  // Returns ThreadName. For a thread without a name, returns a text such as "virtual thread 37".
  std::string ThreadText(uint32_t thread) const;

  // Returns "java.util.HashMap.get"; for native code only the symbol.
  std::string MethodText(uint32_t method) const;
  std::string FrameText(uint32_t frame) const { return MethodText(frames_[frame].method); }
  // True if the method is native code. The owner of the method is then a library.
  bool IsNative(uint32_t method) const { return texts[methods_[method].descriptor].empty(); }

  // Returns the name of a class's source file: "Foo.kt" for "a.FooKt"; empty if unknown.
  std::string_view SourceFileOf(std::string_view class_text) const;
  // Adds the source file of a class. Both arguments are numbers of texts. If the class already has
  // a source file, does nothing.
  void AddSourceFile(uint32_t class_text, uint32_t file);
  // Returns the source files of classes: source_files()[class text number] is the text number of
  // the file, plus 1. The file is unknown if the element is 0 or the list is too short.
  const std::vector<uint32_t>& source_files() const { return source_files_; }
  // Returns SourcePathOf for the method's class and the recorded source file of this class.
  std::string SourcePathOfMethod(uint32_t method) const;

  // If the innermost frame of the stack is a class, as in the stack of an allocation, returns its
  // index in methods(). Returns nullopt if the innermost frame is code.
  std::optional<uint32_t> ClassOf(uint32_t stack) const;

  // Returns the innermost method of the stack that is not in the JDK. If all methods are in the
  // JDK, returns the innermost one. Returns nullopt if the stack has no method. If the innermost
  // frame is a class (ClassOf), it does not count as a method.
  std::optional<uint32_t> AllocationSiteOf(uint32_t stack) const;

 private:
  std::vector<ProfileMethod> methods_;
  std::vector<ProfileFrame> frames_;
  std::vector<ProfileThread> threads_;
  std::vector<uint32_t> source_files_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> method_numbers_;
  std::map<std::tuple<uint32_t, uint32_t, int64_t, int64_t>, uint32_t> thread_numbers_;
  std::vector<std::vector<ProfileLabel>> label_sets_{{}};
  std::map<std::vector<ProfileLabel>, uint32_t> label_numbers_;
  std::set<std::tuple<uint32_t, uint32_t, uint64_t>> known_libraries_;
  // The numbers of frames without a line, plus 1, indexed by kind and method.
  std::array<std::vector<uint32_t>, kFrameKindCount> lineless_frames_;
  std::array<KeyMap, kFrameKindCount> frame_numbers_;  // by kind: method and line -> number, plus 1
};

}  // namespace jprof::profile
