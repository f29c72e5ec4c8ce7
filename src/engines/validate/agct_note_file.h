// AgctNoteFile: the file that says at which stack AsyncGetCallTrace is being called
// (sigsafe/validation/agct_calls.h). It lies beside the recording, under its name with ".agct"
// appended, and goes when the recording stops. Where a call kills the JVM, it stays.
//
// Not thread-safe.
#pragma once

#include <string>
#include <utility>

#include "base/output_place.h"
#include "base/result.h"
#include "sigsafe/memory/region.h"

namespace jprof {

class AgctNoteFile {
 public:
  // Creates the file for the recording at the path, and maps it. Replaces a file that is left over.
  static Result<AgctNoteFile> Create(const std::string& recording);

  AgctNoteFile(AgctNoteFile&& other) noexcept;
  AgctNoteFile& operator=(AgctNoteFile&&) = delete;
  ~AgctNoteFile();  // unmaps the memory

  Region memory() const { return memory_; }

  // Removes the file; repeated calls have no effect. The memory stays.
  void Remove();

 private:
  AgctNoteFile(OutputPlace place, Region memory) : place_(std::move(place)), memory_(memory) {}

  OutputPlace place_;
  bool is_there_ = true;
  Region memory_;  // no data if moved from
};

}  // namespace jprof
