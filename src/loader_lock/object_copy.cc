#include "loader_lock/object_copy.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "loader_lock/import_slots.h"
#include "loader_lock/object_walk.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

// Appends `count` elements after the first `used` elements of `memory`, if there is room for all of
// them. Adds `count` to `used` even if there is no room.
template <typename T>
MemoryPart Append(const T* from, size_t count, std::span<T> memory, size_t& used) {
  if (used <= memory.size() && count <= memory.size() - used) {
    std::copy(from, from + count, memory.data() + used);
  }
  const MemoryPart part{used, count};
  used += count;
  return part;
}

// True if `digits` are the bytes in lower-case hexadecimal.
bool IsHexOf(std::string_view digits, std::string_view bytes) {
  if (digits.size() != 2 * bytes.size()) return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (digits[2 * i] != kHexDigits[byte >> 4] || digits[2 * i + 1] != kHexDigits[byte & 15]) {
      return false;
    }
  }
  return true;
}

bool Is(const ObjectIdentity& object, const dl_phdr_info& info) {
  const ObjectExtent extent = LoadedObject(info).Extent();
  return extent.begin == object.base && extent.end == object.top &&
         IsHexOf(object.build_id, ReadBuildId(info));
}

size_t PaddedToFour(uint32_t size) { return (size_t{size} + 3) & ~size_t{3}; }

}  // namespace

std::string_view FindBuildIdNote(std::string_view notes) {
  static constexpr std::string_view kGnu("GNU\0", 4);
  Elf64_Nhdr header;
  while (notes.size() >= sizeof header) {
    memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const size_t name_size = PaddedToFour(header.n_namesz);
    if (name_size > notes.size() || header.n_descsz > notes.size() - name_size) break;
    const std::string_view name(notes.data(), header.n_namesz);
    const std::string_view description(notes.data() + name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && name == kGnu) return description;
    const size_t entry_size = name_size + PaddedToFour(header.n_descsz);
    if (entry_size > notes.size()) break;
    notes.remove_prefix(entry_size);
  }
  return {};
}

std::string_view ReadBuildId(const dl_phdr_info& info) {
  // Checks ranges: memory outside of the segments might be unmapped.
  const LoadedObject object(info);
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_NOTE || !object.Holds(begin, header.p_memsz, PF_R)) continue;
    const std::string_view id =
        FindBuildIdNote({reinterpret_cast<const char*>(begin), header.p_memsz});
    if (!id.empty()) return id;
  }
  return {};
}

LoadCounts ReadLoadCounts() {
  LoadCounts counts;
  ForEachObject([&](const dl_phdr_info& info) {
    counts = {info.dlpi_adds, info.dlpi_subs};
    return false;  // the counts are the same for every object
  });
  return counts;
}

ObjectSizes CopyObjects(const ObjectMemory& memory) {
  ObjectSizes used;
  ForEachObject([&](const dl_phdr_info& info) {
    const std::string_view path(info.dlpi_name != nullptr ? info.dlpi_name : "");
    const std::string_view build_id = ReadBuildId(info);
    const ObjectRecord record = {
        info.dlpi_addr, Append(info.dlpi_phdr, info.dlpi_phnum, memory.headers, used.headers),
        Append(path.data(), path.size(), memory.text, used.text),
        Append(build_id.data(), build_id.size(), memory.text, used.text)};
    used.counts = {info.dlpi_adds, info.dlpi_subs};
    Append(&record, 1, memory.objects, used.objects);
    return true;
  });
  return used;
}

std::optional<size_t> CopyWhileLoaded(const ObjectIdentity& object, uint64_t from,
                                      std::span<uint8_t> to) {
  std::optional<size_t> copied;
  ForEachObject([&](const dl_phdr_info& info) {
    if (Is(object, info)) copied = CopyLoaded(from, to);
    return !copied;
  });
  return copied;
}

size_t CopyLoaded(uint64_t from, std::span<uint8_t> to) {
  const void* const memory = reinterpret_cast<const void*>(from);
  const SafeCopyResult copy = TrySafeCopy(to.data(), memory, to.size());
  if (copy.outcome != SafeLoadOutcome::kForbidden) return copy.copied;
  memcpy(to.data(), memory, to.size());
  return to.size();
}

}  // namespace jprof
