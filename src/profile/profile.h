// Profile: the content of a recording, independent of its format: methods, frames, stacks, threads,
// libraries, and the kinds of its samples. Filled by readers, read by the writers of output
// formats. The samples themselves are not kept: they go to a SampleSink one by one.
//
// Tables have dense numbers from 0; equal contents share a number. Texts are UTF-8. One thread.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/key_map.h"
#include "profile/call_tree.h"
#include "profile/text_table.h"

namespace jprof::profile {

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

struct ProfileMethod {
  uint32_t owner = 0;  // text: "java.util.HashMap"; for native code the library; may be empty
  uint32_t name = 0;   // text: "get", "epoll_wait"
  uint32_t descriptor =
      0;  // text: "(Ljava/lang/Object;)V"; of native code empty; of a class its name
};

struct ProfileFrame {
  uint32_t method = 0;
  int32_t line = 0;  // 0: unknown
  FrameKind kind = FrameKind::kJava;
};

struct ProfileThread {
  uint32_t os_name = 0;    // text
  uint32_t java_name = 0;  // text; empty: not a Java thread, or a virtual thread without a name
  int64_t os_id = 0;
  int64_t java_id = 0;
  bool is_virtual = false;

  // The id for people: of the system, or else Java's. 0: none.
  int64_t id() const { return os_id != 0 ? os_id : java_id; }
};

// As the thread that a row is about is named: "main", "virtual thread 37"; empty: it has no Java
// name, no name in the system and no id of Java's.
std::string ThreadTextOf(const std::string& java_name, const std::string& os_name, int64_t java_id);

struct ProfileLibrary {
  uint32_t path = 0;      // text
  uint32_t build_id = 0;  // text, in hex; empty: unknown
  uint64_t base = 0;
  uint64_t top = 0;
};

// A label that the program gave to a sample, such as the active span (sample_labels.def).
struct ProfileLabel {
  uint32_t key = 0;    // text: "span_id"
  uint32_t value = 0;  // text, of numbers too
  std::optional<int64_t> number = std::nullopt;

  bool operator==(const ProfileLabel&) const = default;
  auto operator<=>(const ProfileLabel&) const = default;
};

// Whether frames that differ only in their line are one frame.
enum class LineNumbers : uint8_t { kKeep, kDrop };

// The totals: the number of samples, or their weights in the unit of the kind.
enum class Weigh : uint8_t { kSamples, kValue };

enum class SampleUnit : uint8_t { kSamples, kNanos, kBytes };

// A variance or a number of objects that is not known; nor is a sum that has such a part.
inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct SampleKind {
  std::string name;  // "cpu", or the type of its event
  SampleUnit unit = SampleUnit::kSamples;
  int64_t interval_ns = 0;   // weight of one sample; 0: unknown
  int preference = 0;        // display order: lower comes first
  int request = 0;           // position in the request, from 1; 0: not recorded
  bool is_elapsed = false;   // every thread is sampled at every interval, in any state
  bool is_snapshot = false;  // of a recording's snapshots, its samples are the last one
  uint64_t samples = 0;
  uint64_t value = 0;  // in `unit`, of all samples
  // Of all samples, as those of a sample.
  double variance = 0;
  double objects = 0;

  // The sum of the samples' variances, if `variance` is another: the JVM knows the sum of all
  // better, and they are scaled to it.
  double summed_variance = kNotKnown;

  // The variance of the sum of some of the samples, of this value and with this sum of variances.
  double VarianceOf(double part, double summed) const;

  bool HasError() const { return samples != 0 && !std::isnan(variance); }
  bool HasObjects() const { return samples != 0 && !std::isnan(objects); }
};

struct Sample {
  uint32_t kind = 0;
  uint32_t thread = 0;
  uint32_t stack = CallTree::kRoot;  // node of Profile::stacks
  int64_t time_ns = 0;               // since 1970
  int64_t covers_ns = 0;             // the covered time: after time_ns, or before if negative
  uint64_t samples = 1;              // number of samples taken
  uint64_t value = 1;                // in the unit of the kind
  double variance = kNotKnown;       // of the value as an estimate; bytes squared: in no integer
  double objects = kNotKnown;        // that the sample stands for, an estimate
  uint32_t state = 0;                // of the thread, in Profile::states; 0: not recorded
  uint32_t labels = 0;               // of Profile::label_sets(); 0: none
};

struct Interval {
  int64_t from_ns, to_ns;
};

// From `time_ns` on, or before it if `covers_ns` is negative; empty if the sum is no time.
inline Interval IntervalFrom(int64_t time_ns, int64_t covers_ns) {
  int64_t other_ns = 0;
  if (__builtin_add_overflow(time_ns, covers_ns, &other_ns)) other_ns = time_ns;
  return covers_ns < 0 ? Interval{other_ns, time_ns} : Interval{time_ns, other_ns};
}

// The time that the sample covers; empty for a moment.
inline Interval IntervalOf(const Sample& sample) {
  return IntervalFrom(sample.time_ns, sample.covers_ns);
}

class JfrSchema;
class Profile;
struct RecordedType;
struct ProfileEvent;

// For how long a sink uses the stacks that it gets.
enum class StackUse : uint8_t {
  kNone,            // it uses none: each is the root
  kUntilForgotten,  // until SampleSink::OnStacksForgotten
  kToTheEnd,
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  // Which stacks the sink needs, of samples and of events. Asked before the first one.
  virtual StackUse UseOfStacks() const { return StackUse::kToTheEnd; }
  virtual StackUse UseOfEventStacks() const { return UseOfStacks(); }
  // Called when there are too many stacks, unless one of both uses is kToTheEnd: what was passed on
  // so far has no stack after it, and the numbers are given to others.
  virtual void OnStacksForgotten(const Profile& /*profile*/) {}
  // Called before the first sample, with the begin of the recording.
  virtual void OnBegin(int64_t /*time_ns*/) {}
  // Called before the samples of every chunk, with the types that it declares.
  virtual void OnChunk(const JfrSchema& /*declared*/) {}
  virtual void OnSample(const Sample& sample) = 0;
  // Whether snapshots of this moment are asked for. Of those that are, the samples of the last one
  // come when all events have been read; the samples of others are not held back.
  virtual bool TakesSnapshot(int64_t /*time_ns*/) { return true; }

