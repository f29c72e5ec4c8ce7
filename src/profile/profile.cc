#include "profile/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/placeholders.h"
#include "profile/class_text.h"

namespace jprof::profile {
namespace {

__extension__ using Product = unsigned __int128;

// Spreads `weight` evenly over `interval` and returns the part that lies before `time_ns`.
uint64_t WeightBefore(int64_t time_ns, Interval interval, uint64_t weight) {
  if (time_ns <= interval.from_ns) return 0;
  if (time_ns >= interval.to_ns) return weight;
  const uint64_t whole =
      static_cast<uint64_t>(interval.to_ns) - static_cast<uint64_t>(interval.from_ns);
  const uint64_t part = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(interval.from_ns);
  return static_cast<uint64_t>((Product{weight} * part + whole / 2) / whole);
}

}  // namespace

// If the samples were scaled to a known total, the error of a part depends on the errors of all
// samples. Let f be the share of the part in the total, v the sum of the variances of the samples
// in the part, and V the sum of the variances of all samples. The variance of the part is then (1 -
// f)^2 v + f^2 (V - v), plus f^2 times the variance of the total.
double SampleKind::VarianceOf(double part, double summed) const {
  if (std::isnan(summed_variance) || std::isnan(summed) || value == 0) return summed;
  const double share = part / static_cast<double>(value);
  const double scaled = (1 - 2 * share) * summed + share * share * summed_variance;
  return std::min(std::max(scaled, 0.0), summed) + share * share * variance;
}

uint32_t Profile::MethodNumber(const ProfileMethod& method) {
  const auto [entry, is_new] = method_numbers_.try_emplace(
      {method.owner, method.name, method.descriptor}, static_cast<uint32_t>(methods_.size()));
  if (is_new) methods_.push_back(method);
  return entry->second;
}

uint32_t Profile::FrameNumber(const ProfileFrame& frame) {
  const auto kind = static_cast<size_t>(frame.kind);
  const uint64_t key = uint64_t{frame.method} << 32 | static_cast<uint32_t>(frame.line);
  std::vector<uint32_t>& lineless = lineless_frames_[kind];
  if (frame.line == 0 && lineless.size() <= frame.method) lineless.resize(methods_.size());
  uint32_t& number = frame.line == 0 ? lineless[frame.method] : frame_numbers_[kind].At(key);
  if (number == 0) {
    frames_.push_back(frame);
    number = static_cast<uint32_t>(frames_.size());
  }
  return number - 1;
}

uint32_t Profile::ThreadNumber(const ProfileThread& thread) {
  const auto [entry, is_new] =
      thread_numbers_.try_emplace({thread.os_name, thread.java_name, thread.os_id, thread.java_id},
                                  static_cast<uint32_t>(threads_.size()));
  if (is_new) threads_.push_back(thread);
  return entry->second;
}

uint32_t Profile::LabelsNumber(const std::vector<ProfileLabel>& labels) {
  if (labels.empty()) return 0;
  const auto [entry, is_new] =
      label_numbers_.try_emplace(labels, static_cast<uint32_t>(label_sets_.size()));
  if (is_new) label_sets_.push_back(labels);
  return entry->second;
}

void Profile::AddLibrary(const ProfileLibrary& library) {
  const bool is_new = known_libraries_.emplace(library.path, library.build_id, library.base).second;
  if (is_new) libraries.push_back(library);
}

void Profile::ForgetStacks(const std::vector<Sample*>& kept) {
  const CallTree before = std::exchange(stacks, CallTree());
  std::vector<uint32_t> frames;
  for (Sample* sample : kept) {
    frames.clear();
    for (uint32_t node = sample->stack; node != CallTree::kRoot; node = before.parent(node)) {
      frames.push_back(before.frame(node));
    }
    sample->stack = CallTree::kRoot;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      sample->stack = stacks.Child(sample->stack, *frame);
    }
  }
}

bool Profile::HasKind(std::string_view name, SampleUnit unit) const {
  return std::ranges::any_of(
      kinds, [&](const SampleKind& kind) { return kind.name == name && kind.unit == unit; });
}

std::optional<uint32_t> Profile::KindNumber(std::string_view name, SampleUnit unit,
                                            int preference) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].name == name && kinds[i].unit == unit) return static_cast<uint32_t>(i);
  }
  if (kinds.size() == kMaxKinds) return std::nullopt;
  SampleKind kind;
  kind.name = name;
  kind.unit = unit;
  kind.preference = preference;
  kinds.push_back(std::move(kind));
  return static_cast<uint32_t>(kinds.size() - 1);
}

bool Profile::HasSamplesOfRequest(const SampleKind& kind) const {
  if (kind.samples != 0) return true;
  return std::any_of(kinds.begin(), kinds.end(), [&kind](const SampleKind& other) {
    return kind.request != 0 && other.request == kind.request && other.samples != 0;
  });
}

