#include "os/loaded_objects.h"

#include <algorithm>

namespace jprof {
namespace {

template <typename T>
auto Part(const std::vector<T>& memory, const MemoryPart& part) {
  const auto begin = memory.begin() + static_cast<ptrdiff_t>(part.begin);
  return std::pair(begin, begin + static_cast<ptrdiff_t>(part.size));
}

// Enlarges `memory` if it has fewer than `size` elements, and adds room for objects that are loaded
// before the next attempt. Returns true if it was enlarged.
template <typename T>
bool Grow(std::vector<T>& memory, size_t size) {
  if (size <= memory.size()) return false;
  memory.resize(size + size / 4);
  return true;
}

}  // namespace

std::vector<ObjectCopy> LoadedObjects(LoadCounts* counts) {
  std::vector<ObjectRecord> records(64);
  std::vector<ElfW(Phdr)> headers(64 * 12);
  std::vector<char> text(64 * 128);
  ObjectSizes sizes;
  bool has_grown = true;
  while (has_grown) {
    sizes = CopyObjects({records, headers, text});
    const bool have_grown[] = {Grow(records, sizes.objects), Grow(headers, sizes.headers),
                               Grow(text, sizes.text)};
    has_grown = std::ranges::find(have_grown, true) != std::end(have_grown);
  }
  if (counts != nullptr) *counts = sizes.counts;
  records.resize(sizes.objects);
  std::vector<ObjectCopy> objects;
  objects.reserve(records.size());
  for (const ObjectRecord& record : records) {
    const auto [path, path_end] = Part(text, record.path);
    const auto [header, header_end] = Part(headers, record.headers);
    const auto [build_id, build_id_end] = Part(text, record.build_id);
    objects.push_back(
        {record.load_bias, {path, path_end}, {header, header_end}, {build_id, build_id_end}});
  }
  return objects;
}

}  // namespace jprof
