// Tests stacks without names of methods, which need a JVM.
#include "chunks/stack_constants.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "jfr/writer/jfr_file.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/stack/test_stack.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using testing::HasSubstr;

class StackConstantsTest : public testing::Test {
 protected:
  StackConstantsTest() {
    auto writer = JfrWriter::Open(folder_.File("a.jfr"), ChunkClock{});
    EXPECT_TRUE(writer.ok());
    writer_ = std::move(writer).value();
    records_.Claim(Tid{1});
    auto traces = CallTraceRotation::Create(storage_, records_, 16 << 20);
    EXPECT_TRUE(traces.ok());
    traces_ = std::move(traces).value();
    traces_->Activate();
    stacks_ = std::make_unique<StackConstants>(*traces_, writer_->pools(), methods_, natives_);
  }
  ~StackConstantsTest() override { EXPECT_TRUE(traces_->Deactivate()); }

  uint32_t KeyOf(CallTraceId id) { return stacks_->KeyOf(id, MonotonicNanos()); }

  CallTraceId Put(const std::vector<Frame>& frames, bool truncated = false) {
    return test::PutInActive(storage_, records_.At(0)->guards,
                             {frames.data(), static_cast<uint32_t>(frames.size()), truncated});
  }

  // Appends an event for each of `keys`, seals the chunk and returns it.
  test::ParsedChunk Seal(const std::vector<uint32_t>& keys) {
    for (const uint32_t key : keys) writer_->Append(ExecutionSample{.stack_key = key});
    stacks_->WriteContents();
    EXPECT_TRUE(writer_->Seal(0).ok());
    return test::ParseRecording(test::ReadFile(folder_.File("a.jfr"))).back();
  }

  // Returns "class.method" of each frame, leaf first, joined by blanks.
  static std::string FramesOf(const test::ParsedChunk& chunk, uint32_t key);

  test::TempFolder folder_;
  Pages pages_ = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots records_{pages_.region()};
  CallTraceStorage storage_;
  std::unique_ptr<CallTraceRotation> traces_;
  ClassCatalog classes_;
  MethodNames methods_{nullptr, nullptr, classes_, 1};  // never used: no method has an id
  StubNames stubs_;
  NativeNames natives_{stubs_};
  std::unique_ptr<JfrWriter> writer_;
  std::unique_ptr<StackConstants> stacks_;
};

// Returns the number after the `nth` '#' of an entry.
uint64_t KeyIn(const std::string& text, int nth) {
  size_t at = std::string::npos;
  for (int i = 0; i <= nth; ++i) at = text.find('#', at + 1);
  return std::stoull(text.substr(at + 1));
}

std::string StackConstantsTest::FramesOf(const test::ParsedChunk& chunk, uint32_t key) {
  const auto& symbols = chunk.pools.at("jdk.types.Symbol");
  std::string names;
  const std::string stack = chunk.pools.at("jdk.types.StackTrace").at(key);
  for (size_t at = stack.find("(#"); at != std::string::npos; at = stack.find("(#", at + 1)) {
    const std::string method =
        chunk.pools.at("jdk.types.Method").at(std::stoull(stack.substr(at + 2)));
    const std::string type = chunk.pools.at("java.lang.Class").at(KeyIn(method, 0));
    names += (names.empty() ? "" : " ") + symbols.at(KeyIn(type, 1)) + '.' +
             symbols.at(KeyIn(method, 1));
  }
  return names;
}

// An address in a function of the C library that no sanitizer intercepts.
const Pc kOfLibc{reinterpret_cast<uint64_t>(&::posix_openpt) + 1};

TEST_F(StackConstantsTest, EachTraceHasAKeyOfItsOwn) {
  const CallTraceId first = Put({NativeFrame(kOfLibc)});
  const CallTraceId second = Put({NativeFrame(Pc{16})});
  EXPECT_EQ(KeyOf(first), KeyOf(first));
  EXPECT_NE(KeyOf(first), KeyOf(second));
  EXPECT_NE(KeyOf(first), 0u);
}

TEST_F(StackConstantsTest, NativeFramesHaveTheNamesOfLibraryAndSymbol) {
  const uint32_t key = KeyOf(Put({NativeFrame(kOfLibc), NativeFrame(Pc{16})}));
  EXPECT_EQ(FramesOf(Seal({key}), key), "libc.so.6.posix_openpt generated code.[unknown]");
}

