// Gunzip: unpacks a gzip file. Memory: two buffers, and zlib's window.
// GzipStream: an OutputStream that compresses its bytes.
//
// Not part of the agent. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "formats/output_stream.h"

struct z_stream_s;  // NOLINT(readability-identifier-naming): a name of zlib

namespace jprof {

struct GunzipReport {
  uint64_t bytes = 0;
  std::string missing;  // one line about a truncated or damaged end; empty: the file is whole
};

// Unpacks all members of a gzip file to `to`. The file consists of `head` and of what `from` has
// from its current position on. `name`: of the file, for messages. Fails if the unpacked file has
// no bytes or more than `most`.
Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most);

class GzipStream : public OutputStream {
 public:
  // As OutputStream: `fd` gets one gzip member, which is complete after Finish.
  GzipStream(int fd, std::string name);
  ~GzipStream() override;

 protected:
  Status Deliver(std::string_view bytes) override;
  Status End() override;

 private:
  Status Deflate(std::string_view bytes, int flush);

  std::unique_ptr<z_stream_s> stream_;
  bool is_ready_ = false;
};

}  // namespace jprof
