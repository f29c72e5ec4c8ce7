// ChunkCopies: finds the chunks that are copies of other chunks, in one or more recordings. Copies
// occur if the user passes a dump and the whole recording, several copies of a file, or a file to
// which another file was appended twice.
//
// Among chunks that start at the same time and tick, the longest is an original. Any other of these
// chunks is a copy if all its bytes after the header equal the bytes of an original at the same
// offsets. A copy can be shorter than the original, because a chunk can be copied while it is being
// written.
//
// Not thread-safe. Reads all headers, and the bytes of those chunks that share their start with
// another chunk. The files are not trusted, so the work is bounded: each chunk is compared with at
// most the four longest originals of the same start. A chunk that matches none of these counts as
// an original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "jfr/reader/recording_file.h"

namespace jprof::profile {

class ChunkCopies {
 public:
  // Opens the file `number`. Find can call it more than once for the same file.
  using OpenFile = std::function<Result<RecordingFile>(size_t number)>;

  // Finds the copies in the files 0 to `files` - 1. Fails if a file cannot be opened.
  static Result<ChunkCopies> Find(size_t files, const OpenFile& open);

  // Returns the offsets of the chunks in the file that are copies.
  const std::set<int64_t>& Of(size_t file) const { return files_[file].copies; }

  // True if the file has chunks and all of them are copies.
  bool HasOnlyCopies(size_t file) const;

  // Returns a line for each file with copies: "2 of the 3 chunks of 'b.jfr' are in 'a.jfr' too: …".
  std::vector<std::string> Notes() const;

 private:
  struct File {
    std::string name;
    size_t chunks = 0;
    std::set<int64_t> copies = {};
    size_t original = 0;  // number of the file with the original of the first copy
  };

  std::vector<File> files_;
};

}  // namespace jprof::profile
