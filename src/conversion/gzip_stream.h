// GzipStream: an OutputStream that compresses its bytes. Not part of the agent. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "formats/output_stream.h"

struct z_stream_s;  // NOLINT(readability-identifier-naming): a name of zlib

namespace jprof {

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
