#include "profile/read_slices.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/scaled_text.h"
#include "jfr/reader/chunk_copies.h"
#include "profile/profile_event.h"
#include "profile/sample_reader.h"
#include "profile/slice_sink.h"

namespace jprof::profile {
namespace {

Result<RecordingFile> OpenInput(const RecordingInput& input, const SliceReading& reading) {
  ScopedFd fd(fcntl(input.fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!fd.valid()) return Error::FromErrno("dup", input.name);
  Result<RecordingFile> file = RecordingFile::FromDescriptor(std::move(fd), input.name);
  if (file && reading.progress != nullptr) file.value().CountReads(&reading.progress->bytes);
  return file;
}

// Returns the earliest of the times at which the slice starts in the recordings. Fails if --until
// is at or before --from in every recording.
Result<int64_t> BeginOf(const std::vector<RecordingInput>& inputs, const Slice& slice,
                        const SliceReading& reading) {
  std::optional<int64_t> first_ns;
  bool is_crossed = slice.from() && slice.until();
  for (const RecordingInput& input : inputs) {
    Result<RecordingFile> file = OpenInput(input, reading);
    if (!file) return file.error();
    const std::optional<int64_t> start_ns = EarliestStart(file.value());
    if (!start_ns) continue;  // ReadSamples will report that this is not a recording
    int64_t begin_ns = *start_ns;
    is_crossed = is_crossed && slice.until()->In(begin_ns) <= slice.from()->In(begin_ns);
    if (slice.from()) begin_ns = std::max(begin_ns, slice.from()->In(begin_ns));
    first_ns = std::min(first_ns.value_or(begin_ns), begin_ns);
  }
  if (is_crossed && first_ns) {
    return Error("--until '" + slice.options().until + "' is not after --from '" +
                 slice.options().from + "'");
  }
  return first_ns.value_or(0);
}

// The facts about a recording that determine how it is read together with others.
struct Survey {
  KindIntervals intervals = {};  // of the kinds with the unit kSamples; 0 if unknown
  int64_t pid = 0;
  std::string host_name = {};
  std::optional<int64_t> snapshot_ns = {};  // time of the last snapshot within the slice

  bool IsOfSameJvm(const Survey& other) const {
    return pid != 0 && pid == other.pid && host_name == other.host_name;
  }
};

class SurveySink : public SampleSink {
 public:
  SurveySink(const Slice& slice, Survey& survey) : slice_(slice), survey_(survey) {}

  void OnBegin(int64_t time_ns) override { window_ = slice_.WindowFrom(time_ns); }
  void OnSample(const Sample&) override {}
  StackUse UseOfStacks() const override { return StackUse::kNone; }
  bool TakesSnapshot(int64_t time_ns) override {
    const bool is_inside = window_.from_ns <= time_ns && time_ns < window_.to_ns;
    if (is_inside) survey_.snapshot_ns = std::max(survey_.snapshot_ns.value_or(time_ns), time_ns);
    return is_inside;
  }

 private:
  const Slice& slice_;
  Survey& survey_;
  Interval window_{};
};

Result<Survey> SurveyRecording(const RecordingInput& input, const Slice& slice,
                               const SliceReading& reading, const std::set<int64_t>& copies) {
  Result<RecordingFile> file = OpenInput(input, reading);
  if (!file) return file.error();
  Profile profile;
  Survey survey;
  SurveySink sink(slice, survey);
  const auto read = ReadSamples(std::move(file).value(), LineNumbers::kDrop, profile, sink, copies);
  if (!read) return read.error();
  for (const SampleKind& kind : profile.kinds) {
    const bool counts = kind.unit == SampleUnit::kSamples && kind.samples != 0;
    if (counts) survey.intervals[kind.name] = kind.interval_ns;
  }
  survey.pid = profile.pid;
  survey.host_name = profile.host_name;
  return survey;
}

bool HasOldSnapshot(const std::vector<Survey>& all, size_t which) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == which || !all[i].IsOfSameJvm(all[which])) continue;
    // If several snapshots have the same time, the one in the last of these recordings is used.
    if (std::pair(all[i].snapshot_ns, i) > std::pair(all[which].snapshot_ns, which)) return true;
  }
  return false;
}

std::string IntervalText(int64_t interval_ns) {
  return interval_ns == 0 ? "at intervals that are not known"
                          : "every " + DurationText(interval_ns);
}

