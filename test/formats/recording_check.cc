#include "formats/recording_check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "formats/convert_to.h"
#include "formats/page/page_writer.h"
#include "jfr/reader/jfr_reader.h"
#include "profile/analysis/event_rows.h"
#include "profile/read_slices.h"

namespace jprof::test {
namespace {

using profile::JfrEvent;
using profile::JfrField;
using profile::JfrValue;
using profile::RecordedType;

// Reads every field of every event by its name (JfrEvent::Field).
class EveryField : public profile::JfrVisitor {
 public:
  bool Wants(const RecordedType& /*type*/) override { return true; }
  void OnEvent(const JfrEvent& event) override {
    if (++events_ > kMaxEvents) return;
    for (const JfrField& field : event.type().fields) Look(event.Field(field.name), 0);
  }

 private:
  static constexpr int kMaxEvents = 200;
  static constexpr int kMaxDepth = 4;

  void Look(const JfrValue& value, int depth) {
    sum_ += static_cast<uint64_t>(value.Long()) + value.String().size() + value.ElementCount();
    sum_ += static_cast<uint64_t>(value.Nanos()) + (value.Double() > 0 ? 1 : 0);
    if (depth == kMaxDepth) return;
    for (const char* name : {"type", "name", "frames", "method", "parent", "string"}) {
      if (const JfrValue inner = value.Field(name)) Look(inner, depth + 1);
    }
    for (uint64_t i = 0; i < 3 && i < value.ElementCount(); ++i) Look(value.Element(i), depth + 1);
  }

  int events_ = 0;
  uint64_t sum_ = 0;
};

// A file in memory. All calls to CheckRecording reuse it, because there are hundreds of calls a
// second, one after the other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {}

  int fd() const { return fd_.get(); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd()); }
  void Fill(const std::string& bytes) const {
    if (ftruncate(fd(), 0) != 0 || lseek(fd(), 0, SEEK_SET) != 0) abort();
    if (pwrite(fd(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) abort();
  }
  std::string Content() const {
    struct stat info;
    if (fstat(fd(), &info) != 0) abort();
    std::string text(static_cast<size_t>(info.st_size), '\0');
    if (pread(fd(), text.data(), text.size(), 0) != info.st_size) abort();
    return text;
  }

 private:
  ScopedFd fd_;
};

// Sums the samples of a slice, and reads every event as a row. Leaves out live objects: their sums
// in slices do not add up to the whole, because each slice has a last snapshot of its own.
class SliceSum : public profile::SampleSink {
 public:
  void OnSample(const profile::Sample& sample) override {
    if (part.kinds[sample.kind].name == "live") return;
    samples += sample.samples;
    value += sample.value;
  }
  bool WantsEvents(const RecordedType& /*type*/) override { return true; }
  void OnEvent(const profile::ProfileEvent& event) override {
    if (++events_ > kMaxEvents) return;
    const size_t columns =
        profile::ColumnsOf(event.event.chunk().schema, event.event.type()).size();
    if (profile::ValuesOf(event).size() != columns) abort();
  }

  profile::Profile part;  // profile of the slice
  uint64_t samples = 0;
  uint64_t value = 0;

 private:
  static constexpr int kMaxEvents = 200;
  int events_ = 0;
};

// Returns the slice of `options`. A pattern matches a frame whose name contains it.
profile::Slice SliceOf(const profile::SliceOptions& options) {
  const auto test_of = [](const std::string& pattern) {
    if (pattern.empty()) return profile::FrameTest();
    return profile::FrameTest(
        [pattern](const std::string& frame) { return frame.find(pattern) != std::string::npos; });
  };
  Result<profile::Slice> slice =
      profile::Slice::Parse(options, test_of(options.include), test_of(options.exclude));
  if (!slice) abort();
  return std::move(slice).value();
}

SliceSum SumOf(int fd, const profile::Slice& slice) {
  std::vector<profile::RecordingInput> inputs;
  inputs.push_back({ScopedFd(dup(fd)), "recording"});
  SliceSum sum;
  static_cast<void>(profile::ReadSlices(inputs, slice, {}, sum.part, sum));
  return sum;
}

// Checks that slices of adjacent windows add up to the whole, and that slices by frames do. An
// event with a duration counts in each window with which it overlaps. Returns a text about the
// error, or "" if the slices add up.
std::string CheckSlices(int fd) {
  static const std::pair<profile::Slice, profile::Slice> halves[] = {
      {SliceOf({.until = "5ms"}), SliceOf({.from = "5ms"})},
      {SliceOf({.include = "a", .reverse = true}), SliceOf({.exclude = "a"})},
  };
  const SliceSum whole = SumOf(fd, profile::Slice());
  for (const auto& [one, other] : halves) {
    const SliceSum first = SumOf(fd, one);
    const SliceSum second = SumOf(fd, other);
    const uint64_t samples = first.samples + second.samples;
    const bool is_by_time = &one == &halves[0].first;
    if (samples < whole.samples || (samples != whole.samples && !is_by_time) ||
        first.value + second.value != whole.value) {
      return "slices add up to " + std::to_string(samples) + " of " +
             std::to_string(whole.samples) + " samples";
    }
  }
  return {};
}

uint64_t SumOfCounts(std::string_view collapsed) {
  uint64_t sum = 0;
  while (!collapsed.empty()) {
    const std::string_view line = collapsed.substr(0, collapsed.find('\n'));
    sum += std::strtoull(std::string(line.substr(line.rfind(' ') + 1)).c_str(), nullptr, 10);
    collapsed.remove_prefix(line.size() + 1);
  }
  return sum;
}

}  // namespace

std::string CheckRecording(const std::string& bytes) {
  static MemoryFile input("recording");
  static MemoryFile output("output");
  input.Fill(bytes);
  EveryField visitor;
  const bool is_read = profile::ReadJfr(input.path(), visitor).ok();
  output.Fill("");
  if (ConvertTo(input.path(), *AgentFormats().Named("html"), output.fd()).ok() != is_read) {
    return "reader and page do not agree on whether the recording can be read";
  }
  for (const ThreadFrames threads : {ThreadFrames::kNone, ThreadFrames::kFirst}) {
    output.Fill("");
    const Result<ConvertReport> report = ConvertTo(input.path(), *AgentFormats().Named("collapsed"),
                                                   output.fd(), {.format = {.threads = threads}});
    if (report.ok() != is_read) {
      return "reader and collapsed stacks do not agree on whether the recording can be read";
    }
    const uint64_t sum = SumOfCounts(output.Content());
    if (report.ok() && sum != report.value().samples) {
      return "collapsed stacks add up to " + std::to_string(sum) + " of " +
             std::to_string(report.value().samples) + " samples";
    }
  }
  return is_read ? CheckSlices(input.fd()) : std::string();
}

}  // namespace jprof::test
