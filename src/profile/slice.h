// Slice is the part of recordings that a user wants, chosen by event, thread, state, window of
// time, span, tag and the frames of stacks. Immutable once parsed, usable on any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_filter.h"
#include "profile/moment.h"
#include "profile/profile.h"

namespace jprof::profile {

// Tests whether the name of a frame matches a pattern. The patterns of jprof are regular
// expressions (conversion/parse_slice.h).
using FrameTest = std::function<bool(const std::string& frame)>;

// The options of a slice, as given on the command line. An option that is empty does not limit the
// slice.
struct SliceOptions {
  std::string event = {};    // name of one kind of samples
  std::string thread = {};   // syntax of base/thread_filter.h
  std::string state = {};    // prefixes of state names (base/state_text.h), joined by +
  std::string from = {};     // syntax of moment.h
  std::string until = {};    // syntax of moment.h; the slice ends before this moment
  std::string span = {};     // id: decimal, or hexadecimal with 0x in front or with 16 digits
  std::string tag = {};      // NAME=VALUE of a label of samples
  std::string include = {};  // pattern that must match some frame
  std::string exclude = {};  // pattern that must match no frame
  bool reverse = false;      // stacks start at their innermost frames
};

class Slice {
 public:
  // A default slice selects everything.
  Slice() = default;

  // Parses the options. The error is one line that names the option. REQUIRES: `include` is set if
  // and only if options.include is not empty; the same for `exclude`.
  static Result<Slice> Parse(const SliceOptions& options, FrameTest include = {},
                             FrameTest exclude = {});

  bool IsWhole() const { return texts_.empty(); }
  // The given options as texts such as "--thread main", in the order of SliceOptions.
  const std::vector<std::string>& texts() const { return texts_; }

  const SliceOptions& options() const { return options_; }
  const std::string& event() const { return options_.event; }
  // True if the slice contains the thread with this id and these names. `id` is ProfileThread::id.
  bool HasThread(int64_t id, std::string_view os_name, std::string_view java_name) const;
  bool HasState(std::string_view jfr_name) const;
  // True if the slice selects samples by their labels.
  bool ChoosesLabels() const { return ChoosesSpan() || ChoosesTag(); }
  // True if the label says that the selected span is the span of the sample or its local root:
  // `key` is the key of the label, and `number` its value.
  bool HasSpan(std::string_view key, int64_t number) const {
    return span_ && *span_ == number && (key == "span_id" || key == "local_root_span_id");
  }
  bool HasTag(std::string_view key, std::string_view value) const;
  // Returns NAME of the selected tag NAME=VALUE. REQUIRES: ChoosesTag().
  std::string_view tag_name() const {
    return std::string_view(options_.tag).substr(0, options_.tag.find('='));
  }
  bool ChoosesSpan() const { return span_.has_value(); }
  bool ChoosesTag() const { return !options_.tag.empty(); }
  bool reverse() const { return options_.reverse; }
  const std::optional<Moment>& from() const { return from_; }
  const std::optional<Moment>& until() const { return until_; }
  // Returns the slice's window of time in a recording that starts at `begin_ns`.
  Interval WindowFrom(int64_t begin_ns) const;

  // True if the slice selects stacks by their frames.
  bool ChoosesStacks() const { return include_ || exclude_; }
  // True if --include matches the frame or is absent.
  bool MatchesInclude(const std::string& frame) const;
  // True if --exclude is given and matches the frame.
  bool MatchesExclude(const std::string& frame) const;

 private:
  Status CheckOrder(const SliceOptions& options) const;

  SliceOptions options_;
  std::vector<std::string> texts_;
  ThreadFilter threads_;
  std::vector<std::string> states_;
  std::optional<Moment> from_, until_;
  std::optional<int64_t> span_;
  FrameTest include_, exclude_;
};

}  // namespace jprof::profile
