#include "native/walk_probe/step_task.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "native/walk_probe/method_text.h"
#include "sigsafe/hotspot/code_cache.h"
#include "sigsafe/os/registers.h"

namespace jprof::test {

void StepTask::AddCode(const char* name, const void* address, jint length) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  const std::lock_guard lock(mutex_);
  code_[begin] = {begin + static_cast<uint64_t>(length), name};
}

namespace {

// The methods through which the program calls the code under test, callee first.
constexpr std::array<std::string_view, 3> kMethods = {"inner", "outer", "steps"};
constexpr std::string_view kDescriptor = "(I)J";

}  // namespace

void StepTask::Begin(const std::string& label) {
  if (label_count_ == kLabels) return;
  labels_[label_count_++].text = label;
  is_stepping_.store(true, std::memory_order_relaxed);
}

void StepTask::Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) {
  const uint64_t pc = Value(ProgramCounter(context));
  CodeBlob blob;
  const bool is_native = !IsGeneratedCode(vm_, pc);
  if (is_native ? !in_native_code_ : !FindCodeBlob(vm_, pc, &blob)) return;
  if (!is_native && !blob.is_nmethod) CountBlob(blob.address);
  FrameSink sink(buffer.frames, buffer.depth, buffer.root_depth, nullptr, buffer.methods);
  const WalkEnd end =
      WalkInterrupted(vm_, StackMode::kVm, WalkUntil::kThreadEntry, jni_env, context, &sink);
  const uint32_t count = sink.Finish();
  Label& label = labels_[label_count_ - 1];
  if (is_native) ++label.steps_in_native_code;
  if (++label.steps == kMostSteps) End();
  if (end == WalkEnd::kRoot && HasMethodsOnce(buffer, count)) return;
  if (is_native) ++label.wrong_in_native_code;
  if (label.wrong++ >= kExamplesEach || example_count_ == kExamples) return;
  Example& example = examples_[example_count_++];
  example.label = label_count_ - 1;
  example.pc = pc;
  example.count = std::min<uint32_t>(count, kExampleFrames);
  std::copy_n(reinterpret_cast<const uint8_t*>(pc), kExampleCode, example.code.begin());
  std::copy_n(buffer.frames, example.count, example.frames.begin());
  std::copy_n(buffer.methods, example.count, example.methods.begin());
}

size_t StepTask::IndexOf(uint64_t method) const {
  size_t i = 0;
  while (i < kMethods.size() && !IsNamed(vm_, method, kMethods[i], kDescriptor)) ++i;
  return i;
}

bool StepTask::HasMethodsOnce(const WalkBuffer& walked, uint32_t count) const {
  size_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsJava(walked.frames[i])) continue;
    const size_t index = IndexOf(walked.methods[i]);
    if (index == kMethods.size()) continue;
    if (index != found) return false;
    ++found;
  }
  return found == kMethods.size();
}

void StepTask::CountBlob(uint64_t address) {
  for (size_t i = 0; i < kBlobs; ++i) {
    Blob& blob = blobs_[(address / 64 + i) % kBlobs];
    if (blob.address == 0) blob.address = address;
    if (blob.address != address) continue;
    ++blob.steps;
    return;
  }
}

uint64_t StepTask::StepsIn(uint64_t address) const {
  const auto* const blob = std::ranges::find(blobs_, address, &Blob::address);
  return blob == blobs_.end() ? 0 : blob->steps;
}

std::map<std::string, uint64_t> StepTask::StepsByName() const {
  constexpr uint64_t kCodeAlignment = 32;
  std::map<std::string, uint64_t> by_name;
  for (uint32_t i = 0; i < vm_.heap_count; ++i) {
    CodeBlob blob;
    for (uint64_t pc = vm_.heaps[i].low; pc < vm_.heaps[i].high; pc += kCodeAlignment) {
      int64_t name = 0;
      if (!FindCodeBlob(vm_, pc, &blob)) continue;
      if (!blob.is_nmethod && vm_.blob_name.Load(blob.address, &name) && name != 0) {
        by_name[reinterpret_cast<const char*>(name)] += StepsIn(blob.address);
      }
      pc = std::max(pc, (blob.code_end - 1) / kCodeAlignment * kCodeAlignment);
    }
  }
  return by_name;
}

std::string StepTask::CodeName(uint64_t pc) const {
  auto next = code_.upper_bound(pc);
  if (next == code_.begin()) return "unknown";
  const auto& [end, name] = std::prev(next)->second;
  return pc < end ? name : "unknown";
}

std::string StepTask::NameOf(const Frame& frame, uint64_t method) const {
  if (frame.kind == FrameKind::kOutcome) return FrameName(static_cast<WalkOutcome>(frame.id));
  if (frame.kind == FrameKind::kStub) return "(" + CodeName(frame.id) + ")";
  return IsJava(frame) ? MethodText(vm_, method) : "native";
}

std::string StepTask::Text() const {
  std::string text;
  for (size_t i = 0; i < label_count_; ++i) {
    const Label& label = labels_[i];
    text += "steps." + label.text + "=" + std::to_string(label.steps) + "\nwrong." + label.text +
            "=" + std::to_string(label.wrong) + "\n";
    if (!in_native_code_) continue;
    text += "native.steps." + label.text + "=" + std::to_string(label.steps_in_native_code) +
            "\nnative.wrong." + label.text + "=" + std::to_string(label.wrong_in_native_code) +
            "\n";
  }
  for (const auto& [name, steps] : StepsByName()) {
    text += "code." + name + "=" + std::to_string(steps) + "\n";
  }
  for (size_t i = 0; i < example_count_; ++i) {
    const Example& example = examples_[i];
    char at[32];
    snprintf(at, sizeof at, "0x%llx", static_cast<unsigned long long>(example.pc));
    text += "at " + labels_[example.label].text + " " + at + " " + CodeName(example.pc) + ":";
    for (uint32_t k = 0; k < example.count; ++k)
      text += " " + NameOf(example.frames[k], example.methods[k]) + ";";
    text += " |";
    for (size_t k = 0; k < kExampleCode; ++k) {
      snprintf(at, sizeof at, " %02x", example.code[k]);
      text += at;
    }
    text += "\n";
  }
  return text;
}

}  // namespace jprof::test
