// ConstantPools: the constants of one recording file. Plain data in, key out; keys go into events.
//
// Called by the recorder's thread only. Lives as long as the file, over all its chunks.
//  1. Equal content has one key in a chunk, and a key is never reused for other content in the
//     file. 0 means "none". New keys ascend, except those of threads.
//  2. A chunk holds exactly the entries that its events reach (stack -> method -> class -> symbol,
//     loader ...): a key without events costs nothing in the file. FrameType and ThreadState are
//     small and always written whole.
//  3. Bounded by the requests of one chunk and the live threads: constants that a chunk does not
//     reach are dropped at its end, the others keep their keys in the next chunk.
//  4. Every stack key of a chunk resolves: a key without content is written without frames.
// Strings are UTF-8 (base/modified_utf8.h converts strings of JVMTI).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/constants.h"
#include "jfr/writer/key_table.h"
#include "jfr/writer/stack_trace_pool.h"
#include "jfr/writer/thread_table.h"

namespace jprof {

class JfrEncoder;

class ConstantPools {
 public:
  uint32_t Symbol(std::string_view utf8) { return symbols_.KeyOf(utf8); }
  uint32_t Class(const ClassConstant& constant);
  uint32_t Method(const MethodConstant& constant);
  uint32_t ClassLoader(const ClassLoaderConstant& constant);
  uint32_t ThreadGroup(const ThreadGroupConstant& constant);
  // 0 for an empty text.
  uint32_t GCName(std::string_view utf8) { return utf8.empty() ? 0 : gc_names_.KeyOf(utf8); }
  uint32_t GCCause(std::string_view utf8) { return utf8.empty() ? 0 : gc_causes_.KeyOf(utf8); }

  // The OS tid for a tid's first thread in this file (async-profiler prints the key as the tid), at
  // least 2^22 for later ones, virtual threads and threads whose names changed.
  uint32_t Thread(const ThreadConstant& constant);
  // The newest key of a platform thread; 0: it has none.
  uint32_t KnownThread(uint64_t serial) const { return threads_.Known(serial); }

  // At the first event of a trace in this chunk. Valid in this chunk only.
  uint32_t NewStackTraceKey() { return stacks_.NewKey(); }

  // Called at any time before the chunk is sealed; leaf first. The first content of a key stays.
  // REQUIRES: a key of this chunk.
  void SetStackTrace(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // The memory of the chunk's stacks so far.
  uint64_t StackBytes() const { return stacks_.bytes(); }

  // ---- for JfrWriter and its parts

  // Marks `key` as referenced by an event of the open chunk.
  void Reference(JfrType type, uint32_t key) {
    if (type == JfrType::kThread) {
      ReferenceGroup(threads_.Reference(key));
    } else {
      ReferenceRare(type, key);
    }
  }

  // Appends pool count and pools, the tail of a checkpoint. `spill` runs between entries and may
  // move the bytes of `out` elsewhere. Until BeginChunk, a second call writes the same bytes.
  void Write(JfrEncoder& out, const std::function<void()>& spill) const;

  // Drops the stacks of the previous chunk, and the constants that its events have not reached.
  void BeginChunk();

  // Between two chunks: drops platform threads with other serials.
  void KeepThreads(const std::unordered_set<uint64_t>& serials) { threads_.KeepOnly(serials); }

  // The number of constants with a key, without stacks.
  size_t size() const;

 private:
  struct ClassEntry {
    uint32_t loader_key, name_key, modifiers;
    bool hidden;
    bool operator==(const ClassEntry&) const = default;
    size_t Hash() const { return HashWords({loader_key, name_key, modifiers, hidden}); }
  };
  struct MethodEntry {
    uint32_t class_key, name_key, descriptor_key, modifiers;
    bool hidden;
    bool operator==(const MethodEntry&) const = default;
    size_t Hash() const {
      return HashWords({class_key, name_key, descriptor_key, modifiers, hidden});
    }
  };
  struct LoaderEntry {
    uint32_t class_key, name_key;
    bool operator==(const LoaderEntry&) const = default;
    size_t Hash() const { return HashWords({class_key, name_key}); }
  };
  struct GroupEntry {
    uint32_t parent_key, name_key;  // the file holds the name itself, not the symbol
    bool operator==(const GroupEntry&) const = default;
    size_t Hash() const { return HashWords({parent_key, name_key}); }
  };

  void ReferenceRare(JfrType type, uint32_t key);
  void ReferenceMethod(uint32_t key);
  void ReferenceClass(uint32_t key);
  void ReferenceGroup(uint32_t key);

  void WriteGroups(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteMethods(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteClasses(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteLoaders(JfrEncoder& out, const std::function<void()>& spill) const;
  void WriteSymbols(JfrEncoder& out, const std::function<void()>& spill) const;

  KeyTable<std::string> symbols_;
  KeyTable<ClassEntry> classes_;
  KeyTable<MethodEntry> methods_;
  KeyTable<LoaderEntry> loaders_;
  KeyTable<GroupEntry> groups_;
  KeyTable<std::string> gc_names_;
  KeyTable<std::string> gc_causes_;
  bool gc_when_is_referenced_ = false;
  ThreadTable threads_;
  StackTracePool stacks_;
};

}  // namespace jprof
