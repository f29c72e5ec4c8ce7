#include "profile/sample_reader.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/scaled_text.h"
#include "jfr/format/jfr_types.h"
#include "profile/profile_event.h"
#include "profile/recording_facts.h"
#include "profile/sample_plan.h"
#include "profile/withheld_samples.h"

namespace jprof::profile {
namespace {

class SampleVisitor : public JfrVisitor {
 public:
  SampleVisitor(LineNumbers lines, std::optional<int64_t> begin_ns, Profile& profile,
                SampleSink& sink, const std::set<int64_t>& copies)
      : copies_(copies),
        lines_(lines),
        profile_(profile),
        sink_(sink),
        begin_ns_(begin_ns),
        sample_stacks_(sink.UseOfStacks()),
        event_stacks_(sink.UseOfEventStacks()),
        withheld_(profile, [this](Sample& sample) { Pass(sample); }) {
    most_stacks_ = KeepsStacks(sink) ? std::numeric_limits<size_t>::max() : Profile::kManyStacks;
  }

  bool TakesChunk(int64_t offset) override { return !copies_.contains(offset); }

  void BeginChunk(JfrChunk& chunk) override {
    const int64_t start_ns = chunk.header.start_epoch_ns;
    if (chunk_ == nullptr) sink_.OnBegin(begin_ns_.value_or(start_ns));
    is_out_of_order_ |= start_ns < last_start_ns_;
    last_start_ns_ = start_ns;
    sink_.OnChunk(chunk.schema);
    chunk_ = &chunk;
    types_ = KnownTypes(chunk.schema);
    names_.emplace(chunk, types_, profile_, lines_);
    plans_.clear();
    plans_.resize(chunk.schema.types().size());
    repeats_.assign(chunk.schema.types().size(), false);
    is_wanted_.assign(chunk.schema.types().size(), false);
    best_ranks_.clear();
  }

  bool Wants(const RecordedType& type) override {
    const SamplePlan& plan = PlanOf(type);
    if (plan.has_misfit() || (plan.valid() && !names_->has_frames())) {
      ReportMissing(
          "a stack, thread, class or frame that is not of the type that its name demands: the "
          "file is damaged, or no JVM has written it");
    }
    if (plan.is_beyond_limit()) {
      ReportMissing("the samples of more than " + std::to_string(Profile::kMaxKinds) +
                    " types of events");
    }
    const bool is_wanted = type.is_event && sink_.WantsEvents(type);
    is_wanted_[chunk_->schema.IndexOf(type)] = is_wanted;
    return is_wanted || plan.valid() || type.name == kSetting || IsSnapshotMark(type.name) ||
           RecordingFacts::Wants(type);
  }

  void OnEvent(const JfrEvent& event) override {
    const uint32_t type = chunk_->schema.IndexOf(event.type());
    const SamplePlan& plan = PlanOf(event.type());
    if (event.type().name == kSetting) {
      OnSetting(event);
    } else if (plan.valid()) {
      if (!repeats_[type]) OnSample(plan, event);
    } else if (IsSnapshotMark(event.type().name)) {
      OnSnapshot(event.Field("startTime").Nanos());
    }
    if (RecordingFacts::Wants(event.type())) facts_.OnEvent(event);
    if (is_wanted_[type] && sink_.TakesEvent(event.type())) PassOn(event);
    if (profile_.stacks.size() > most_stacks_) ForgetStacks();
  }

  void EndChunk() override {
    withheld_.EndChunk();
    missing_stacks_ += names_->missing_stacks();
  }

  // Called after the last chunk.
  void Finish() {
    withheld_.EndChunk();  // for a last chunk without an EndChunk
    for (Sample& sample : snapshot_.samples()) Pass(sample);
    profile_.notes = withheld_.Notes();
    if (is_out_of_order_) {
      profile_.notes.push_back(
          "files were joined in another order than that of their times: times count from the "
          "earliest");
    }
    facts_.Finish();
  }

