#include "formats/firefox/joined_threads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/placeholders.h"

namespace jprof::firefox {

JoinedThreads::JoinedThreads(const profile::Profile& profile, SampleLog& samples, Markers& markers)
    : profile_(profile) {
  const auto join = [&](uint32_t from, uint32_t to) {
    samples.Join(from, to);
    markers.Join(from, to);
  };
  std::map<uint32_t, uint64_t> counts = samples.CountsByThread();
  for (const uint32_t thread : markers.Threads()) {
    if (thread != Markers::kNoThread) counts[thread] += markers.CountOf(thread);
  }
  std::optional<uint32_t> nameless;
  for (auto at = counts.begin(); at != counts.end();) {
    const uint32_t thread = at->first;
    const bool is_nameless =
        profile.threads()[thread].is_virtual && profile.ThreadName(thread).empty();
    if (!is_nameless || !nameless) {
      if (is_nameless) nameless = thread;
      ++at;
      continue;
    }
    join(thread, *nameless);
    names_[*nameless] = Text(Placeholder::kVirtualThreads);
    counts[*nameless] += at->second;
    at = counts.erase(at);
  }
  std::vector<std::pair<uint64_t, uint32_t>> threads;
  for (const auto& [thread, count] : counts) threads.emplace_back(count, thread);
  if (threads.size() <= kMaxThreads) return;
  // The busiest thread comes first; equally busy ones are in the order of the recording.
  std::stable_sort(threads.begin(), threads.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const uint32_t rest = threads[kMaxThreads - 1].second;
  for (size_t i = kMaxThreads; i < threads.size(); ++i) join(threads[i].second, rest);
  std::string name(Text(Placeholder::kOtherThreads));
  names_[rest] = name.replace(name.find('N'), 1, std::to_string(threads.size() - kMaxThreads + 1));
}

std::string JoinedThreads::NameOf(uint32_t thread) const {
  if (const auto joined = names_.find(thread); joined != names_.end()) return joined->second;
  const std::string& name = profile_.ThreadName(thread);
  if (!name.empty()) return name;
  return std::string(profile_.threads()[thread].is_virtual ? "virtual thread"
                                                           : Text(Placeholder::kUnknownThread));
}

}  // namespace jprof::firefox
