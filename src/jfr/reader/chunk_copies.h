// ChunkCopies: which chunks of recordings are copies of others, as in a dump beside the whole
// recording, in copies of one file, and where one file was joined twice.
//
// A chunk is a copy if another one begins at the same time and tick, and goes on with the same bytes
// behind the header: a copy of a chunk that was still being written is shorter. One thread. Reads
// all headers, and the bytes of chunks that begin at the same time and tick. Nothing in the files is
// trusted: what looks like a copy and is none of the longest few chunks of that begin is read.
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
  // Opens file `number` of several; it is opened more than once.
  using OpenFile = std::function<Result<RecordingFile>(size_t number)>;

  // Fails if a file cannot be opened.
  static Result<ChunkCopies> Find(size_t files, const OpenFile& open);

  // The offsets of the chunks of a file that are copies of chunks elsewhere.
  const std::set<int64_t>& Of(size_t file) const { return files_[file].copies; }

  // Whether a file has chunks, and all of them are copies.
  bool HasNothingElse(size_t file) const;

  // A line for each file that has copies: "2 of the 3 chunks of 'b.jfr' are in 'a.jfr' too: …".
  std::vector<std::string> Notes() const;

 private:
  struct File {
    std::string name;
    size_t chunks = 0;
    std::set<int64_t> copies = {};
    size_t original = 0;  // the file that has the first of them
  };

  std::vector<File> files_;
};

}  // namespace jprof::profile
