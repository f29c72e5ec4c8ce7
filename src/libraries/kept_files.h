// KeptFiles: the symbols of loaded libraries, whatever becomes of their files.
//
// A program may extract a library, load it and delete the file at once, or at its exit. So the file
// is kept open from the first sight on: first of all through the descriptor that was opened before
// the program's dlopen returned (library_log.h), else by the library's path, else as the kernel has
// it in /proc/self/map_files, which it opens for few users (CAP_CHECKPOINT_RESTORE in the first
// user namespace). Where all fail, the exported symbols are copied from memory.
//
// One thread, outside handlers. Bounded: kMaxDescriptors, and no more than an eighth of what the
// process may open; kMaxCopied bytes of symbols. A library without room is looked for by its path
// when its symbols are needed. Files are never trusted: what was opened counts if it is the file
// that was loaded (IsImageOf).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "elf/elf_image.h"
#include "elf/library_map.h"
#include "libraries/library_log.h"

namespace jprof {

class KeptFiles {
 public:
  static constexpr size_t kMaxDescriptors = 256;
  static constexpr size_t kMaxCopied = 64 << 20;

  // An image, and its share of the bounds until it is destroyed.
  class Image {
   public:
    ~Image() { share_ -= cost_; }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    const ElfImage& elf() const { return elf_; }

   private:
    friend class KeptFiles;
    Image(ElfImage elf, size_t& share, size_t cost)
        : elf_(std::move(elf)), share_(share), cost_(cost) {
      share_ += cost_;
    }

    const ElfImage elf_;
    size_t& share_;
    const size_t cost_;
  };

  KeptFiles();

  // Takes the files that were opened before a dlopen. They are kept for a moment, for the libraries
  // that are seen soon after.
  void TakeOpened(Nanos now_ns);

  // nullptr: no room, or nothing is known but the path. REQUIRES: this outlives the image.
  std::unique_ptr<const Image> Keep(const Library& library);

 private:
  std::optional<ElfImage> OpenedBefore(const Library& library);

  const size_t max_descriptors_;
  size_t descriptors_ = 0;
  size_t copied_ = 0;
  std::deque<OpenedFile> opened_;  // oldest first
};

}  // namespace jprof
