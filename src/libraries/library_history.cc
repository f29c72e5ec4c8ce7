#include "libraries/library_history.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kAlways = std::numeric_limits<Nanos>::min();
// How long samples of a library's code can still reach the recorder after the library was unloaded.
constexpr Nanos kKeptAfterUnload = kNanosPerSecond;
constexpr size_t kMaxChanges = 4 * LibraryHistory::kMaxPast;

uint64_t Sum(const LoadCounts& counts) { return counts.loads + counts.unloads; }

}  // namespace

LibraryHistory::LibraryHistory()
    : known_until_ns_(kAlways),
      map_(std::vector<Library>()),
      past_until_ns_(kAlways),
      forgotten_ns_(kAlways) {
  Update();
}

// Drops the looks and files that were logged since the last Update: no history will use them.
LibraryHistory::~LibraryHistory() { LibraryLog::OfProcess().Drop(); }

// Makes its own look first and applies it last. So looks that threads of the program add to the log
// during its own look are applied before it; otherwise they would be skipped as outdated.
void LibraryHistory::Update() {
  const Nanos begun_ns = MonotonicNanos();
  LibraryLook own;
  if (ReadLoadCounts() != counts_) {
    own.objects = LoadedObjects(&own.counts);
    own.ended_ns = MonotonicNanos();
  }
  for (LibraryLook& look : LibraryLog::OfProcess().TakeLooks()) Apply(std::move(look));
  Apply(std::move(own));  // does nothing if `own` is empty
  known_until_ns_ = std::max(known_until_ns_, begun_ns);
}

// Applies a look. Looks come nearly in order. A look that is older than the last applied one shows
// nothing new, so it is skipped.
void LibraryHistory::Apply(LibraryLook look) {
  if (Sum(look.counts) <= Sum(counts_)) return;
  counts_ = look.counts;
  map_ = LibraryMap::Of(std::move(look.objects));
  std::map<uint64_t, Loaded> before = std::exchange(loaded_, {});
  bool has_new = false;
  for (const Library& library : map_.libraries()) {
    const auto known = before.find(library.base);
    if (known != before.end() && known->second.code->library == library) {
      loaded_.insert(before.extract(known));
    } else {
      loaded_.insert_or_assign(library.base, Loaded{CodeOf(library), known_until_ns_});
      has_new = true;
    }
  }
  if (has_new) NoteChange(known_until_ns_);
  for (const auto& [base, gone] : before) End(gone, look.ended_ns);
  if (!before.empty()) NoteChange(look.ended_ns);
  known_until_ns_ = std::max(known_until_ns_, look.ended_ns);
}

// Returns the known LoadedCode if the same library was at the same address before, else a new
// LoadedCode. A library without a build id always gets a new one, because another file can have the
// same path.
LibraryHistory::Code LibraryHistory::CodeOf(const Library& library) {
  const auto [first, last] = all_.equal_range(library.base);
  for (auto entry = first; entry != last; ++entry) {
    Code known = entry->second.lock();
    if (known == nullptr || !(known->library == library) || library.build_id.empty()) continue;
    if (known->image == nullptr) unkept_.push_back(known);
    return known;
  }
  auto code = std::make_shared<LoadedCode>();
  code->id = ++last_id_;
  code->library = library;
  all_.emplace(library.base, code);
  unkept_.push_back(code);
  new_.push_back(code);
  return code;
}

void LibraryHistory::End(const Loaded& loaded, Nanos to_ns) {
  for (const AddressRange& range : loaded.code->library.executable) {
    AddPast(range.begin, {range.end, loaded.from_ns, to_ns, loaded.code});
  }
  unloaded_.emplace_back(to_ns, loaded.code);
}

void LibraryHistory::AddPast(uint64_t begin, Past past) {
  past_until_ns_ = std::max(past_until_ns_, past.to_ns);
  longest_past_ = std::max(longest_past_, past.end - begin);
  std::deque<Past>& here = past_[begin];
  if (!here.empty() && here.back().code == past.code &&
      HadNoOtherLibrary(begin, past.end, here.back().to_ns)) {
    here.back().to_ns = past.to_ns;
    return;
  }
  here.push_back(std::move(past));
  past_begins_.push_back(begin);
  if (past_begins_.size() > kMaxPast) ForgetOldest();
}

