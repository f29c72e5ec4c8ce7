// StepTask: single-steps the generated code that a thread executes between WalkProbe.step and
// WalkProbe.stop, and walks at each instruction. Each walk must reach the root and contain, once
// each, the three methods through which the program calls the code under test.
//
// Only one thread steps. Any thread can report the names of generated code.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "native/walk_probe/walk_task.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof::test {

class StepTask : public WalkTask {
 public:
  // If `in_native_code` is true, the task also walks in libraries that generated code has called.
  StepTask(const HotspotLayout& vm, bool in_native_code)
      : vm_(vm), in_native_code_(in_native_code) {}

  // Adds the name of a piece of code that the VM has generated and that belongs to no method.
  void AddCode(const char* name, const void* address, jint length);

  // Makes the calling thread step from now on. Not for handlers.
  void Begin(const std::string& label);
  // Ends the stepping. Until then, the thread also steps outside of generated code, but does not
  // walk there.
  void End() { is_stepping_.store(false, std::memory_order_relaxed); }

  // True if the thread is to continue stepping. Called by the handler of SIGTRAP.
  bool is_stepping() const { return is_stepping_.load(std::memory_order_relaxed); }

  void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) override;
  bool IsDone() const override { return false; }
  // Returns the lines "steps LABEL=N", "wrong LABEL=N" and "code NAME=N", followed by the first
  // wrong walks.
  std::string Text() const override;

 private:
  static constexpr size_t kLabels = 256;
  static constexpr size_t kBlobs = 4096;
  static constexpr size_t kExamples = 60;
  static constexpr size_t kExampleFrames = 32;
  static constexpr size_t kExampleCode = 24;
  // The maximum number of steps for one label. After it the thread continues without stepping.
  static constexpr uint64_t kMostSteps = 12'000;
  // The maximum number of stored wrong walks for one label. Further ones are only counted.
  static constexpr size_t kExamplesEach = 6;

  struct Label {
    std::string text;
    uint64_t steps = 0;
    uint64_t wrong = 0;
    uint64_t steps_in_native_code = 0;  // included in `steps`
    uint64_t wrong_in_native_code = 0;
  };
  struct Blob {
    uint64_t address = 0;
    uint64_t steps = 0;
  };
  struct Example {
    size_t label;
    uint64_t pc;
    uint32_t count;
    std::array<uint8_t, kExampleCode> code;  // machine code that starts at pc
    std::array<Frame, kExampleFrames> frames;
    std::array<uint64_t, kExampleFrames> methods;
  };

  // Returns the index of the method among those that each walk must contain; their number if the
  // method is not one of them.
  size_t IndexOf(uint64_t method) const;
  bool HasMethodsOnce(const WalkBuffer& walked, uint32_t count) const;
  void CountBlob(uint64_t address);
  uint64_t StepsIn(uint64_t address) const;
  // Returns the number of steps in code that belongs to no method, by the name of the code.
  std::map<std::string, uint64_t> StepsByName() const;
  std::string NameOf(const Frame& frame, uint64_t method) const;
  std::string CodeName(uint64_t pc) const;

  const HotspotLayout& vm_;
  const bool in_native_code_;
  std::array<Label, kLabels> labels_;
  size_t label_count_ = 0;
  std::array<Blob, kBlobs> blobs_{};
  std::array<Example, kExamples> examples_{};
  size_t example_count_ = 0;
  std::atomic<bool> is_stepping_{false};  // relaxed: set and read on one thread
  std::mutex mutex_;
  // {end, name} of code by its start. Guarded by mutex_.
  std::map<uint64_t, std::pair<uint64_t, std::string>> code_;
};

}  // namespace jprof::test
