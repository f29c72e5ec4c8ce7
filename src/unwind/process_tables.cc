#include "unwind/process_tables.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/log.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Computes two hashes that differ in their factors. Adding a word to both takes a few cycles.
class Hasher {
 public:
  void Add(uint64_t word) {
    hash_.first = (hash_.first ^ word ^ hash_.first >> 29) * 0x9e3779b97f4a7c15;
    hash_.second = (hash_.second ^ word ^ hash_.second >> 31) * 0xd6e8feb86659fd93;
  }

  void Add(std::span<const uint8_t> bytes) {
    Add(bytes.size());
    uint64_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
      memcpy(&word, bytes.data(), sizeof word);
      Add(word);
    }
    word = 0;
    if (!bytes.empty()) memcpy(&word, bytes.data(), bytes.size());
    Add(word);
  }

  FrameFingerprint hash() const { return hash_; }

 private:
  FrameFingerprint hash_{1, 1};
};

// Returns the bytes of the section up to the end of the last function's entry. The bytes after that
// entry can be other data, which change while the program runs.
std::span<const uint8_t> EntriesOf(const FrameIndex& index, FrameFormat format) {
  const std::span<const uint8_t> bytes = std::span(index.image.bytes).subspan(index.section);
  uint64_t last = 0;
  for (const uint64_t function : index.functions) {
    if (function < bytes.size()) last = std::max(last, function);
  }
  const FrameSection section(bytes, 0, format);
  return bytes.first(section.Next(last).value_or(bytes.size()));
}

void AddIndex(const FrameIndex& index, FrameFormat format, uint64_t load_bias, Hasher* hasher) {
  hasher->Add(index.image.address + index.section - load_bias);
  hasher->Add(index.functions.size());
  if (index.functions.empty()) return;
  for (const uint64_t function : index.functions) hasher->Add(function);
  hasher->Add(EntriesOf(index, format));
}

// The interval at which finished tables are published while further tables are being compiled.
constexpr Nanos kPublishEvery = kNanosPerSecond / 100;

constexpr size_t kMaxBytes = 128 << 20;  // size of all tables; no more are compiled beyond it

uint64_t CodeSize(const Library& library) {
  uint64_t size = 0;
  for (const AddressRange& range : library.executable) size += range.end - range.begin;
  return size;
}

}  // namespace

FrameFingerprint FingerprintOf(const Library& library, const FrameIndexes& frames) {
  Hasher hasher;
  hasher.Add(library.executable.size());
  for (const AddressRange& code : library.executable) {
    hasher.Add(code.begin - library.load_bias);
    hasher.Add(code.end - code.begin);
  }
  AddIndex(frames.eh_frame, FrameFormat::kEhFrame, library.load_bias, &hasher);
  AddIndex(frames.debug_frame, FrameFormat::kDebugFrame, 0, &hasher);
  return hasher.hash();
}

ProcessTables& ProcessTables::OfProcess() {
  static auto* const tables = new ProcessTables;
  return *tables;
}

bool ProcessTables::Update(const IsCancelled& is_cancelled) {
  bool has_changed = false;
  {
    const std::lock_guard lock(mutex_);
    has_changed = generation_ != ReadLoadCounts();
    if (has_changed) AddNew();
    CompileMissing(is_cancelled);
  }
  if (has_unloaded_.load(std::memory_order_seq_cst)) RemoveUnloaded();
  return has_changed;
}

void ProcessTables::AddNew() {
  generation_ = ReadLoadCounts();
  removed_unloads_ = generation_->unloads;
  for (Library& library : FindNew(LibraryMap::Snapshot())) {
    const uint64_t base = library.base;
    loaded_.emplace(base, LoadedObject{std::move(library), nullptr});
  }
  Publish();
}

void ProcessTables::CompileMissing(const IsCancelled& is_cancelled) {
  const bool wants_all = NativeCode::OfProcess().WantsTables();
  std::vector<Library> missing;
  for (const auto& [base, object] : loaded_) {
    const bool is_wanted = wants_all || object.library.frame_header.begin == 0;
    if (object.tables == nullptr && is_wanted) missing.push_back(object.library);
  }
  std::ranges::sort(missing, {}, CodeSize);
  Nanos published = MonotonicNanos();
  for (const Library& library : missing) {
    Identify(library, is_cancelled);
    if (is_cancelled()) return;
    if (MonotonicNanos() - published < kPublishEvery) continue;
    RemoveAndPublish();
    published = MonotonicNanos();
  }
  if (!missing.empty()) RemoveAndPublish();
}