// True if no library with addresses in [begin, end) has been unloaded since `since_ns`.
bool LibraryHistory::HadNoOtherLibrary(uint64_t begin, uint64_t end, Nanos since_ns) const {
  for (auto range = past_.lower_bound(begin - std::min(begin, longest_past_));
       range != past_.end() && range->first < end; ++range) {
    if (range->second.empty() || range->second.back().to_ns <= since_ns) continue;
    const bool overlaps =
        std::ranges::any_of(range->second, [&](const Past& past) { return begin < past.end; });
    if (overlaps) return false;
  }
  return true;
}

void LibraryHistory::ForgetOldest() {
  const auto oldest = past_.find(past_begins_.front());
  past_begins_.pop_front();
  JPROF_CHECK(oldest != past_.end() && !oldest->second.empty());
  forgotten_ns_ = std::max(forgotten_ns_, oldest->second.front().to_ns);
  oldest->second.pop_front();
  if (oldest->second.empty()) past_.erase(oldest);
}

void LibraryHistory::NoteChange(Nanos time_ns) {
  if (!changes_.empty() && changes_.back() >= time_ns) return;
  changes_.push_back(time_ns);
  if (changes_.size() <= kMaxChanges) return;
  changes_.pop_front();
  ++dropped_changes_;
}

uint64_t LibraryHistory::EraAt(Nanos time_ns) const {
  if (changes_.empty() || changes_.back() <= time_ns) return dropped_changes_ + changes_.size();
  const auto after = std::ranges::upper_bound(changes_, time_ns);
  return dropped_changes_ + static_cast<uint64_t>(after - changes_.begin());
}

const LibraryHistory::Past* LibraryHistory::FindPast(Pc pc, Nanos time_ns) const {
  if (time_ns >= past_until_ns_) return nullptr;
  const Past* found = nullptr;
  for (auto range = past_.upper_bound(Value(pc)); range != past_.begin();) {
    --range;
    if (Value(pc) - range->first >= longest_past_) break;
    const auto& all = range->second;
    const auto past = std::ranges::upper_bound(all, time_ns, {}, &Past::to_ns);
    if (past == all.end() || past->from_ns > time_ns || Value(pc) >= past->end) continue;
    if (found == nullptr || past->from_ns < found->from_ns) found = &*past;
  }
  return found;
}

std::shared_ptr<const LoadedCode> LibraryHistory::At(Pc pc, Nanos time_ns) const {
  if (const Past* past = FindPast(pc, time_ns)) return past->code;
  const Library* library = map_.Find(pc);
  if (library == nullptr) return nullptr;
  const Loaded& loaded = loaded_.at(library->base);
  return loaded.from_ns <= time_ns ? loaded.code : nullptr;
}

void LibraryHistory::KeepFiles() {
  files_.TakeOpened(MonotonicNanos());
  for (const Code& code : std::exchange(unkept_, {})) {
    code->image = files_.Keep(code->library);
  }
}

std::vector<Library> LibraryHistory::TakeNew() {
  std::vector<Library> libraries;
  for (const Code& code : std::exchange(new_, {})) libraries.push_back(code->library);
  return libraries;
}

void LibraryHistory::BeginFile() {
  new_.clear();
  for (const auto& [base, loaded] : loaded_) new_.push_back(loaded.code);
}

std::vector<LibraryHistory::Code> LibraryHistory::TakeUnloaded() {
  const Nanos before_ns = MonotonicNanos() - kKeptAfterUnload;
  std::vector<Code> taken;
  for (; !unloaded_.empty() && unloaded_.front().first < before_ns; unloaded_.pop_front()) {
    const Code& code = unloaded_.front().second;
    const auto loaded = loaded_.find(code->library.base);
    const bool is_loaded_again = loaded != loaded_.end() && loaded->second.code == code;
    if (!is_loaded_again) taken.push_back(code);
  }
  return taken;
}

void LibraryHistory::BeginChunk() {
  std::erase_if(all_, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace jprof
