// OutsideReader reads trace contexts from outside the process. It follows only the text of the
// OpenTelemetry proposals 4719 (process context) and 4947 (thread context).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jprof::test {

struct OutsideProcessContext {
  std::string mapping;  // line of its mapping in /proc/PID/maps
  uint32_t version = 0;
  uint64_t published_at_ns = 0;
  std::string schema;
  std::vector<std::string> key_map;
};

struct OutsideThreadContext {
  std::string trace_id;  // in hexadecimal digits, like span_id
  std::string span_id;
  int valid = 0;
  int flags = 0;
  std::map<int, std::string> attributes;  // last value of each key
};

class OutsideReader {
 public:
  // `library` is the file that defines the symbol otel_thread_ctx_v1.
  OutsideReader(pid_t pid, std::string library) : pid_(pid), library_(std::move(library)) {}

  // Returns the process context; nullopt if the process has none.
  std::optional<OutsideProcessContext> Process() const;

  // Returns the contexts of the threads whose pointer is set, by tid. Stops each thread for a
  // moment.
  std::map<pid_t, OutsideThreadContext> Threads() const;

  // Returns the context of one thread; nullopt if its pointer is not set.
  std::optional<OutsideThreadContext> Thread(pid_t tid) const;

  // Returns what is wrong with the symbol otel_thread_ctx_v1 in the file; empty if nothing is.
  std::string CheckSymbol() const;

 private:
  template <typename T>
  T Read(uint64_t address) const;
  std::string ReadBytes(uint64_t address, size_t size) const;
  // Returns the offset of the thread-local variable from the thread pointer, as the dynamic linker
  // has computed it.
  std::optional<int64_t> OffsetFromThreadPointer() const;
  std::optional<int64_t> FindOffset() const;
  std::optional<OutsideThreadContext> ReadThread(pid_t tid, int64_t offset) const;
  OutsideThreadContext ReadRecord(uint64_t address) const;

  const pid_t pid_;
  const std::string library_;
  mutable std::optional<int64_t> offset_;
};

}  // namespace jprof::test