void ProcessTables::RemoveUnloaded() {
  has_unloaded_.store(true, std::memory_order_seq_cst);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  has_unloaded_.store(false, std::memory_order_seq_cst);
  RemoveAndPublish();
}

// Does not look at objects that were loaded after the snapshot of AddNew: the next Update finds
// them.
void ProcessTables::RemoveAndPublish() {
  const uint64_t unloads = ReadLoadCounts().unloads;
  if (unloads != removed_unloads_) {
    removed_unloads_ = unloads;
    static_cast<void>(FindNew(LibraryMap::Snapshot()));
  }
  Publish();
}

UnwindTotals ProcessTables::Totals() {
  const std::lock_guard lock(mutex_);
  return totals_;
}

std::vector<Library> ProcessTables::FindNew(const LibraryMap& map) {
  std::map<uint64_t, LoadedObject> still_loaded;
  std::vector<Library> added;
  for (const Library& library : map.libraries()) {
    const auto known = loaded_.find(library.base);
    if (known != loaded_.end() && known->second.library == library) {
      still_loaded.insert(*known);
    } else if (!library.executable.empty()) {
      added.push_back(library);
    }
  }
  loaded_ = std::move(still_loaded);
  return added;
}

void ProcessTables::Publish() const {
  std::vector<CodeRange> ranges;
  for (const auto& [base, object] : loaded_) {
    const std::vector<AddressRange>& code = object.library.executable;
    for (size_t i = 0; i < code.size(); ++i) {
      CodeRange range{code[i].begin, code[i].end};
      if (object.tables == nullptr) {
        range.frame_header = object.library.frame_header.begin;
      } else if (i < object.tables->size()) {
        range.table = (*object.tables)[i];
      }
      if (range.has_rules()) ranges.push_back(range);
    }
  }
  std::ranges::sort(ranges, {}, &CodeRange::begin);
  NativeCode::OfProcess().Publish(ranges.data(), ranges.size());
}

void ProcessTables::Identify(const Library& library, const IsCancelled& is_cancelled) {
  static const Tables none;
  const Result<const Tables*> tables = TablesOf(library, is_cancelled);
  if (!tables) {
    // The object may have been unloaded meanwhile, or loaded again. In both cases the next Update
    // tries again.
    if (is_cancelled() || ReadLoadCounts() != generation_) return;
    Log::Debug("native frames of %s cannot be walked: %s", library.path.c_str(),
               tables.error().message().c_str());
  }
  const auto object = loaded_.find(library.base);
  if (object == loaded_.end() || object->second.library != library) return;
  object->second.tables = tables ? tables.value() : &none;
}

Result<const ProcessTables::Tables*> ProcessTables::TablesOf(const Library& library,
                                                             const IsCancelled& is_cancelled) {
  const Nanos begun = MonotonicNanos();
  const Result<FrameIndexes> frames = IndexFrames(library);
  if (!frames) return frames.error();
  const FrameFingerprint fingerprint = FingerprintOf(library, frames.value());
  const auto made = tables_.find(fingerprint);
  if (made != tables_.end()) return &made->second;
  if (totals_.bytes > kMaxBytes) return Error("all tables together are too large");
  Result<std::vector<BuiltTable>> compiled =
      CompileUnwindTables(library, frames.value(), is_cancelled);
  if (!compiled) return compiled.error();
  const Tables& kept =
      tables_.emplace(fingerprint, Keep(std::move(compiled).value())).first->second;
  Log::Debug("unwind tables of %s compiled in %lld us", library.path.c_str(),
             static_cast<long long>((MonotonicNanos() - begun) / 1000));
  return &kept;
}

ProcessTables::Tables ProcessTables::Keep(std::vector<BuiltTable> compiled) {
  Tables tables;
  for (BuiltTable& built : compiled) {
    built.pages.Leak();  // a signal handler can read the table at any time
    tables.push_back(built.table);
    totals_.rows += built.rows;
    totals_.bytes += built.bytes;
  }
  ++totals_.objects;
  return tables;
}

}  // namespace jprof
