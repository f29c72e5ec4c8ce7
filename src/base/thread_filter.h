// ThreadFilter: the threads that a user has selected, by kernel thread id or by name.
//
//   filter=4711+5000-5099+pool-*-thread-?+main
//
// Items are joined by '+'; a thread is selected if any of them matches. Digits are a thread id, and
// two numbers joined by '-' are a range. Anything else is a pattern for the whole name, with * for
// any characters and ? for one. The pattern can match the Java name or the kernel's name. An empty
// filter selects every thread.
//
// Thread-safe: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

class ThreadFilter {
 public:
  ThreadFilter() = default;

  // Parses a filter. The error is a phrase that the caller appends to the text.
  static Result<ThreadFilter> Parse(std::string_view text);

  bool selects_all() const { return ranges_.empty() && patterns_.empty(); }
  bool selects_by_name() const { return !patterns_.empty(); }
  const std::string& text() const { return text_; }  // the text as it was given

  // True if the filter selects the thread. Unknown names are empty and match only `*`.
  bool Matches(int32_t tid, std::string_view os_name, std::string_view java_name) const;

 private:
  struct Range {
    int32_t first;
    int32_t last;
  };

  std::string text_;
  std::vector<Range> ranges_;
  std::vector<std::string> patterns_;
};

}  // namespace jprof
