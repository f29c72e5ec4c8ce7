#include "sigsafe/native/frame_lookup.h"

#include <cstring>
#include <optional>
#include <span>

#include "sigsafe/native/frame_program.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

// The first bytes of .eh_frame_hdr (Linux Standard Base Core 5.0, 10.6.2): the version; how the
// pointer to .eh_frame and the number of entries are encoded; and how the table of entries is
// encoded, namely by 4-byte offsets from the header.
constexpr uint8_t kHeader[] = {1, eh_pointer::kPcRelative | eh_pointer::kSdata4,
                               eh_pointer::kUdata4,
                               eh_pointer::kDataRelative | eh_pointer::kSdata4};
constexpr uint64_t kCountAt = 8;
constexpr uint64_t kTableAt = 12;
constexpr uint64_t kRow = 2 * sizeof(uint32_t);  // the start of a function, and its entry

constexpr size_t kMaxCommon = 128;     // bytes
constexpr size_t kMaxFunction = 2048;  // bytes
constexpr uint64_t kLength = sizeof(uint32_t);

// Reads the memory of a library.
class LibraryMemory {
 public:
  explicit LibraryMemory(LoadFaults faults) : faults_(faults) {}

  bool Copy(uint64_t address, uint8_t* to, size_t size) const {
    if (faults_ == LoadFaults::kFatal) {
      return SafeCopy(to, reinterpret_cast<const void*>(address), size) == size;
    }
    size_t done = 0;
    for (uint64_t word = 0; size - done >= sizeof word; done += sizeof word) {
      if (!GuardedLoad(address + done, &word)) return false;
      memcpy(to + done, &word, sizeof word);
    }
    for (; done < size; ++done) {
      if (!GuardedLoad(address + done, to + done)) return false;
    }
    return true;
  }

  // Loads a 4-byte offset from `base`.
  bool LoadOffset(uint64_t address, uint64_t base, uint64_t* target) const {
    uint32_t offset = 0;
    if (!Load(address, &offset)) return false;
    *target = base + static_cast<uint64_t>(int64_t{static_cast<int32_t>(offset)});
    return true;
  }

  bool Load(uint64_t address, uint32_t* value) const {
    return faults_ == LoadFaults::kCaught ? GuardedLoad(address, value)
                                          : SafeLoad(reinterpret_cast<void*>(address), value);
  }

 private:
  const LoadFaults faults_;
};

// A copy of one entry.
template <size_t kMax>
class EntryCopy {
 public:
  // Copies the entry at `address`. Returns false if it is unreadable or larger than kMax.
  bool Read(const LibraryMemory& memory, uint64_t address) {
    uint32_t length = 0;
    address_ = address;
    if (!memory.Load(address, &length) || length > kMax - kLength) return false;
    size_ = kLength + length;
    return memory.Copy(address, bytes_, size_);
  }

  std::optional<FrameEntry> Parse() const {
    return ParseEntry(FrameBytes(std::span(bytes_, size_), address_), FrameFormat::kEhFrame);
  }

 private:
  uint64_t address_ = 0;
  size_t size_ = 0;
  uint8_t bytes_[kMax];
};

// Finds the entry of the last function that starts at or before `pc`.
bool FindEntry(const LibraryMemory& memory, uint64_t header, uint64_t pc, uint64_t* entry) {
  uint8_t begin[sizeof kHeader];
  uint32_t count = 0;
  if (!memory.Copy(header, begin, sizeof begin) || memcmp(begin, kHeader, sizeof begin) != 0 ||
      !memory.Load(header + kCountAt, &count)) {
    return false;
  }
  const auto row_at = [header](uint64_t row) { return header + kTableAt + row * kRow; };
  uint64_t low = 0;
  uint64_t high = count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    uint64_t start = 0;
    if (!memory.LoadOffset(row_at(middle), header, &start)) return false;
    if (start <= pc) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low != 0 && memory.LoadOffset(row_at(low - 1) + sizeof(uint32_t), header, entry);
}

}  // namespace

bool FindRuleInLibrary(uint64_t header, uint64_t pc, LoadFaults faults, UnwindRule* rule) {
  const LibraryMemory memory(faults);
  uint64_t at = 0;
  EntryCopy<kMaxFunction> function_copy;
  if (!FindEntry(memory, header, pc, &at) || !function_copy.Read(memory, at)) return false;
  const std::optional<FrameEntry> entry = function_copy.Parse();
  if (!entry || entry->is_common) return false;
  EntryCopy<kMaxCommon> common_copy;
  if (!common_copy.Read(memory, at + entry->common_offset)) return false;
  const std::optional<FrameEntry> common_entry = common_copy.Parse();
  if (!common_entry || !common_entry->is_common) return false;
  const std::optional<CommonFrame> common = ParseCommon(common_entry->content);
  if (!common) return false;
  const std::optional<FunctionFrame> function = ParseFunction(entry->content, *common);
  if (!function || pc < function->begin || pc >= function->end) return false;
  FrameProgram program(*function);
  RuleStart start;
  while (program.Next(&start) && start.address <= pc) *rule = start.rule;
  return true;
}

}  // namespace jprof
