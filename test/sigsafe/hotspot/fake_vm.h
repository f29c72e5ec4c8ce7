// FakeVm: memory that looks like HotSpot's to a walker: a code heap with compiled methods and
// stubs, Methods, a JavaThread and its stack. It has the fields of JDK 25, in their order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof::test {

class FakeVm {
 public:
  struct Scope {
    uint64_t method;
    int32_t bci;
  };
  // Debug information at an offset of the code: the callee's scope first, the outermost last.
  struct Place {
    uint32_t offset;
    std::vector<Scope> scopes;
  };
  struct Nmethod {
    uint64_t method = 0;
    int32_t level = 4;
    int32_t frame_size = 4;       // words
    uint16_t verified_entry = 0;  // offset in the code
    int16_t frame_complete = 16;
    std::vector<uint8_t> code = std::vector<uint8_t>(256, 0x90);
    std::vector<Place> places;
  };

  FakeVm();

  const HotspotLayout& layout() const { return layout_; }
  uint64_t java_thread() const { return reinterpret_cast<uint64_t>(java_thread_); }

  // The texts of a method and its class.
  struct Texts {
    std::string class_name = "a/Burner";
    std::string name = "burn";
    std::string descriptor = "(I)V";
    std::string source_file = "Burner.kt";
    std::string lines = {};         // compressed, without its end
    std::string loader_class = {};  // empty: the boot loader
    std::string loader_name = {};
  };

  // Adds a method with `code_size` bytes of bytecodes, in a class of its own with the number
  // `class_number`. Returns the address of the Method.
  uint64_t AddMethod(uint64_t class_number, uint16_t code_size) {
    return AddMethod(class_number, code_size, Texts());
  }
  uint64_t AddMethod(uint64_t class_number, uint16_t code_size, const Texts& texts);
  // Makes classes have no numbers, as in a JVM without Flight Recorder.
  void HideClassNumbers() { layout_.klass_number = {}; }
  // Changes the number of the method's class.
  void SetClassNumber(uint64_t method, uint64_t class_number);
  void SetAccessFlags(uint64_t method, uint16_t flags);
  // Returns the address of a method's bytecodes.
  uint64_t BytecodesOf(uint64_t method) const;

  // Add a compiled method or a stub, and return the address of its code.
  uint64_t AddNmethod(const Nmethod& nmethod);
  uint64_t AddStub(const std::string& name, int32_t frame_size, const std::vector<uint8_t>& code);

  // Sets the address to which frames return that were copied from the heap to the stack. The
  // nmethod that contains this address is Continuation.enterSpecial.
  void SetContinuationReturn(uint64_t pc) {
    continuation_return_ = pc;
    layout_.continuation_return = &continuation_return_;
  }
  void SetContinuationEntry(uint64_t method) { layout_.continuation_entry = method; }

  // Makes the thread have frames of a continuation in the heap: the `words` of a chunk of its stack,
  // from its stack pointer to its end. The word below the stack pointer is `return_address`, the
  // address to which the topmost frame's callee returns. `entry` is the word of the stack with the
  // ContinuationEntry.
  void MakeChunk(size_t entry, uint64_t return_address, const std::vector<uint64_t>& words);

  // Removes the first `words` words of the chunk's frames, which stay in memory. `left` is the
  // number of words that the chunk says are left.
  void RemoveFromChunk(int32_t words, int32_t left);

  // Returns an address in the interpreter's code.
  uint64_t interpreter() const { return layout_.interpreter_begin + 64; }

  // The stack as words; word 0 has the lowest address.
  static constexpr size_t kStackWords = 512;
  uint64_t& Stack(size_t index) { return stack_[index]; }
  uint64_t StackAddress(size_t index) const { return reinterpret_cast<uint64_t>(&stack_[index]); }

  // Sets the thread's innermost Java frame, which the VM records when the thread leaves Java code.
  void SetAnchor(uint64_t sp, uint64_t pc, uint64_t fp);
  // Sets the pc at which the thread has faulted last.
  void SetPolledPc(uint64_t pc);
  // Makes an entry frame, as of the first call from the VM into Java on this thread. The frame
  // pointer of the entry frame is the address of word `index`. Uses words index - 6 to index + 15.
  void MakeEntryFrame(size_t index);

 private:
  uint64_t continuation_return_ = 0;
  static constexpr size_t kCodeBytes = 1 << 16;
  static constexpr uint32_t kSegmentBits = 7;

  uint8_t* Allocate(size_t size);
  uint64_t AddSymbol(const std::string& text);
  uint64_t AddBlob(int64_t kind, const char* name, int32_t frame_size, int16_t frame_complete,
                   const std::vector<uint8_t>& code);

  HotspotLayout layout_{};
  alignas(128) uint8_t code_[kCodeBytes] = {};
  uint8_t segments_[(kCodeBytes >> kSegmentBits) + 1];
  size_t code_used_ = 0;
  std::vector<std::unique_ptr<uint8_t[]>> allocated_;
  uint8_t* chunk_ = nullptr;  // of MakeChunk
  alignas(16) uint8_t java_thread_[256] = {};
  uint64_t stack_[kStackWords] = {};
};

}  // namespace jprof::test
