// SpanRecording writes a recording of samples and scopes of spans, like one with the options
// context, spans and attributes=tenant. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jfr/writer/jfr_writer.h"

namespace jprof::test {

struct SpanTags {
  int64_t span = 0, root = 0;
  std::string tenant = {};
};

class SpanRecording {
 public:
  // Starts a recording at time 0.
  explicit SpanRecording(const std::string& path);

  // Adds a CPU sample of 10 ms in A.run.
  void Sample(int64_t at_ms, const SpanTags& tags, int thread = 1);
  void Scope(int64_t from_ms, int64_t to_ms, const SpanTags& tags);

  // Completes the file. Call once, after all other functions.
  void Seal(int64_t at_ms);

 private:
  uint32_t Thread(int number);

  std::unique_ptr<JfrWriter> writer_;
  uint32_t stack_ = 0;
};

}  // namespace jprof::test