  // Whether OnEvent gets the events of this type. Asked once per chunk. Events that are samples go
  // to OnSample as well.
  virtual bool WantsEvents(const RecordedType& /*type*/) { return false; }
  // Asked for every such event before its fields are read: false skips the event. For sinks that
  // only count events beyond their limits.
  virtual bool TakesEvent(const RecordedType& /*type*/) { return true; }
  virtual void OnEvent(const ProfileEvent& /*event*/) {}
};

// Whether the sink needs stacks to the end: they cannot be forgotten.
inline bool KeepsStacks(const SampleSink& sink) {
  return sink.UseOfStacks() == StackUse::kToTheEnd ||
         sink.UseOfEventStacks() == StackUse::kToTheEnd;
}

class Profile {
 public:
  static constexpr size_t kMaxKinds = 1000;  // the JDK has 80 events with stacks
  // Nodes of `stacks` from which on readers forget them, if they may: they take some 30 MB.
  // Recordings of most programs have fewer, and so read no stack twice.
  static constexpr size_t kManyStacks = size_t{1} << 20;

  TextTable texts;
  TextTable states;  // "STATE_RUNNABLE"; number 0 is empty: not recorded
  CallTree stacks;
  std::vector<SampleKind> kinds;
  std::vector<ProfileLibrary> libraries;  // each once, in the order of the file
  std::string jvm_version;                // empty: not recorded
  std::string java_arguments;             // main class or jar and its arguments
  std::string host_name;                  // of the machine or container; empty: not recorded
  std::string filter;                     // the selected threads; empty: all, or not recorded
  std::vector<std::string> notes;  // a line each: what of the recording is not shown, and why
  // How many there were; nullopt: the recording had no begin or end.
  std::optional<uint64_t> windows;
  int64_t pid = 0;
  int64_t start_ns = 0;  // since 1970
  int64_t end_ns = 0;

  Profile() { states.NumberOf(""); }

  uint32_t MethodNumber(const ProfileMethod& method);
  uint32_t FrameNumber(const ProfileFrame& frame);
  uint32_t ThreadNumber(const ProfileThread& thread);
  uint32_t LabelsNumber(const std::vector<ProfileLabel>& labels);
  void AddLibrary(const ProfileLibrary& library);
  // Drops all stacks but those of these samples, which get new numbers.
  void ForgetStacks(const std::vector<Sample*>& kept);
  bool HasKind(std::string_view name, SampleUnit unit) const;
  // nullopt at kMaxKinds: the cost of outputs grows with the number of kinds.
  std::optional<uint32_t> KindNumber(std::string_view name, SampleUnit unit, int preference);

  // Numbers of kinds: the requested kinds in order of request, then others by preference.
  std::vector<uint32_t> KindsInOrder() const;

  // Whether the kind has samples, or another kind of the same request: of one there may be several,
  // as of waits for locks.
  bool HasSamplesOfRequest(const SampleKind& kind) const;

  const std::vector<ProfileMethod>& methods() const { return methods_; }
  const std::vector<ProfileFrame>& frames() const { return frames_; }
  const std::vector<ProfileThread>& threads() const { return threads_; }
  const std::vector<std::vector<ProfileLabel>>& label_sets() const { return label_sets_; }

  // The main class or jar; "java" if not recorded.
  std::string ProgramName() const;

  // The Java name, or else the name in the system; empty: none.
  const std::string& ThreadName(uint32_t thread) const;

  // As ThreadName, but tells threads without a name apart: "virtual thread 37".
  std::string ThreadText(uint32_t thread) const;

  // "java.util.HashMap.get"; for native code the symbol alone.
  std::string MethodText(uint32_t method) const;
  std::string FrameText(uint32_t frame) const { return MethodText(frames_[frame].method); }
  // Whether the method is native code, and its owner a library.
  bool IsNative(uint32_t method) const { return texts[methods_[method].descriptor].empty(); }

  // The name of the file that a class is in, "Foo.kt" of "a.FooKt"; empty: not recorded.
  std::string_view SourceFileOf(std::string_view class_text) const;
  // Both as texts. Of a class's files the first one stays.
  void AddSourceFile(uint32_t class_text, uint32_t file);
  // By text of the class: 1 + the text of its file; 0, or beyond the end: not recorded.
  const std::vector<uint32_t>& source_files() const { return source_files_; }
  // SourcePathOf, by that name.
  std::string SourcePathOfMethod(uint32_t method) const;

  // The class of the object that a stack ends with, as a method; nullopt: it ends in code.
  std::optional<uint32_t> ClassOf(uint32_t stack) const;

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
  // Number + 1 of the frames without a line, by kind and method.
  std::array<std::vector<uint32_t>, kFrameKindCount> lineless_frames_;
  std::array<KeyMap, kFrameKindCount> frame_numbers_;  // by kind: method and line -> number + 1
};

}  // namespace jprof::profile
