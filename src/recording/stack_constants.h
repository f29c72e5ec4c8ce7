// StackConstants: the key of each stack in the recording, and the stack's frames by name.
//
// The recorder's thread, attached to the JVM. KeyOf copies the names of a stack's Java methods when
// it meets the stack for the first time; WriteContents, before the chunk is sealed, does the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "jvm/method_names.h"
#include "recording/jfr/constant_pools.h"
#include "recording/native_names.h"
#include "sigsafe/base/lost_reason.h"
#include "traces/trace_rotation.h"

namespace jprof {

// A frame of a stack, for people.
struct NamedFrame {
  std::string owner;  // class, "java/lang/Thread"; of native code the library
  std::string name;   // method or symbol
  int32_t line;       // kUnknownLine: not known
  FrameType type;
};

class StackConstants {
 public:
  StackConstants(const TraceRotation& traces, ConstantPools& pools, MethodNames& methods,
                 NativeNames& natives)
      : traces_(traces), pools_(pools), methods_(methods), natives_(natives) {}

  // At the chunk's begin: stacks that outlive their epoch still have the names that are known.
  void KeepNamesOfPreserved();

  uint32_t KeyOf(TraceId id);

  // Whether the stack ends in Thread.sleep, which the VM does not tell from other timed waits.
  bool EndsInSleep(uint32_t key) const { return sleeping_.count(key) != 0; }

  // The stack of samples that could not be recorded: one frame that says why.
  uint32_t KeyOfLost(LostReason reason);

  // The frames of a stack, callee first. For whoever cannot wait for the chunk to be complete:
  // symbols of native code are looked up now. Empty: `key` was not handed out since the last
  // WriteContents.
  std::vector<NamedFrame> FramesOf(uint32_t key);

  // Gives the keys handed out so far their frames.
  void WriteContents();

 private:
  void SetMarker(uint32_t key, std::string_view text);
  NamedFrame Name(const Frame& frame);
  void NumberMethods();
  FrameConstant Describe(const Frame& frame);
  uint32_t MethodKeyOf(const Frame& frame);
  uint32_t NewMethodKey(const Frame& frame);
  uint32_t JavaKey(const MethodInfo& info);
  uint32_t NativeKey(const NativeName& name, std::string_view descriptor);
  uint32_t MarkerKey(std::string_view name);

  const TraceRotation& traces_;
  ConstantPools& pools_;
  MethodNames& methods_;
  NativeNames& natives_;
  std::unordered_map<uint64_t, uint32_t> keys_;         // by trace id
  std::unordered_map<uint64_t, uint32_t> method_keys_;  // by what MethodIdentity says
  std::unordered_set<uint32_t> sleeping_;               // keys
  std::vector<std::pair<const CallTrace*, uint32_t>> without_content_;  // by key, ascending
  std::unordered_map<uint32_t, std::string> markers_;                   // by key
  uint32_t lost_keys_[kLostReasonCount] = {};
};

}  // namespace jprof