  // Returns one line about data that could not be read; empty if there is none.
  std::string Missing() const {
    if (!missing_.empty() || missing_stacks_ == 0) return missing_;
    return "the stacks of " + std::to_string(missing_stacks_) + " samples";
  }

 private:
  static constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  // Larger values cannot be real measurements.
  static constexpr int64_t kMostOfOne = int64_t{1} << 53;
  static constexpr std::string_view kSetting = JfrName(JfrType::kActiveSetting);
  static constexpr std::string_view kRecording = JfrName(JfrType::kActiveRecording);

  // Keeps `what`, a text about data that could not be read. Only the first text is kept.
  void ReportMissing(std::string what) {
    if (missing_.empty()) missing_ = std::move(what);
  }

  // Returns the plan of a type. The plan is made only once per chunk, because a type can have very
  // many fields.
  const SamplePlan& PlanOf(const RecordedType& type) {
    std::optional<SamplePlan>& plan = plans_[chunk_->schema.IndexOf(type)];
    if (!plan) {
      // In JDK 11 to 21, the event of a setting has a stack (that of the code which started the
      // recording), but is not a sample.
      if (type.name == kSetting) return plan.emplace();
      plan.emplace(chunk_->schema, types_, type, counter_, profile_);
      if (plan->companion().empty()) return *plan;
      const RecordedType* const companion = chunk_->schema.Named(plan->companion());
      if (companion != nullptr && PlanOf(*companion).valid()) {
        repeats_[chunk_->schema.IndexOf(type)] = true;
      }
    }
    return *plan;
  }

  void OnSample(const SamplePlan& plan, const JfrEvent& event) {
    SamplePlan::Values values{};
    if (!plan.Read(chunk_->schema, event.fields(), values)) return;
    // An event without a stack is a sample only if sample_kinds.def lists its type.
    if (values[SamplePlan::kStack] == 0 && !plan.is_listed()) return;
    Sample sample;
    sample.kind = plan.kind();
    sample.time_ns = chunk_->header.EpochNanos(static_cast<int64_t>(values[SamplePlan::kTime]));
    sample.thread = plan.has(SamplePlan::kThread) ? names_->Thread(values[SamplePlan::kThread])
                                                  : names_->NoThread();
    sample.stack = StackOf(plan, values);
    if (plan.has(SamplePlan::kState)) sample.state = names_->State(values[SamplePlan::kState]);
    if (!plan.labels().empty() || plan.has_tags()) sample.labels = LabelsOf(plan, event);
    if (plan.has(SamplePlan::kSamples)) {
      sample.samples = static_cast<uint32_t>(values[SamplePlan::kSamples]);
    }
    sample.value = plan.has(SamplePlan::kValue) ? ValueOf(plan, values) : sample.samples;
    if (plan.has(SamplePlan::kError)) AddEstimate(plan, values, sample);
    SetCovered(plan, values, sample);
    const bool is_snapshot = plan.covers() == Covers::kSnapshot || plan.covers() == Covers::kChunk;
    if (!is_snapshot || !sink_.TakesSnapshot(sample.time_ns)) {
      withheld_.Take(plan, BestRankOf(plan), sample);
    } else if (!snapshot_.Add(sample)) {
      ReportMissing("samples of a snapshot beyond the first " +
                    std::to_string(LastSnapshot::kMostSamples));
    }
  }

  uint32_t StackOf(const SamplePlan& plan, const SamplePlan::Values& values) {
    if (sample_stacks_ == StackUse::kNone) {
      names_->CheckStack(values[SamplePlan::kStack]);
      return CallTree::kRoot;
    }
    uint32_t stack = names_->Stack(values[SamplePlan::kStack]);
    if (plan.has(SamplePlan::kClass)) stack = names_->WithClass(stack, values[SamplePlan::kClass]);
    if (plan.has(SamplePlan::kMethod)) {
      stack = names_->WithMethod(stack, values[SamplePlan::kMethod]);
    }
    return stack;
  }

