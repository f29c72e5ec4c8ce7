// CompiledCode decodes the debug information of compiled code a second time: from the records that
// the JVM itself makes of it for the event CompiledMethodLoad (jvmticmlr.h).
//
// The JVM sends the event on a thread of its own, some time after the code has become runnable. It
// replaces code at the same addresses; code that was freed and not replaced stays known.
//
// Thread-safe; not for handlers. OnCompiledMethodLoad is called on any thread.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "jvm/jvm_events.h"

namespace jprof {

class CompiledCode final : public JvmEventListener {
 public:
  struct Frame {
    jmethodID method;
    int32_t bci;
  };
  struct Decoded {
    std::vector<Frame> frames;         // the innermost inlined method first
    bool was_compiled_before = false;  // the code is older than the call of EndEarlier
  };

  // Begins: code that is reported from now on was compiled after the agent came.
  void EndEarlier();

  // Returns the frames at the instruction; no frames if the JVM has no information for it. Returns
  // nullopt if the code is not known.
  std::optional<Decoded> Decode(uint64_t pc) const;

  void OnCompiledMethodLoad(jvmtiEnv* jvmti, jmethodID method, jint size, const void* address, jint,
                            const jvmtiAddrLocationMap*, const void* information) override;

 private:
  // The memory that the records may take, in frames.
  static constexpr size_t kMostFrames = size_t{16} << 20;

  struct Place {
    uint64_t pc;
    uint32_t first;  // index of the first frame
    uint32_t count;
  };
  struct Code {
    uint64_t end;
    bool is_earlier;
    std::vector<Place> places;  // ascending by pc
    std::vector<Frame> frames;
  };

  mutable std::mutex mutex_;        // guards all below
  std::map<uint64_t, Code> codes_;  // by the first address
  size_t frames_ = 0;
  bool is_earlier_ = true;
};

}  // namespace jprof