Result<std::vector<RecordingRole>> AssignRoles(const std::vector<RecordingInput>& inputs,
                                               const Slice& slice, const SliceReading& reading,
                                               const ChunkCopies& copies) {
  std::vector<RecordingRole> roles(inputs.size());
  if (inputs.size() == 1) return roles;
  std::vector<Survey> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Result<Survey> survey = SurveyRecording(inputs[i], slice, reading, copies.Of(i));
    if (!survey) return survey.error();
    all.push_back(std::move(survey).value());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    roles[i].number = static_cast<uint32_t>(i);
    roles[i].has_old_snapshot = HasOldSnapshot(all, i);
    for (const auto& [kind, interval_ns] : all[i].intervals) {
      for (size_t k = 0; k < all.size(); ++k) {
        const auto other = all[k].intervals.find(kind);
        if (other == all[k].intervals.end() || other->second == interval_ns) continue;
        const bool are_known = interval_ns != 0 && other->second != 0;
        if (!are_known || reading.total != Weigh::kValue) {
          return Error("'" + inputs[i].name + "' has a sample of " + kind + ' ' +
                       IntervalText(interval_ns) + " and '" + inputs[k].name + "' " +
                       IntervalText(other->second) + ", which cannot be added: " +
                       (are_known ? "--total value weighs them by time" : "read each alone"));
        }
        roles[i].weighed[kind] = interval_ns;
      }
    }
  }
  return roles;
}

// Counts the samples that each option selects. Writes the error for an empty slice: "nothing is
// left of 5229 samples: --thread main selects 0, --state parked selects 120".
class SelectionCounts {
 public:
  void Add(const SliceSink& sink, const Profile& whole) {
    samples_ += sink.samples();
    for (const uint32_t number : whole.KindsInOrder()) {
      const SampleKind& kind = whole.kinds[number];
      const bool is_known = std::find(kinds_.begin(), kinds_.end(), kind.name) != kinds_.end();
      if (kind.samples != 0 && !is_known) kinds_.push_back(kind.name);
    }
    for (size_t i = 0; i < selected_.size(); ++i) {
      selected_[i] += sink.SelectedBy(static_cast<SliceSink::Criterion>(i));
    }
    scopes_.Add(sink.scopes());
  }

  Error NothingLeft(const Slice& slice) const {
    std::string text = "nothing is left of " + std::to_string(samples_) + " samples";
    std::string separator = ": ";
    for (const std::string& option : slice.texts()) {
      const auto criterion = CriterionOf(option);
      if (!criterion) continue;
      text += separator + option + " selects " + std::to_string(selected_[*criterion]);
      separator = ", ";
    }
    if (!slice.event().empty()) text += "; there are: " + Names();
    if (slice.ChoosesSpan() && selected_[SliceSink::kSpan] == 0) text += SpanWithoutSamples();
    return Error(text);
  }

  bool HadSamples() const { return samples_ != 0; }
  // True if scope events of the selected span were passed on. If so, the slice is not empty, even
  // if the span has no samples.
  bool HasSpans() const { return scopes_.are_passed; }

 private:
  static std::optional<SliceSink::Criterion> CriterionOf(std::string_view option) {
    struct CriterionRow {
      std::string_view option;
      SliceSink::Criterion criterion;
    };
    static constexpr CriterionRow kRows[] = {
        {"--event ", SliceSink::kEvent},   {"--thread ", SliceSink::kThread},
        {"--state ", SliceSink::kState},   {"--from ", SliceSink::kTime},
        {"--until ", SliceSink::kTime},    {"--span ", SliceSink::kSpan},
        {"--tag ", SliceSink::kTag},       {"--include ", SliceSink::kStack},
        {"--exclude ", SliceSink::kStack},
    };
    for (const CriterionRow& row : kRows) {
      if (option.starts_with(row.option)) return row.criterion;
    }
    return std::nullopt;
  }

  // Returns a note that says whether the recordings contain the selected span. A span without
  // samples is known only if it has scope events.
  std::string SpanWithoutSamples() const {
    if (scopes_.of_span != 0) {
      return "; the span is known, its scopes last " + RoundedDurationText(scopes_.duration_ns) +
             " together, but no sample fell into them";
    }
    return scopes_.are_recorded
               ? "; the recording has no such span"
               : "; a span without samples is known to recordings with spans=1 (--spans) alone";
  }

  std::string Names() const {
    std::string names;
    for (const std::string& kind : kinds_) names += (names.empty() ? "" : ", ") + kind;
    return names;
  }

  uint64_t samples_ = 0;
  std::array<uint64_t, SliceSink::kCriteria> selected_{};
  SliceSink::Scopes scopes_;        // sum over all recordings
  std::vector<std::string> kinds_;  // names of the kinds with samples
};