  void ForgetStacks() {
    sink_.OnStacksForgotten(profile_);
    std::vector<Sample*> kept;
    for (Sample& sample : snapshot_.samples()) kept.push_back(&sample);
    withheld_.AddHeld(kept);
    profile_.ForgetStacks(kept);
    names_->ForgetStacks();
    most_stacks_ = std::max(Profile::kManyStacks, 2 * profile_.stacks.size());
  }

  // Sets the variance of the sample's value, and the number of objects that the sample stands for.
  static void AddEstimate(const SamplePlan& plan, const SamplePlan::Values& values,
                          Sample& sample) {
    const auto error = static_cast<int64_t>(values[SamplePlan::kError]);
    if (error >= 0) {
      const auto credible = static_cast<double>(std::min(error, kMostOfOne));
      sample.variance = credible * credible;
    }
    if (!plan.has(SamplePlan::kObjectSize)) return;
    // A lost sample has no object size, so it counts as one object.
    const auto size = static_cast<int64_t>(values[SamplePlan::kObjectSize]);
    sample.objects = size > 0 ? static_cast<double>(sample.value) / static_cast<double>(size) : 1;
  }

  void OnSnapshot(int64_t time_ns) {
    if (sink_.TakesSnapshot(time_ns)) snapshot_.Begin(time_ns);
  }

  // Returns the lowest rank among the types that the chunk declares and that sample the same things
  // as the plan's type. Returns 0 if the plan has no rank.
  int BestRankOf(const SamplePlan& plan) {
    if (!plan.rank()) return 0;
    const auto [entry, is_new] = best_ranks_.try_emplace(plan.kind(), *plan.rank());
    if (!is_new) return entry->second;
    for (const RecordedType& type : chunk_->schema.types()) {
      const SamplePlan& other = PlanOf(type);
      const bool samples_the_same = other.valid() && other.rank() && other.kind() == plan.kind();
      if (samples_the_same) entry->second = std::min(entry->second, *other.rank());
    }
    return entry->second;
  }

  void Pass(Sample& sample) {
    SampleKind& kind = profile_.kinds[sample.kind];
    // Caps the samples and the value of the kind, so that no sum over its samples can overflow.
    sample.samples = std::min(sample.samples, kMost - kind.samples);
    sample.value = std::min(sample.value, kMost - kind.value);
    kind.samples += sample.samples;
    kind.value += sample.value;
    kind.variance += sample.variance;
    kind.objects += sample.objects;
    const auto [from_ns, to_ns] = IntervalOf(sample);
    const bool is_first = profile_.start_ns == 0 && profile_.end_ns == 0;
    if (is_first || from_ns < profile_.start_ns) profile_.start_ns = from_ns;
    if (is_first || to_ns > profile_.end_ns) profile_.end_ns = to_ns;
    sink_.OnSample(sample);
  }

  // Sets the time that the sample covers. With kBefore, this time ends at time_ns and has one
  // interval for each sample that is counted. With kAfter, it starts at time_ns and has the
  // duration of the event. With kChunk, the sample covers no time, and time_ns becomes the end of
  // the chunk.
  void SetCovered(const SamplePlan& plan, const SamplePlan::Values& values, Sample& sample) const {
    const SampleKind& kind = profile_.kinds[sample.kind];
    if (plan.covers() == Covers::kChunk) {
      sample.time_ns = chunk_->header.start_epoch_ns + chunk_->header.duration_ns;
    }
    if (plan.covers() == Covers::kBefore) {
      const auto interval_ns = static_cast<uint64_t>(kind.interval_ns);
      const uint64_t most = interval_ns == 0 ? 0 : uint64_t{kMostOfOne} / interval_ns;
      uint64_t samples = std::min(sample.samples, most);
      if (counts_forward_ && plan.has(SamplePlan::kTimeSpan)) {
        const int64_t elapsed_ns = std::clamp<int64_t>(
            chunk_->header.NanosOfTicks(static_cast<int64_t>(values[SamplePlan::kTimeSpan])), 0,
            kMostOfOne);
        sample.time_ns += elapsed_ns;
        sample.covers_ns = -elapsed_ns;
        samples = std::min<uint64_t>(samples, 1);
      }
      sample.covers_ns -= static_cast<int64_t>(samples * interval_ns);
    }
    const bool has_duration = plan.covers() == Covers::kAfter && kind.unit == SampleUnit::kNanos;
    if (has_duration) {
      sample.covers_ns = static_cast<int64_t>(std::min(sample.value, uint64_t{kMostOfOne}));
    }
  }