std::vector<uint32_t> Profile::KindsInOrder() const {
  std::vector<uint32_t> order(kinds.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rank = [this](uint32_t number) {
    const SampleKind& kind = kinds[number];
    const int place = kind.request == 0 ? std::numeric_limits<int>::max() : kind.request;
    return std::pair(place, kind.preference);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&rank](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
  return order;
}

std::string Profile::ProgramName() const {
  const std::string first = java_arguments.substr(0, java_arguments.find(' '));
  const std::string name = first.substr(first.rfind('/') + 1);
  return name.empty() ? "java" : name;
}

const std::string& Profile::ThreadName(uint32_t number) const {
  const ProfileThread& thread = threads_[number];
  const std::string& java_name = texts[thread.java_name];
  return java_name.empty() ? texts[thread.os_name] : java_name;
}

std::string Profile::ThreadText(uint32_t number) const {
  const ProfileThread& thread = threads_[number];
  return ThreadTextOf(texts[thread.java_name], texts[thread.os_name], thread.java_id);
}

std::string ThreadTextOf(const std::string& java_name, const std::string& os_name,
                         int64_t java_id) {
  if (!java_name.empty()) return java_name;
  if (!os_name.empty() || java_id == 0) return os_name;
  return "virtual thread " + std::to_string(java_id);
}

void Profile::AddSourceFile(uint32_t class_text, uint32_t file) {
  if (source_files_.size() <= class_text) source_files_.resize(texts.size());
  uint32_t& known = source_files_[class_text];
  if (known == 0) known = file + 1;
}

std::string_view Profile::SourceFileOf(std::string_view class_text) const {
  const size_t number = texts.Find(class_text).value_or(source_files_.size());
  if (number >= source_files_.size() || source_files_[number] == 0) return {};
  return texts[source_files_[number] - 1];
}

std::string Profile::SourcePathOfMethod(uint32_t method) const {
  const std::string& owner = texts[methods_[method].owner];
  return SourcePathOf(owner, SourceFileOf(owner));
}

std::optional<uint32_t> Profile::ClassOf(uint32_t stack) const {
  if (stack == CallTree::kRoot) return std::nullopt;
  const ProfileFrame& frame = frames_[stacks.frame(stack)];
  return frame.kind == FrameKind::kClass ? std::optional(frame.method) : std::nullopt;
}

std::optional<uint32_t> Profile::AllocationSiteOf(uint32_t stack) const {
  std::optional<uint32_t> innermost;
  for (uint32_t node = stack; node != CallTree::kRoot; node = stacks.parent(node)) {
    const ProfileFrame& frame = frames_[stacks.frame(node)];
    if (frame.kind == FrameKind::kClass) continue;
    if (!IsOfJdk(texts[methods_[frame.method].owner])) return frame.method;
    if (!innermost) innermost = frame.method;
  }
  return innermost;
}

std::string Profile::MethodText(uint32_t number) const {
  const ProfileMethod& method = methods_[number];
  const std::string& owner = texts[method.owner];
  const std::string& name = texts[method.name];
  // A method without a descriptor is native code, and its owner is a library. The text includes the
  // library only if the symbol is unknown.
  const bool is_symbol = texts[method.descriptor].empty();
  if (is_symbol && name == Text(Placeholder::kUnknownSymbol) && !owner.empty()) {
    return owner + " " + name;
  }
  if (owner.empty() || is_symbol) return name.empty() ? owner : name;
  return name.empty() ? owner : owner + "." + name;
}

Sample PartWithin(const Sample& sample, Interval window) {
  const Interval interval = IntervalOf(sample);
  if (window.from_ns <= interval.from_ns && interval.to_ns < window.to_ns) return sample;
  Sample cut = sample;
  if (interval.from_ns == interval.to_ns) {
    const bool is_inside = window.from_ns <= sample.time_ns && sample.time_ns < window.to_ns;
    if (!is_inside) cut.samples = cut.value = 0;
    return cut;
  }
  const auto part_of = [&](uint64_t weight) {
    if (window.to_ns <= window.from_ns) return uint64_t{0};
    return WeightBefore(window.to_ns, interval, weight) -
           WeightBefore(window.from_ns, interval, weight);
  };
  cut.samples = part_of(sample.samples);
  cut.value = part_of(sample.value);
  // An event with a duration counts as one event in each window that it overlaps.
  if (cut.value != 0) cut.samples = std::max<uint64_t>(cut.samples, 1);
  cut.variance = cut.objects = kNotKnown;  // only samples that cover no time are estimates
  if (cut.samples == 0 && cut.value == 0) return cut;
  const Interval left{std::max(interval.from_ns, window.from_ns),
                      std::min(interval.to_ns, window.to_ns)};
  cut.time_ns = sample.covers_ns < 0 ? left.to_ns : left.from_ns;
  cut.covers_ns = sample.covers_ns < 0 ? left.from_ns - left.to_ns : left.to_ns - left.from_ns;
  return cut;
}

}  // namespace jprof::profile
