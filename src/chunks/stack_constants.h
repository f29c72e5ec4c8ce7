// StackConstants: the key of each stack in the recording, and the names of its frames.
//
// KeyOf copies the names of a stack's Java methods at the first sample with the stack;
// WriteContents writes the frames before the chunk is sealed. Runs on the recorder's thread,
// attached to the JVM.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/placeholders.h"
#include "call_traces/call_trace_rotation.h"
#include "chunks/native_names.h"
#include "jfr/writer/constant_pools.h"
#include "jvm/method_names.h"
#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// A frame with its names.
struct NamedFrame {
  std::string owner;  // the class, "java/lang/Thread"; for native code the library
  std::string name;   // the method or symbol
  int32_t line;       // kUnknownLine: unknown
  FrameType type;
};

// Returns the description of a Java frame's method: from `methods`, or from the record that the
// handler has made. The reference is valid until the end of the chunk.
const MethodInfo& NameOfMethod(const CallTraceRotation& traces, MethodNames& methods,
                               const Frame& frame);

// Makes `methods` hold the descriptions of all methods of the stack.
void KeepNames(const CallTraceRotation& traces, MethodNames& methods, const CallTrace& stack);

class StackConstants {
 public:
  StackConstants(const CallTraceRotation& traces, ConstantPools& pools, MethodNames& methods,
                 NativeNames& natives)
      : traces_(traces), pools_(pools), methods_(methods), natives_(natives) {}

  // Keeps the names of the methods and addresses that occur in stacks which outlive their epoch
  // (call_traces/call_trace_rotation.h). Called at the start of a chunk.
  void KeepNamesOfPreserved();

  // Returns the key of a stack that was taken at `time_ns` (CLOCK_MONOTONIC). A library can be
  // loaded where another one was before. So the same addresses can stand for different code at
  // different times, and the stack then has a key for each of these times.
  uint32_t KeyOf(CallTraceId id, Nanos time_ns);

  // Returns the key of the sample's stack.
  uint32_t KeyOf(const Sample& sample) { return KeyOf(sample.trace, sample.stack_ns()); }

  // True if the stack is still stored.
  bool IsStored(CallTraceId id) const { return traces_.Find(id) != nullptr; }

  // True if the innermost Java frame is Thread.sleep, which the VM does not distinguish from other
  // timed waits.
  bool EndsInSleep(uint32_t key) const { return sleeping_.count(key) != 0; }

  // True if callers in the stack were not found, or a method has no name (IsGap). False if only
  // native frames are missing, which happens in code without unwind rules.
  bool HasGap(uint32_t key) const { return with_gaps_.count(key) != 0; }

  // Returns the key of the stack for samples that were lost for this reason. The stack has one
  // frame, which names the reason.
  uint32_t KeyOfLost(LostReason reason);

  // Returns the key of a new stack with a single frame, which has the text of `marker`. Each call
  // returns another key.
  uint32_t NewMarker(Placeholder marker);

  // Returns the frames of a stack, callee first, for sinks that need the names before the chunk is
  // complete. Looks up symbols of native code at once. Returns an empty list if no stack since the
  // last WriteContents has this key.
  std::vector<NamedFrame> FramesOf(uint32_t key);

  // Writes the frames of all keys returned so far.
  void WriteContents();

  // Returns the source files of classes in written frames, by the class's key. Leaves out files
  // that are named after the outermost class (ClassInfo).
  const std::unordered_map<uint32_t, std::string>& source_files() const { return source_files_; }

 private:
  // A version of a stack: the stack with the code that was at its addresses at time_ns, when the
  // version was first seen.
  struct DatedStack {
    uint32_t key = 0;
    uint64_t era = 0;  // the last era in which the version was seen (NativeNames::EraAt)
    Nanos time_ns = 0;
  };
  struct FrameHash {
    size_t operator()(const Frame& frame) const;
  };
  struct Unwritten {
    const CallTrace* trace;
    uint32_t key;
    Nanos time_ns;
  };

  DatedStack MakeStack(CallTraceId id, uint64_t era, Nanos time_ns);
  void TakeVersionOf(CallTraceId id, uint64_t era, Nanos time_ns, DatedStack& last);
  bool IsSameCode(const CallTrace& trace, Nanos one_ns, Nanos other_ns);
  uint64_t MethodIdentity(const Frame& frame, Nanos time_ns);
  void SetMarker(uint32_t key, std::string_view text);
  NamedFrame Name(const Frame& frame, Nanos time_ns);
  void NumberMethods();
  FrameConstant Describe(const Frame& frame, Nanos time_ns);
  uint32_t MethodKeyOf(const Frame& frame, Nanos time_ns);
  uint32_t NewMethodKey(const Frame& frame, Nanos time_ns);
  uint32_t JavaKey(const MethodInfo& info);
  uint32_t NativeKey(const NativeName& name, std::string_view descriptor);
  uint32_t MarkerKey(std::string_view name);

  const CallTraceRotation& traces_;
  ConstantPools& pools_;
  MethodNames& methods_;
  NativeNames& natives_;
  std::unordered_map<uint64_t, DatedStack> stacks_;         // the last versions, by call trace id
  std::unordered_multimap<uint64_t, DatedStack> versions_;  // the other versions, by call trace id
  std::unordered_map<uint64_t, uint32_t> method_keys_;      // keyed by MethodIdentity
  // The frames of Java methods. Most frames occur in many stacks.
  std::unordered_map<Frame, FrameConstant, FrameHash> java_frames_;
  std::unordered_set<uint32_t> sleeping_;                   // stack keys
  std::unordered_set<uint32_t> with_gaps_;                  // stack keys
  std::vector<Unwritten> without_content_;                  // in ascending order of keys
  std::unordered_map<uint32_t, std::string> markers_;       // keyed by stack key
  std::unordered_map<uint32_t, std::string> source_files_;  // keyed by class key
  uint32_t lost_keys_[kLostReasonCount] = {};
};

}  // namespace jprof
