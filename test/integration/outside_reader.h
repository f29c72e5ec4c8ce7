// OutsideReader: what a reader in another process sees of trace contexts, from the text of the
// OpenTelemetry proposals 4719 (process context) and 4947 (thread context) alone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jprof::test {

struct OutsideProcessContext {
  std::string mapping;  // its line in /proc/PID/maps
  uint32_t version = 0;
  uint64_t published_at_ns = 0;
  std::string schema;
  std::vector<std::string> key_map;
};

struct OutsideThreadContext {
  std::string trace_id;  // in hex
  std::string span_id;
  int valid = 0;
  int flags = 0;
  std::map<int, std::string> attributes;  // the last of a key
};

class OutsideReader {
 public:
  // `library`: the file with the symbol otel_thread_ctx_v1.
  OutsideReader(pid_t pid, std::string library) : pid_(pid), library_(std::move(library)) {}

  // nullopt: the process has none.
  std::optional<OutsideProcessContext> Process() const;

  // By tid, of threads whose pointer is set. Stops each thread for a moment.
  std::map<pid_t, OutsideThreadContext> Threads() const;

  // Of one of them; nullopt: its pointer is not set.
  std::optional<OutsideThreadContext> Thread(pid_t tid) const;

  // What is wrong with the symbol in the file; empty: nothing.
  std::string CheckSymbol() const;

 private:
  template <typename T>
  T Read(uint64_t address) const;
  std::string ReadBytes(uint64_t address, size_t size) const;
  // Of the variable from the thread pointer, as the dynamic linker has resolved it.
  std::optional<int64_t> OffsetFromThreadPointer() const;
  std::optional<int64_t> FindOffset() const;
  std::optional<OutsideThreadContext> ReadThread(pid_t tid, int64_t offset) const;
  OutsideThreadContext ReadRecord(uint64_t address) const;

  const pid_t pid_;
  const std::string library_;
  mutable std::optional<int64_t> offset_;
};

}  // namespace jprof::test