// Passes everything on to `next`, and publishes the time of the latest sample or event, for
// progress displays.
class ProgressSink : public SampleSink {
 public:
  ProgressSink(SampleSink& next, std::atomic<int64_t>& reached_ns)
      : next_(next), reached_ns_(reached_ns) {}

  StackUse UseOfStacks() const override { return next_.UseOfStacks(); }
  StackUse UseOfEventStacks() const override { return next_.UseOfEventStacks(); }
  void OnStacksForgotten(const Profile& profile) override { next_.OnStacksForgotten(profile); }
  void OnBegin(int64_t time_ns) override {
    begin_ns_ = time_ns;
    next_.OnBegin(time_ns);
  }
  void OnChunk(const JfrSchema& declared) override { next_.OnChunk(declared); }
  void OnSample(const Sample& sample) override {
    Reach(sample.time_ns);
    next_.OnSample(sample);
  }
  bool TakesSnapshot(int64_t time_ns) override { return next_.TakesSnapshot(time_ns); }
  bool WantsEvents(const RecordedType& type) override { return next_.WantsEvents(type); }
  bool TakesEvent(const RecordedType& type) override { return next_.TakesEvent(type); }
  void OnEvent(const ProfileEvent& event) override {
    Reach(event.time_ns);
    next_.OnEvent(event);
  }

 private:
  void Reach(int64_t time_ns) {
    int64_t passed_ns = 0;
    if (__builtin_sub_overflow(time_ns, begin_ns_, &passed_ns) || passed_ns <= last_ns_) return;
    last_ns_ = passed_ns;
    // Relaxed: no other memory is read that depends on this value.
    reached_ns_.store(passed_ns, std::memory_order_relaxed);
  }

  SampleSink& next_;
  std::atomic<int64_t>& reached_ns_;
  int64_t begin_ns_ = 0;
  int64_t last_ns_ = 0;
};

Result<std::string> ReadInto(const std::vector<RecordingInput>& inputs, const Slice& slice,
                             const SliceReading& reading, Profile& part, SampleSink& sink) {
  const Result<ChunkCopies> copies = ChunkCopies::Find(
      inputs.size(), [&](size_t number) { return OpenInput(inputs[number], SliceReading()); });
  if (!copies) return copies.error();
  const std::vector<std::string> notes = copies.value().Notes();
  if (inputs.size() == 1 && slice.IsWhole()) {
    Result<RecordingFile> file = OpenInput(inputs.front(), reading);
    if (!file) return file.error();
    Result<JfrReadReport> read =
        ReadSamples(std::move(file).value(), reading.lines, part, sink, copies.value().Of(0));
    part.notes.insert(part.notes.begin(), notes.begin(), notes.end());
    if (!read) return read.error();
    return std::move(read.value().missing);
  }
  part.notes = notes;
  const Result<int64_t> begin_ns = BeginOf(inputs, slice, reading);
  if (!begin_ns) return begin_ns.error();
  const Result<std::vector<RecordingRole>> roles =
      AssignRoles(inputs, slice, reading, copies.value());
  if (!roles) return roles.error();
  sink.OnBegin(begin_ns.value());
  SelectionCounts selection;
  std::string missing;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (copies.value().HasOnlyCopies(i)) continue;
    Result<RecordingFile> file = OpenInput(inputs[i], reading);
    if (!file) return file.error();
    Profile whole;
    SliceSink of_one(slice, roles.value()[i], whole, part, sink);
    const auto read =
        ReadSamples(std::move(file).value(), reading.lines, whole, of_one, copies.value().Of(i));
    if (!read) return read.error();
    of_one.Finish();
    selection.Add(of_one, whole);
    const std::string& fault = read.value().missing;
    if (!fault.empty() && missing.empty()) {
      missing = inputs.size() == 1 ? fault : inputs[i].name + ": " + fault;
    }
  }
  const bool has_samples = std::any_of(part.kinds.begin(), part.kinds.end(),
                                       [](const SampleKind& kind) { return kind.samples != 0; });
  if (!has_samples && selection.HadSamples() && !selection.HasSpans()) {
    return selection.NothingLeft(slice);
  }
  return missing;
}

}  // namespace

Result<std::string> ReadSlices(const std::vector<RecordingInput>& inputs, const Slice& slice,
                               const SliceReading& reading, Profile& part, SampleSink& sink) {
  if (reading.progress == nullptr) return ReadInto(inputs, slice, reading, part, sink);
  ProgressSink passing(sink, reading.progress->reached_ns);
  return ReadInto(inputs, slice, reading, part, passing);
}

}  // namespace jprof::profile
