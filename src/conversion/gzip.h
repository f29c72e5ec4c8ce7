// Gunzip unpacks a gzip file. It needs memory for two buffers and for the window of zlib.
// GzipStream is an OutputStream that compresses its bytes.
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
  std::string missing;  // one line about a truncated or damaged end; empty if the file is whole
};

// Unpacks all members of a gzip file to the descriptor `to`. The file consists of `head`, which was
// already read, and of the rest of the descriptor `from`. `name` is the name of the file in
// messages. Fails if the unpacked file has no bytes or more than `most`.
Result<GunzipReport> Gunzip(std::string head, int from, int to, const std::string& name,
                            uint64_t most);

class GzipStream : public OutputStream {
 public:
  // `fd` and `name` are as for OutputStream. The stream writes one gzip member to `fd`. The member
  // is complete once Finish has returned.
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
