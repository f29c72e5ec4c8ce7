#include "elf/library_map.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <span>

#include "elf/elf_image.h"
#include "os/loaded_objects.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

Library Describe(std::string path, uint64_t load_bias, std::string build_id,
                 std::span<const ElfW(Phdr)> headers) {
  Library library;
  library.path = std::move(path);
  library.load_bias = load_bias;
  library.build_id = std::move(build_id);
  library.base = UINT64_MAX;
  for (const ElfW(Phdr) & header : headers) {
    const uint64_t begin = load_bias + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      library.base = std::min(library.base, begin);
      library.top = std::max(library.top, begin + header.p_memsz);
      if ((header.p_flags & PF_X) != 0) {
        library.executable.push_back({begin, begin + header.p_memsz});
      }
    } else if (header.p_type == PT_GNU_EH_FRAME) {
      library.frame_header = {begin, begin + header.p_memsz};
    } else if (header.p_type == PT_DYNAMIC) {
      library.dynamic = {begin, begin + header.p_memsz};
    }
  }
  if (library.top == 0) library.base = 0;
  for (const ElfW(Phdr) & header : headers) {
    const uint64_t begin = load_bias + header.p_vaddr;
    const AddressRange segment = {begin, begin + header.p_memsz};
    const uint64_t frames = library.frame_header.begin;
    if (header.p_type == PT_LOAD && segment.begin <= frames && frames < segment.end) {
      library.frame_segment = segment;
    }
  }
  return library;
}

std::string PathOfExecutable() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "/proc/self/exe";
}

Library DescribeVdso(uint64_t address) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(address);
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(address + header->e_phoff);
  uint64_t load_bias = address;
  for (size_t i = 0; i < header->e_phnum; ++i) {
    if (headers[i].p_type != PT_LOAD) continue;
    load_bias = address + headers[i].p_offset - headers[i].p_vaddr;
    break;
  }
  dl_phdr_info info = {};
  info.dlpi_addr = load_bias;
  info.dlpi_phdr = headers;
  info.dlpi_phnum = header->e_phnum;
  return Describe(kVdsoPath, load_bias, BuildIdText(ReadBuildId(info)), {headers, header->e_phnum});
}

}  // namespace

LibraryMap LibraryMap::Of(std::vector<ObjectCopy> objects) {
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);  // address of the vDSO's ELF header; 0: none
  std::vector<Library> libraries;
  for (ObjectCopy& object : objects) {
    if (object.path.empty() && libraries.empty()) object.path = PathOfExecutable();
    Library library = Describe(std::move(object.path), object.load_bias,
                               BuildIdText(object.build_id), object.headers);
    // The vDSO is added below, because some C libraries do not list it, and others give it
    // different names.
    const bool is_vdso = library.base <= vdso && vdso < library.top;
    if (!is_vdso) libraries.push_back(std::move(library));
  }
  if (vdso != 0) libraries.push_back(DescribeVdso(vdso));
  return LibraryMap(std::move(libraries));
}

bool LibraryMap::CopyWhileLoaded(const Library& library, const AddressRange& range,
                                 std::vector<uint8_t>* bytes) {
  bytes->resize(range.end - range.begin);
  if (library.path == kVdsoPath) {  // the vDSO is never unloaded
    bytes->resize(CopyLoaded(range.begin, *bytes));
    return true;
  }
  // This copy only brings the pages from the disk into memory. It makes the next copy, for which
  // the dynamic linker's lock is held, short.
  SafeCopy(bytes->data(), reinterpret_cast<const void*>(range.begin), bytes->size());
  const std::optional<size_t> copied =
      jprof::CopyWhileLoaded({library.base, library.top, library.build_id}, range.begin, *bytes);
  bytes->resize(copied.value_or(0));
  return copied.has_value();
}

LibraryMap::LibraryMap(std::vector<Library> libraries) : libraries_(std::move(libraries)) {
  for (size_t i = 0; i < libraries_.size(); ++i) {
    for (const AddressRange& range : libraries_[i].executable) segments_.push_back({range, i});
  }
  std::ranges::sort(segments_, {}, [](const Segment& segment) { return segment.range.begin; });
}

const Library* LibraryMap::Find(Pc pc) const {
  const auto above = std::ranges::upper_bound(
      segments_, Value(pc), {}, [](const Segment& segment) { return segment.range.begin; });
  if (above == segments_.begin()) return nullptr;
  const Segment& segment = *std::prev(above);
  return Value(pc) < segment.range.end ? &libraries_[segment.library] : nullptr;
}

}  // namespace jprof