  uint64_t ValueOf(const SamplePlan& plan, const SamplePlan::Values& values) const {
    if (plan.value_is_objects()) {
      const auto objects = std::bit_cast<float>(static_cast<uint32_t>(values[SamplePlan::kValue]));
      const auto size = static_cast<int64_t>(values[SamplePlan::kObjectSize]);
      const double bytes = static_cast<double>(objects) * static_cast<double>(size);
      // The comparison is also false if `bytes` is NaN; the value is then 0.
      if (!(bytes > 0)) return 0;
      return static_cast<uint64_t>(std::min(bytes, static_cast<double>(kMostOfOne)));
    }
    const auto raw = static_cast<int64_t>(values[SamplePlan::kValue]);
    const int64_t value = plan.value_is_ticks() ? chunk_->header.NanosOfTicks(raw) : raw;
    return static_cast<uint64_t>(std::clamp<int64_t>(value, 0, kMostOfOne));
  }

  uint32_t LabelsOf(const SamplePlan& plan, const JfrEvent& event) {
    std::vector<ProfileLabel> labels;
    for (const SamplePlan::Label& each : plan.labels()) {
      AddLabel(each.key, event.Field(each.field), labels);
    }
    if (plan.has_tags()) {
      event.ForEachField([&](const JfrField& field, const JfrValue& value) {
        if (plan.IsTag(chunk_->schema, field)) AddLabel(field.name, value, labels);
      });
    }
    return profile_.LabelsNumber(labels);
  }

  void AddLabel(std::string_view key, const JfrValue& value, std::vector<ProfileLabel>& labels) {
    ProfileLabel label;
    std::string text = value.String();
    if (text.empty()) {
      label.number = value.Long();
      if (label.number == 0) return;
      text = std::to_string(*label.number);
    }
    label.key = profile_.texts.NumberOf(key);
    label.value = profile_.texts.NumberOf(text);
    labels.push_back(label);
  }

  void PassOn(const JfrEvent& event) {
    ProfileEvent passed{.event = event,
                        .time_ns = event.Field("startTime").Nanos(),
                        .duration_ns = std::max<int64_t>(event.Field("duration").Nanos(), 0)};
    for (const std::string_view name : {"eventThread", "sampledThread"}) {
      const std::optional<uint64_t> key = KeyOf(event, name, types_.thread);
      if (key && !passed.thread) passed.thread = names_->Thread(*key);
    }
    const std::optional<uint64_t> stack = KeyOf(event, "stackTrace", types_.stack_trace);
    if (stack && names_->has_frames() && event_stacks_ != StackUse::kNone) {
      passed.stack = names_->KnownStack(*stack);
    }
    sink_.OnEvent(passed);
  }

  // Returns the key in the field `name`. Returns nullopt if the event has no field of this name, if
  // the field does not refer to a constant of `type`, or if the key is 0 (null).
  static std::optional<uint64_t> KeyOf(const JfrEvent& event, std::string_view name,
                                       uint32_t type) {
    const JfrValue value = event.Field(name);
    if (!value || !value.field().IsReferenceTo(type)) return std::nullopt;
    const std::optional<uint64_t> key = value.Key();
    return key == uint64_t{0} ? std::nullopt : key;
  }

