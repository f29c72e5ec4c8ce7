// Slice: which part of recordings is wanted: events, threads, states, a window of time, spans,
// tags, stacks by their frames. Once parsed immutable: any thread.
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

// Returns true for the names of frames that a pattern finds. jprof's patterns are regular
// expressions (conversion/parse_slice.h).
using FrameTest = std::function<bool(const std::string& frame)>;

// As on the command line; empty: everything.
struct SliceOptions {
  std::string event = {};    // the name of one kind of samples
  std::string thread = {};   // base/thread_filter.h
  std::string state = {};    // begins of names of base/state_text.h, joined by +
  std::string from = {};     // moment.h
  std::string until = {};    // moment.h; the moment itself is outside
  std::string span = {};     // a number, or hexadecimal with 0x or of 16 digits
  std::string tag = {};      // NAME=VALUE, of a label of samples
  std::string include = {};  // a pattern that has to occur in the name of some frame
  std::string exclude = {};
  bool reverse = false;  // stacks from their innermost frames
};

class Slice {
 public:
  // Everything.
  Slice() = default;

  // The error is one line, which names the option.
  // REQUIRES: a test for each pattern of `options`.
  static Result<Slice> Parse(const SliceOptions& options, FrameTest include = {},
                             FrameTest exclude = {});

  bool IsWhole() const { return texts_.empty(); }
  // "--thread main", in the order of SliceOptions.
  const std::vector<std::string>& texts() const { return texts_; }

  // As they were given.
  const SliceOptions& options() const { return options_; }
  const std::string& event() const { return options_.event; }
  // `id`: of the system, or Java's for a virtual thread, as views print it.
  bool HasThread(int64_t id, std::string_view os_name, std::string_view java_name) const;
  bool HasState(std::string_view jfr_name) const;
  // Whether samples are chosen by their labels, and whether a label is one of those: a span, or the
  // local root of spans; a tag.
  bool ChoosesLabels() const { return ChoosesSpan() || ChoosesTag(); }
  bool HasSpan(std::string_view key, int64_t number) const {
    return span_ && *span_ == number && (key == "span_id" || key == "local_root_span_id");
  }
  bool HasTag(std::string_view key, std::string_view value) const;
  // REQUIRES: ChoosesTag().
  std::string_view tag_name() const {
    return std::string_view(options_.tag).substr(0, options_.tag.find('='));
  }
  bool ChoosesSpan() const { return span_.has_value(); }
  bool ChoosesTag() const { return !options_.tag.empty(); }
  bool reverse() const { return options_.reverse; }
  const std::optional<Moment>& from() const { return from_; }
  const std::optional<Moment>& until() const { return until_; }
  // Its window of time in a recording that begins at `begin_ns`.
  Interval WindowFrom(int64_t begin_ns) const;

  // Whether stacks are chosen by frames, and how a frame of this name counts.
  bool ChoosesStacks() const { return include_ || exclude_; }
  bool IsIncluding(const std::string& frame) const;  // true for every frame without --include
  bool IsExcluding(const std::string& frame) const;

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
