// ConstantPools: the constants of one recording file. Plain data in, key out; keys go into events.
//
// Called by the recorder's thread only. Lives as long as the file, over all its chunks.
//  1. Equal content has one key for the life of the file; a key is never reused for other content.
//     0 means "none". Keys are dense and ascending, except those of threads (below).
//  2. A chunk gets exactly the entries that its events reach (stack -> method -> class -> symbol,
//     loader ...), so asking for a key costs nothing in the file. FrameType and ThreadState are
//     written whole.
//  3. Every key in a chunk resolves: a stack whose content never came is written without frames.
// Strings are UTF-8 (base/modified_utf8.h converts what JVMTI hands out).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "recording/jfr/jfr_types.h"
#include "recording/jfr/key_table.h"
#include "recording/jfr/stack_trace_pool.h"
#include "recording/jfr/thread_pool.h"

namespace jprof {

class JfrEncoder;

// Values are keys in the file. State of a thread at a sample.
enum class ThreadState : uint32_t {
  kDefault = 1,   // STATE_DEFAULT: on CPU; what async-profiler's --cpu selects
  kRunnable = 2,  // STATE_RUNNABLE
  kSleeping = 3,  // STATE_SLEEPING
};

struct ClassConstant {
  std::string_view name;  // internal form: java/lang/String, [I
  uint32_t loader_key = 0;  // 0: the boot loader
  uint32_t modifiers = 0;
  bool hidden = false;  // JMC and `jfr print` leave frames of hidden classes out
};

// A native frame is a method whose class is named after the library and whose descriptor is "()L;"
// ("(Lk;)L;" in the kernel): an empty descriptor breaks `jfr print`.
struct MethodConstant {
  uint32_t class_key = 0;
  std::string_view name;
  std::string_view descriptor;
  uint32_t modifiers = 0;
  bool hidden = false;
};

struct ClassLoaderConstant {
  uint32_t class_key = 0;
  std::string_view name;
};

class ConstantPools {
 public:
  uint32_t Symbol(std::string_view utf8);
  uint32_t Class(const ClassConstant& constant);
  uint32_t Method(const MethodConstant& constant);
  uint32_t ClassLoader(const ClassLoaderConstant& constant);
  uint32_t ThreadGroup(uint32_t parent_key, std::string_view name);

  // The key is the OS tid for the first thread that a tid names in this file (async-profiler prints
  // the key as the tid), and at least 2^22 for later ones, virtual threads and renamed threads.
  uint32_t Thread(const ThreadConstant& constant) { return threads_.KeyOf(constant); }

  // At the first event of a trace in this chunk. Valid in this chunk only.
  uint32_t NewStackTraceKey() { return stacks_.NewKey(); }

  // Any time before the chunk is sealed; frames leaf first. The first content of a key stays.
  // REQUIRES: a key of this chunk.
  void SetStackTrace(uint32_t key, Truncated truncated, std::span<const FrameConstant> frames);

  // ---- for JfrWriter

  // Notes that an event of this chunk holds `key`. Keys of other types than Thread and Class stand
  // for themselves.
  void Reference(JfrType type, uint32_t key);

  // The body of a checkpoint: pool count and pools. `spill` is called between entries and may move
  // the bytes of `out` elsewhere. May be called again before BeginChunk, with the same result.
  void Write(JfrEncoder& out, const std::function<void()>& spill);

  // Forgets references and stacks of the chunk before; keys live on.
  void BeginChunk();

 private:
  struct ClassEntry {
    uint32_t loader_key, name_key, modifiers;
    bool hidden;
    bool operator==(const ClassEntry&) const = default;
  };
  struct MethodEntry {
    uint32_t class_key, name_key, descriptor_key, modifiers;
    bool hidden;
    bool operator==(const MethodEntry&) const = default;
  };
  struct LoaderEntry {
    uint32_t class_key, name_key;
    bool operator==(const LoaderEntry&) const = default;
  };
  struct GroupEntry {
    uint32_t parent_key, name_key;  // the name lives in the symbol table, but is written in place
    bool operator==(const GroupEntry&) const = default;
  };

  void ReferenceMethod(uint32_t key);
  void ReferenceClass(uint32_t key);

  KeyTable<std::string> symbols_;
  KeyTable<ClassEntry> classes_;
  KeyTable<MethodEntry> methods_;
  KeyTable<LoaderEntry> loaders_;
  KeyTable<GroupEntry> groups_;
  ThreadPool threads_;
  StackTracePool stacks_;
};

}  // namespace jprof
