#include "base/thread_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/wildcard.h"

namespace jprof {
namespace {

// Returns the thread id if all of `text` is a number; nullopt otherwise.
std::optional<int32_t> ParseTid(std::string_view text) {
  int32_t tid = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, tid);
  if (text.empty() || text.front() == '-' || rest != end || status != std::errc()) return {};
  return tid;
}

}  // namespace

Result<ThreadFilter> ThreadFilter::Parse(std::string_view text) {
  ThreadFilter filter;
  filter.text_ = text;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('+', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    at = end + 1;
    const size_t dash = item.find('-');
    const std::optional<int32_t> first = ParseTid(item.substr(0, dash));
    const std::optional<int32_t> last =
        dash == std::string_view::npos ? first : ParseTid(item.substr(dash + 1));
    if (item.empty()) return Error("has an empty item: put one + between two threads");
    if (first && last) {
      if (*first > *last) return Error("has a range that ends before it begins");
      filter.ranges_.push_back({*first, *last});
    } else {
      filter.patterns_.emplace_back(item);
    }
  }
  return filter;
}

bool ThreadFilter::Matches(int32_t tid, std::string_view os_name,
                           std::string_view java_name) const {
  if (selects_all()) return true;
  const auto has_tid = [tid](const Range& range) {
    return range.first <= tid && tid <= range.last;
  };
  const auto has_name = [&](const std::string& pattern) {
    return MatchesWildcards(pattern, java_name) || MatchesWildcards(pattern, os_name);
  };
  return std::any_of(ranges_.begin(), ranges_.end(), has_tid) ||
         std::any_of(patterns_.begin(), patterns_.end(), has_name);
}

}  // namespace jprof