TEST_F(StackConstantsTest, KernelFramesAreKnownByTheirTypeAndDescriptor) {
  const Frame in_the_kernel{0xffffffffffff0000, -1, FrameKind::kKernel};
  const uint32_t key = KeyOf(Put({in_the_kernel, NativeFrame(kOfLibc)}));
  const test::ParsedChunk chunk = Seal({key});
  EXPECT_THAT(FramesOf(chunk, key), HasSubstr(" libc.so.6.posix_openpt"));
  const auto& symbols = chunk.pools.at("jdk.types.Symbol");
  EXPECT_TRUE(std::any_of(symbols.begin(), symbols.end(), [](const auto& symbol) {
    return symbol.second.find("(Lk;)L;") != std::string::npos;
  }));
}

TEST_F(StackConstantsTest, AnIncompleteWalkHasAFrameWithTheReason) {
  const uint32_t key = KeyOf(Put({NativeFrame(kOfLibc), OutcomeFrame(WalkOutcome::kGcActive)}));
  EXPECT_EQ(FramesOf(Seal({key}), key), "libc.so.6.posix_openpt jprof.[GC active]");
}

TEST_F(StackConstantsTest, LossesHaveOneStackPerReason) {
  const uint32_t full = stacks_->KeyOfLost(LostReason::kSamplesFull);
  const uint32_t storage = stacks_->KeyOfLost(LostReason::kStorageFull);
  EXPECT_EQ(stacks_->KeyOfLost(LostReason::kSamplesFull), full);
  EXPECT_NE(full, storage);
  const test::ParsedChunk chunk = Seal({full, storage});
  EXPECT_EQ(FramesOf(chunk, full), "jprof.[lost: sample buffers full]");
  EXPECT_EQ(FramesOf(chunk, storage), "jprof.[lost: stack storage full]");
}

TEST_F(StackConstantsTest, AMissingStackHasAPlaceholderFrame) {
  const uint32_t key = KeyOf(CallTraceId{uint64_t{0xFFFFFFFF} << 32});
  EXPECT_EQ(FramesOf(Seal({key}), key), "jprof.[stack no longer stored]");
}

TEST_F(StackConstantsTest, NamesFramesBeforeTheChunkIsComplete) {
  const auto named = [&](uint32_t key) {
    std::string names;
    for (const NamedFrame& frame : stacks_->FramesOf(key)) {
      names += (names.empty() ? "" : " ") + frame.owner + '.' + frame.name;
    }
    return names;
  };
  const uint32_t other = KeyOf(Put({NativeFrame(Pc{16})}));
  const uint32_t key = KeyOf(Put({NativeFrame(kOfLibc), OutcomeFrame(WalkOutcome::kGcActive)}));
  const uint32_t lost = stacks_->KeyOfLost(LostReason::kSamplesFull);
  EXPECT_EQ(named(key), "libc.so.6.posix_openpt jprof.[GC active]");
  EXPECT_EQ(named(other), "generated code.[unknown]");
  EXPECT_EQ(named(lost), "jprof.[lost: sample buffers full]");
  EXPECT_EQ(named(lost + 1), "");
  EXPECT_EQ(FramesOf(Seal({key}), key), named(key)) << "as the file has them";
}

// A function of a library, which the destructor unloads.
class LoadedFunction {
 public:
  LoadedFunction(const char* path, const char* function) : handle_(dlopen(path, RTLD_NOW)) {
    EXPECT_NE(handle_, nullptr) << dlerror();
    pc_ = Pc{reinterpret_cast<uint64_t>(dlsym(handle_, function)) + 1};
  }
  ~LoadedFunction() { dlclose(handle_); }
  LoadedFunction(const LoadedFunction&) = delete;
  LoadedFunction& operator=(const LoadedFunction&) = delete;

  Pc pc() const { return pc_; }

 private:
  void* handle_;
  Pc pc_{};
};

