// KeptFiles keeps the symbols of loaded libraries, whatever happens to their files.
//
// A program can extract a library, load it, and delete the file at once or at its exit. So the file
// is kept open from the first time the library is seen. There are three ways to open it, tried in
// this order: the descriptor that was opened before the program's dlopen (library_log.h); the
// library's path; and its entry in /proc/self/map_files, which the kernel lets only few users open
// (CAP_CHECKPOINT_RESTORE in the first user namespace). If all three fail, the exported symbols are
// copied from memory.
//
// Keeps at most kMaxDescriptors descriptors, at most an eighth of the descriptors that the process
// may open, and at most kMaxCopied bytes of symbols. A library for which there is no room is opened
// by its path when its symbols are needed. Files are never trusted: an opened file is used only if
// it is the file that was loaded (IsImageOf).
//
// Used by one thread, outside signal handlers.
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

  // The image of a library. Until it is destroyed, it counts toward the bounds of the KeptFiles
  // that made it.
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

  // Takes from LibraryLog the files that were opened before a dlopen. Keeps each file for a second,
  // because its library might appear soon after the file.
  void TakeOpened(Nanos now_ns);

  // Returns an image with the symbols of the library. Returns nullptr for the vDSO, if there is no
  // room, or if neither the library's file nor its memory can be read. REQUIRES: this object
  // outlives the image.
  std::unique_ptr<const Image> Keep(const Library& library);

 private:
  std::optional<ElfImage> OpenedBefore(const Library& library);

  const size_t max_descriptors_;
  size_t descriptors_ = 0;
  size_t copied_ = 0;
  std::deque<OpenedFile> opened_;  // oldest first
};

}  // namespace jprof