  void OnSetting(const JfrEvent& event) {
    const RecordedType* type =
        chunk_->schema.WithId(static_cast<uint64_t>(event.Field("id").Long()));
    if (type == nullptr) return;
    if (type->name == kRecording && event.Field("name").String() == "event") {
      TakeCounter(event.Field("value").String());
    }
    const SamplePlan& plan = PlanOf(*type);
    if (!plan.valid() || (type->name == kCounted && !counter_.empty())) return;
    const SampleKind& kind = profile_.kinds[plan.kind()];
    const bool is_counted = kind.samples != 0 && kind.unit == SampleUnit::kSamples;
    const int64_t before_ns = is_counted ? kind.interval_ns : 0;
    const bool repeats = TakeKindSetting(event.Field("name").String(),
                                         event.Field("value").String(), plan.kind(), profile_);
    if (repeats) repeats_[chunk_->schema.IndexOf(*type)] = true;
    if (before_ns != 0 && before_ns != kind.interval_ns) {
      ReportMissing("the difference between samples of " + kind.name + " every " +
                    DurationText(before_ns) + " and every " + DurationText(kind.interval_ns) +
                    ", which are weighed alike");
    }
  }

  // Takes async-profiler's setting `event`. The setting says what the profiler counted between two
  // samples (FlightRecorder::writeSettings in async-profiler's src/flightRecorder.cpp). If it
  // counted a hardware event, the sampling interval is a number of these events and not a time.
  void TakeCounter(const std::string& event) {
    static constexpr std::string_view kTimed[] = {"",       "cpu",       "cpu-clock", "ctimer",
                                                  "itimer", "wall",      "alloc",     "live",
                                                  "lock",   "nativemem", "nativelock"};
    counts_forward_ = true;
    counter_ = std::ranges::find(kTimed, event) == std::end(kTimed) ? event : "";
    if (const RecordedType* const type = chunk_->schema.Named(kCounted)) {
      plans_[chunk_->schema.IndexOf(*type)].reset();
    }
  }

  const std::set<int64_t>& copies_;
  const LineNumbers lines_;
  Profile& profile_;
  SampleSink& sink_;
  const std::optional<int64_t> begin_ns_;  // nullopt: the start of the first chunk is used
  int64_t last_start_ns_ = std::numeric_limits<int64_t>::min();
  bool is_out_of_order_ = false;
  const StackUse sample_stacks_, event_stacks_;
  size_t most_stacks_;  // number of nodes above which all stacks are forgotten
  RecordingFacts facts_{profile_};
  JfrChunk* chunk_ = nullptr;
  std::optional<ChunkNames> names_;
  KnownTypes types_;
  std::vector<std::optional<SamplePlan>> plans_;  // by type; nullopt if not made yet
  std::string counter_;  // hardware event that jdk.ExecutionSample counts; empty if it counts time
  // True if the recording is one of async-profiler. An event of async-profiler that counts several
  // samples has the time of the first sample, and `timeSpan` is the time from the first sample to
  // the last. An event of jprof has the time of the last sample.
  bool counts_forward_ = false;
  std::map<uint32_t, int> best_ranks_;  // lowest rank among the types of this chunk, by kind
  std::vector<bool> is_wanted_;         // by type: true if the sink's OnEvent gets the events
  std::vector<bool> repeats_;           // by type: true if its samples repeat those of another
  int64_t missing_stacks_ = 0;
  std::string missing_;  // text about the first part that could not be read
  LastSnapshot snapshot_;
  WithheldSamples withheld_;
};

}  // namespace

Result<JfrReadReport> ReadSamples(RecordingFile file, LineNumbers lines, Profile& profile,
                                  SampleSink& sink, const std::set<int64_t>& copies) {
  SampleVisitor visitor(lines, EarliestStart(file), profile, sink, copies);
  Result<JfrReadReport> report = ReadJfr(std::move(file), visitor);
  visitor.Finish();
  if (report.ok() && report.value().missing.empty()) report.value().missing = visitor.Missing();
  return report;
}

Result<JfrReadReport> ReadSamples(const std::string& path, LineNumbers lines, Profile& profile,
                                  SampleSink& sink) {
  Result<RecordingFile> file = RecordingFile::Open(path);
  if (!file) return file.error();
  return ReadSamples(std::move(file).value(), lines, profile, sink);
}

}  // namespace jprof::profile