TEST_F(StackConstantsTest, ATraceHasAKeyForEachLibraryAtItsAddresses) {
  CallTraceId trace{};
  const CallTraceId untouched = Put({NativeFrame(kOfLibc)});
  const uint32_t libc = KeyOf(untouched);
  uint32_t named = 0;
  {
    const LoadedFunction function(JPROF_NAMED_CODE, "jprof_test_named_code");
    trace = Put({NativeFrame(function.pc()), NativeFrame(kOfLibc)});
    named = KeyOf(trace);
  }
  natives_.LookAtLibraries();
  uint32_t other = 0;
  {
    const LoadedFunction function(JPROF_OTHER_CODE, "jprof_test_other_code");
    ASSERT_EQ(trace, Put({NativeFrame(function.pc()), NativeFrame(kOfLibc)}));
    other = KeyOf(trace);
    EXPECT_EQ(KeyOf(trace), other);
  }
  natives_.LookAtLibraries();
  {
    const LoadedFunction function(JPROF_NAMED_CODE, "jprof_test_named_code");
    EXPECT_EQ(KeyOf(trace), named) << "the same library is there again";
  }
  EXPECT_EQ(KeyOf(untouched), libc);
  const test::ParsedChunk chunk = Seal({named, other, libc});
  EXPECT_EQ(FramesOf(chunk, named),
            "libjprof_named_code.so.jprof_test_named_code libc.so.6.posix_openpt");
  EXPECT_EQ(FramesOf(chunk, other),
            "libjprof_other_code.so.jprof_test_other_code libc.so.6.posix_openpt");
  EXPECT_EQ(FramesOf(chunk, libc), "libc.so.6.posix_openpt");
}

// When a thread ends, its remaining time is attributed to the last stack of the thread, with the
// code that was at the addresses when the stack was taken. Blocks of samples are drained in any
// order. So the sample with the remaining time can be drained before the sample that took the
// stack.
TEST_F(StackConstantsTest, TheLastStackOfAThreadHasTheCodeOfItsTime) {
  Sample first{};
  Sample second{};
  {
    const LoadedFunction function(JPROF_NAMED_CODE, "jprof_test_named_code");
    first.trace = second.trace = Put({NativeFrame(function.pc())});
    first.time_ns = MonotonicNanos();
  }
  natives_.LookAtLibraries();
  const LoadedFunction function(JPROF_OTHER_CODE, "jprof_test_other_code");
  ASSERT_EQ(first.trace, Put({NativeFrame(function.pc())}));
  second.time_ns = MonotonicNanos();
  Sample end_of_second = second;
  end_of_second.time_ns = MonotonicNanos();
  end_of_second.SetLastStackTime(second.time_ns);
  Sample end_of_first = end_of_second;
  end_of_first.SetLastStackTime(first.time_ns);
  const uint32_t named = stacks_->KeyOf(first);
  const uint32_t other = stacks_->KeyOf(end_of_second);
  EXPECT_NE(other, named);
  EXPECT_EQ(stacks_->KeyOf(end_of_first), named);
  EXPECT_EQ(stacks_->KeyOf(second), other);
  EXPECT_EQ(stacks_->KeyOf(first), named);
}

TEST_F(StackConstantsTest, ATruncatedStackIsMarked) {
  const uint32_t cut = KeyOf(Put({NativeFrame(kOfLibc)}, true));
  const uint32_t whole = KeyOf(Put({NativeFrame(kOfLibc)}, false));
  EXPECT_NE(cut, whole);
  const test::ParsedChunk chunk = Seal({cut, whole});
  const auto& stacks = chunk.pools.at("jdk.types.StackTrace");
  EXPECT_THAT(stacks.at(cut), HasSubstr("true,"));
  EXPECT_THAT(stacks.at(whole), HasSubstr("false,"));
}

// A small key takes fewer bytes in each frame.
TEST_F(StackConstantsTest, TheMethodOfMostFramesHasTheSmallestKey) {
  std::vector<uint32_t> keys;
  for (uint64_t nowhere = 16; nowhere < 20; ++nowhere) {
    keys.push_back(KeyOf(Put({NativeFrame(Pc{nowhere}), NativeFrame(kOfLibc)})));
  }
  const test::ParsedChunk chunk = Seal(keys);
  EXPECT_EQ(FramesOf(chunk, keys[0]), "generated code.[unknown] libc.so.6.posix_openpt");
  const auto& methods = chunk.pools.at("jdk.types.Method");
  const auto& symbols = chunk.pools.at("jdk.types.Symbol");
  EXPECT_EQ(symbols.at(KeyIn(methods.begin()->second, 1)), "posix_openpt");
}

// The class of a placeholder is "jprof", and only its method name begins with '[': JMC takes a
// class name that begins with '[' for the descriptor of an array.
TEST_F(StackConstantsTest, AMethodWithoutAnIdHasAPlaceholder) {
  const uint32_t key = KeyOf(Put({Frame{0, -1, FrameKind::kJava}}));
  EXPECT_EQ(FramesOf(Seal({key}), key), "jprof.[no method id]");
}

}  // namespace
}  // namespace jprof
