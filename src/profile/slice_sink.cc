#include "profile/slice_sink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "profile/profile_event.h"

namespace jprof::profile {
namespace {

constexpr std::string_view kScope = JfrName(JfrType::kSpan);
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

__extension__ using Product = unsigned __int128;

// Returns table[number]. If the table is too short, first makes it `size` elements long: as many as
// the whole profile has entries of this sort.
template <class T>
T& PlaceOf(std::vector<T>& table, uint32_t number, size_t size) {
  if (table.size() <= number) table.resize(std::max<size_t>(size, size_t{number} + 1));
  return table[number];
}

}  // namespace

uint32_t ProfilePart::Thread(uint32_t number) {
  uint32_t& mapped = PlaceOf(threads_, number, whole_.threads().size());
  if (mapped == 0) {
    ProfileThread thread = whole_.threads()[number];
    thread.os_name = Text(thread.os_name);
    thread.java_name = Text(thread.java_name);
    mapped = part_.ThreadNumber(thread) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::State(uint32_t number) {
  uint32_t& mapped = PlaceOf(states_, number, whole_.states.size());
  if (mapped == 0) mapped = part_.states.NumberOf(whole_.states[number]) + 1;
  return mapped - 1;
}

uint32_t ProfilePart::Kind(uint32_t number, SampleUnit unit) {
  uint32_t& mapped = PlaceOf(kinds_, number, whole_.kinds.size());
  if (mapped == 0) {
    const SampleKind& kind = whole_.kinds[number];
    // Several recordings together can have more than kMaxKinds kinds. All further kinds count as
    // the last kind.
    mapped = part_.KindNumber(kind.name, unit, kind.preference)
                 .value_or(static_cast<uint32_t>(Profile::kMaxKinds - 1)) +
             1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Text(uint32_t number) {
  uint32_t& mapped = PlaceOf(texts_, number, whole_.texts.size());
  if (mapped == 0) mapped = part_.texts.NumberOf(whole_.texts[number]) + 1;
  return mapped - 1;
}

uint32_t ProfilePart::Method(uint32_t number) {
  uint32_t& mapped = PlaceOf(methods_, number, whole_.methods().size());
  if (mapped == 0) {
    const ProfileMethod& method = whole_.methods()[number];
    mapped =
        part_.MethodNumber({Text(method.owner), Text(method.name), Text(method.descriptor)}) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Frame(uint32_t number) {
  uint32_t& mapped = PlaceOf(frames_, number, whole_.frames().size());
  if (mapped == 0) {
    const ProfileFrame& frame = whole_.frames()[number];
    mapped = part_.FrameNumber({Method(frame.method), frame.line, frame.kind}) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Stack(uint32_t number) {
  PlaceOf(stacks_, CallTree::kRoot, whole_.stacks.size()) = CallTree::kRoot + 1;
  path_.clear();
  while (PlaceOf(stacks_, number, whole_.stacks.size()) == 0) {
    path_.push_back(number);
    number = whole_.stacks.parent(number);
  }
  uint32_t mapped = stacks_[number] - 1;
  for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
    mapped = part_.stacks.Child(mapped, Frame(whole_.stacks.frame(*node)));
    stacks_[*node] = mapped + 1;
  }
  return mapped;
}

uint32_t ProfilePart::ReversedStack(uint32_t number) {
  uint32_t& mapped = PlaceOf(stacks_, number, whole_.stacks.size());
  if (mapped != 0) return mapped - 1;
  uint32_t reversed = CallTree::kRoot;
  for (uint32_t node = number; node != CallTree::kRoot; node = whole_.stacks.parent(node)) {
    reversed = part_.stacks.Child(reversed, Frame(whole_.stacks.frame(node)));
  }
  mapped = reversed + 1;
  return reversed;
}

uint32_t ProfilePart::Labels(uint32_t number) {
  if (number == 0) return 0;
  uint32_t& mapped = PlaceOf(labels_, number, whole_.label_sets().size());
  if (mapped == 0) {
    std::vector<ProfileLabel> labels = whole_.label_sets()[number];
    for (ProfileLabel& label : labels) {
      label.key = Text(label.key);
      label.value = Text(label.value);
    }
    mapped = part_.LabelsNumber(labels) + 1;
  }
  return mapped - 1;
}

void ProfilePart::AddProcess() {
  for (ProfileLibrary library : whole_.libraries) {
    library.path = Text(library.path);
    library.build_id = Text(library.build_id);
    part_.AddLibrary(library);
  }
  for (uint32_t name = 0; name < whole_.source_files().size(); ++name) {
    const uint32_t file = whole_.source_files()[name];
    if (file != 0) part_.AddSourceFile(Text(name), Text(file - 1));
  }
  if (whole_.audit) {
    if (!part_.audit) part_.audit.emplace();
    part_.audit->Add(*whole_.audit);
  }
  const bool is_first = part_.jvm_version.empty() && part_.pid == 0;
  if (is_first) {
    part_.jvm_version = whole_.jvm_version;
    part_.java_arguments = whole_.java_arguments;
    part_.host_name = whole_.host_name;
    part_.filter = whole_.filter;
    part_.windows = whole_.windows;
    part_.pid = whole_.pid;
    return;
  }
  // The recordings can be of several processes. The pid is kept only if it is the same in all
  // recordings; so is the name of the host.
  if (part_.pid != whole_.pid) part_.pid = 0;
  if (part_.host_name != whole_.host_name) part_.host_name.clear();
}

SliceSink::SliceSink(const Slice& slice, const RecordingRole& role, const Profile& whole,
                     Profile& part, SampleSink& next)
    : slice_(slice), role_(role), whole_(whole), part_(part), mapped_(whole, part), next_(next) {}

void SliceSink::OnBegin(int64_t time_ns) { window_ = slice_.WindowFrom(time_ns); }

void SliceSink::OnSample(const Sample& sample) {
  const SampleKind& kind = whole_.kinds[sample.kind];
  if (role_.has_old_snapshot && kind.is_snapshot) return;
  const Sample cut = PartWithin(sample, window_);
  const uint8_t labels = LabelMarks(sample.labels);
  const std::array<bool, kCriteria> is_selected = {
      slice_.event().empty() || slice_.event() == kind.name,
      HasThread(sample.thread),
      HasState(sample.state),
      cut.samples != 0 || cut.value != 0,
      (labels & kHasSpan) != 0,
      (labels & kHasTag) != 0,
      HasStack(sample.stack)};
  samples_ += sample.samples;
  for (size_t i = 0; i < kCriteria; ++i) {
    if (is_selected[i]) selected_[i] += i == kTime ? cut.samples : sample.samples;
  }
  if (std::find(is_selected.begin(), is_selected.end(), false) != is_selected.end()) return;
  Pass(cut);
}

void SliceSink::Pass(const Sample& cut) {
  Sample passed = cut;
  passed.kind = Kind(cut.kind);
  passed.thread = mapped_.Thread(cut.thread);
  passed.state = mapped_.State(cut.state);
  passed.stack = Stack(cut.stack);
  passed.labels = mapped_.Labels(cut.labels);
  SampleKind& kind = part_.kinds[passed.kind];
  if (const std::optional<int64_t> interval_ns = WeighedInterval(whole_.kinds[cut.kind])) {
    const Product nanos = Product{cut.samples} * static_cast<uint64_t>(*interval_ns);
    passed.value = nanos > kMost ? kMost : static_cast<uint64_t>(nanos);
  }
  // Caps the samples and the value of a kind so that they do not overflow.
  passed.samples = std::min(passed.samples, kMost - kind.samples);
  passed.value = std::min(passed.value, kMost - kind.value);
  kind.samples += passed.samples;
  kind.value += passed.value;
  kind.variance += passed.variance;
  kind.objects += passed.objects;
  const auto [begin_ns, end_ns] = IntervalOf(passed);
  const bool is_first = part_.start_ns == 0 && part_.end_ns == 0;
  if (is_first || begin_ns < part_.start_ns) part_.start_ns = begin_ns;
  if (is_first || end_ns > part_.end_ns) part_.end_ns = end_ns;
  next_.OnSample(passed);
}

void SliceSink::OnStacksForgotten(const Profile& /*whole*/) {
  stack_marks_.clear();
  mapped_.ForgetStacks();
  ForgetStacksOfPart();
}

void SliceSink::ForgetStacksOfPart() {
  if (KeepsStacks(next_)) return;
  next_.OnStacksForgotten(part_);
  part_.ForgetStacks({});
}

bool SliceSink::WantsEvents(const RecordedType& type) {
  const bool is_wanted = next_.WantsEvents(type);
  if (type.name != kScope) return is_wanted;
  next_wants_scopes_ = is_wanted;
  return is_wanted || slice_.ChoosesSpan();
}

void SliceSink::OnEvent(const ProfileEvent& event) {
  const bool is_scope = event.event.type().name == kScope;
  if (is_scope && slice_.ChoosesSpan()) CountScope(event);
  if (is_scope && !next_wants_scopes_) return;
  const int64_t inside_ns = InsideOf(event);
  if (inside_ns == 0 && !HasMoment(event.time_ns)) return;
  if (event.thread && !HasThread(*event.thread)) return;
  if (event.stack && !HasStack(*event.stack)) return;
  if (slice_.ChoosesLabels() && !HasSpanOf(event)) return;
  ProfileEvent passed = event;
  passed.inside_ns = inside_ns;
  passed.recording = role_.number;
  if (event.thread) passed.thread = mapped_.Thread(*event.thread);
  if (event.stack) passed.stack = Stack(*event.stack);
  scopes_.are_passed |= is_scope && slice_.ChoosesSpan();
  next_.OnEvent(passed);
}

int64_t SliceSink::InsideOf(const ProfileEvent& event) const {
  const Interval interval = IntervalFrom(event.time_ns, event.duration_ns);
  const int64_t from_ns = std::max(interval.from_ns, window_.from_ns);
  const int64_t to_ns = std::min(interval.to_ns, window_.to_ns);
  return from_ns < to_ns ? to_ns - from_ns : 0;
}

bool SliceSink::HasStack(uint32_t stack) {
  if (!slice_.ChoosesStacks()) return true;
  if (stack_marks_.empty()) stack_marks_.push_back(0);
  // Nodes are marked in the order of their numbers. A parent has a lower number than its children,
  // so its marks are known when they are needed for the children.
  for (auto node = static_cast<uint32_t>(stack_marks_.size()); node < whole_.stacks.size();
       ++node) {
    const uint32_t method = whole_.frames()[whole_.stacks.frame(node)].method;
    uint8_t& marks = PlaceOf(method_marks_, method, whole_.methods().size());
    if (marks == 0) {
      const std::string text = whole_.MethodText(method);
      marks = static_cast<uint8_t>(kKnown | (slice_.MatchesInclude(text) ? kIncluded : 0) |
                                   (slice_.MatchesExclude(text) ? kExcluded : 0));
    }
    stack_marks_.push_back(stack_marks_[whole_.stacks.parent(node)] | marks);
  }
  return (stack_marks_[stack] & (kIncluded | kExcluded)) == kIncluded;
}

bool SliceSink::HasThread(uint32_t number) {
  uint8_t& marks = PlaceOf(thread_marks_, number, whole_.threads().size());
  if (marks == 0) {
    const ProfileThread& thread = whole_.threads()[number];
    const bool is_selected =
        slice_.HasThread(thread.id(), whole_.texts[thread.os_name], whole_.texts[thread.java_name]);
    marks = is_selected ? kKnown | kIncluded : kKnown;
  }
  return (marks & kIncluded) != 0;
}

bool SliceSink::HasState(uint32_t number) {
  uint8_t& marks = PlaceOf(state_marks_, number, whole_.states.size());
  if (marks == 0) marks = slice_.HasState(whole_.states[number]) ? kKnown | kIncluded : kKnown;
  return (marks & kIncluded) != 0;
}

// Returns the marks of a set of labels. kHasSpan is set if the labels include the selected span, or
// if the slice selects no span. kHasTag is set if the labels include the selected tag, or if the
// slice selects no tag.
uint8_t SliceSink::LabelMarks(uint32_t number) {
  if (!slice_.ChoosesLabels()) return kHasSpan | kHasTag;
  uint8_t& marks = PlaceOf(label_marks_, number, whole_.label_sets().size());
  if (marks != 0) return marks;
  marks = kKnown | (slice_.ChoosesSpan() ? 0 : kHasSpan) | (slice_.ChoosesTag() ? 0 : kHasTag);
  for (const ProfileLabel& label : whole_.label_sets()[number]) {
    const std::string_view key = whole_.texts[label.key];
    if (label.number && slice_.HasSpan(key, *label.number)) marks |= kHasSpan;
    if (slice_.ChoosesTag() && slice_.HasTag(key, whole_.texts[label.value])) marks |= kHasTag;
  }
  return marks;
}

// True if the slice selects the span and the tags of the event, by the rules for the labels of a
// sample (LabelMarks). Also true if the event has no field `spanId`.
bool SliceSink::HasSpanOf(const ProfileEvent& passed) const {
  const JfrEvent& event = passed.event;
  if (!event.Field("spanId")) return true;
  const bool is_chosen = !slice_.ChoosesSpan() || IsOfSpan(passed);
  if (!is_chosen || !slice_.ChoosesTag()) return is_chosen;
  const std::string_view tag = slice_.tag_name();
  return slice_.HasTag(tag, event.Field(tag == "trace_id" ? "traceId" : tag).String());
}

// True if the event belongs to the selected span, or to a span whose local root is selected.
bool SliceSink::IsOfSpan(const ProfileEvent& passed) const {
  return slice_.HasSpan("span_id", passed.event.Field("spanId").Long()) ||
         slice_.HasSpan("local_root_span_id", passed.event.Field("localRootSpanId").Long());
}

void SliceSink::CountScope(const ProfileEvent& event) {
  Scopes scopes{.are_recorded = true};
  if (IsOfSpan(event)) {
    scopes.of_span = 1;
    scopes.duration_ns = std::max(event.duration_ns, int64_t{0});
  }
  scopes_.Add(scopes);
}

void SliceSink::Scopes::Add(const Scopes& others) {
  constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();
  are_recorded |= others.are_recorded;
  of_span += others.of_span;
  duration_ns += std::min(others.duration_ns, kLongest - duration_ns);
  are_passed |= others.are_passed;
}

uint32_t SliceSink::Stack(uint32_t number) {
  return slice_.reverse() ? mapped_.ReversedStack(number) : mapped_.Stack(number);
}

uint32_t SliceSink::Kind(uint32_t number) {
  const SampleKind& kind = whole_.kinds[number];
  return mapped_.Kind(number, WeighedInterval(kind) ? SampleUnit::kNanos : kind.unit);
}

std::optional<int64_t> SliceSink::WeighedInterval(const SampleKind& kind) const {
  if (role_.weighed.empty() || kind.unit != SampleUnit::kSamples) return std::nullopt;
  const auto interval = role_.weighed.find(kind.name);
  return interval == role_.weighed.end() ? std::nullopt : std::optional(interval->second);
}

void SliceSink::Finish() {
  if (part_.stacks.size() > Profile::kManyStacks) ForgetStacksOfPart();
  for (uint32_t number = 0; number < whole_.kinds.size(); ++number) {
    const SampleKind& kind = whole_.kinds[number];
    const bool is_passed = mapped_.HasKind(number);
    // A requested kind without samples stays in the part, because outputs explain why it has no
    // samples.
    const bool is_explained = kind.request != 0 && kind.samples == 0 && slice_.event().empty();
    if (!is_passed && !is_explained) continue;
    SampleKind& mapped = part_.kinds[Kind(number)];
    if (mapped.interval_ns == 0 && !WeighedInterval(kind)) mapped.interval_ns = kind.interval_ns;
    if (mapped.request == 0) mapped.request = kind.request;
    mapped.is_elapsed |= kind.is_elapsed;
    mapped.is_snapshot |= kind.is_snapshot;
  }
  for (const std::string& note : whole_.notes) {
    if (std::ranges::find(part_.notes, note) == part_.notes.end()) part_.notes.push_back(note);
  }
  mapped_.AddProcess();
}

}  // namespace jprof::profile
