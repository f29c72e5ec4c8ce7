#include "conversion/parse_slice.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>

namespace jprof {
namespace {

// Returns a function that is true for the frames that match the pattern `text`. Returns an empty
// function if `text` is empty.
Result<profile::FrameTest> ParsePattern(const std::string& option, const std::string& text) {
  if (text.empty()) return profile::FrameTest();
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(32 << 20);  // bytes: a large limit, for long names; it costs no time
  auto pattern = std::make_shared<const re2::RE2>(text, options);
  if (!pattern->ok()) {
    return Error("--" + option + " '" + text +
                 "' is not a regular expression: " + pattern->error());
  }
  return profile::FrameTest([pattern = std::move(pattern)](const std::string& frame) {
    return re2::RE2::PartialMatch(frame, *pattern);
  });
}

}  // namespace

Result<profile::Slice> ParseSlice(const profile::SliceOptions& options) {
  Result<profile::FrameTest> include = ParsePattern("include", options.include);
  if (!include) return include.error();
  Result<profile::FrameTest> exclude = ParsePattern("exclude", options.exclude);
  if (!exclude) return exclude.error();
  return profile::Slice::Parse(options, std::move(include).value(), std::move(exclude).value());
}

}  // namespace jprof
