// Tests the states, labels and libraries of a profile, and texts that are derived from names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/state_text.h"
#include "profile/chunk_builder.h"
#include "profile/class_text.h"
#include "profile/sample_reader.h"
#include "support/temp_folder.h"

namespace jprof::profile {
namespace {

using test::Bytes;

class Samples : public SampleSink {
 public:
  void OnSample(const Sample& sample) override { samples.push_back(sample); }
  std::vector<Sample> samples;
};

class ProfileContentTest : public ::testing::Test {
 protected:
  void Read() {
    test::WriteFile(path_, chunk_.Build());
    const auto report = ReadSamples(path_, LineNumbers::kDrop, profile_, sink_);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_EQ(report.value().missing, "");
  }

  test::ChunkBuilder chunk_;
  test::TempFolder folder_;
  const std::string path_ = folder_.File("a.jfr");
  Profile profile_;
  Samples sink_;
};

// The recording has states in a pool, as recordings of async-profiler have. It has the labels of
// spans as plain fields.
TEST_F(ProfileContentTest, SamplesCarryTheirStateAndTheirLabels) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(60, "jdk.types.ThreadState", "", {{"name", test::kStringId}});
  chunk_.Constant(60, 3, [](Bytes& out) { out.Utf8("STATE_SLEEPING"); });
  chunk_.Type(40, "profiler.WallClockSample", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"sampledThread", 31, test::kInPool},
               {"stackTrace", 32, test::kInPool},
               {"state", 60, test::kInPool},
               {"samples", test::kIntId},
               {"spanId", test::kLongId},
               {"spanName", test::kStringId}});
  for (const uint64_t span : {77, 0}) {
    chunk_.Event(40, [span](Bytes& out) {
      out.Long(2000);
      out.Long(1);
      out.Long(1);
      out.Long(3);
      out.Int(2);
      out.Long(span);
      out.Utf8(span != 0 ? "GET /" : "");
    });
  }
  Read();
  ASSERT_EQ(sink_.samples.size(), 2u);
  const Sample& sample = sink_.samples[0];
  EXPECT_EQ(profile_.states[sample.state], "STATE_SLEEPING");
  EXPECT_EQ(sample.samples, 2u);
  const std::vector<ProfileLabel>& labels = profile_.label_sets()[sample.labels];
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(profile_.texts[labels[0].key], "span_id");
  EXPECT_EQ(labels[0].number, 77);
  EXPECT_EQ(profile_.texts[labels[0].value], "77");
  EXPECT_EQ(profile_.texts[labels[1].key], "span_name");
  EXPECT_EQ(profile_.texts[labels[1].value], "GET /");
  EXPECT_EQ(sink_.samples[1].labels, 0u) << "no span was active";
}

TEST_F(ProfileContentTest, IgnoresAStateOfAnotherType) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(60, "jdk.types.ThreadState", "", {{"name", test::kStringId}});
  chunk_.Constant(60, 1, [](Bytes& out) { out.Utf8("STATE_SLEEPING"); });
  chunk_.Type(40, "demo.Order", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"eventThread", 31, test::kInPool},
               {"stackTrace", 32, test::kInPool},
               {"state", 36, test::kInPool}});
  chunk_.Event(40, [](Bytes& out) {
    for (const uint64_t value : {2000, 1, 1, 1}) out.Long(value);
  });
  Read();
  ASSERT_EQ(sink_.samples.size(), 1u);
  EXPECT_EQ(sink_.samples[0].state, 0u);
}

TEST_F(ProfileContentTest, EveryLibraryIsListedOnceWithItsBuildId) {
  chunk_.Type(40, "jdk.NativeLibrary", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"name", test::kStringId},
               {"baseAddress", test::kLongId},
               {"topAddress", test::kLongId},
               {"buildId", test::kStringId}});
  for (int i = 0; i < 2; ++i) {  // every chunk repeats the libraries
    chunk_.Event(40, [](Bytes& out) {
      out.Long(1000);
      out.Utf8("/lib/libc.so.6");
      out.Long(0x1000);
      out.Long(0x5000);
      out.Utf8("abcd");
    });
  }
  Read();
  ASSERT_EQ(profile_.libraries.size(), 1u);
  EXPECT_EQ(profile_.texts[profile_.libraries[0].path], "/lib/libc.so.6");
  EXPECT_EQ(profile_.texts[profile_.libraries[0].build_id], "abcd");
  EXPECT_EQ(profile_.libraries[0].base, 0x1000u);
  EXPECT_EQ(profile_.libraries[0].top, 0x5000u);
}

TEST_F(ProfileContentTest, TheStackOfAnAllocationEndsWithTheClass) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(41, "jdk.ObjectAllocationSample", "jdk.jfr.Event",
              {{"stackTrace", 32, test::kInPool},
               {"objectClass", 35, test::kInPool},
               {"weight", test::kLongId}});
  chunk_.Event(41, [](Bytes& out) {
    for (const uint64_t value : {1, 1, 4096}) out.Long(value);
  });
  test::AddSample(chunk_, 2000);
  Read();
  ASSERT_EQ(sink_.samples.size(), 2u);
  const std::optional<uint32_t> object = profile_.ClassOf(sink_.samples[0].stack);
  ASSERT_TRUE(object);
  EXPECT_EQ(profile_.MethodText(*object), "a.B");
  EXPECT_EQ(sink_.samples[0].value, 4096u);
  EXPECT_FALSE(profile_.ClassOf(sink_.samples[1].stack));
}

// The event has a stack that contains only the callers of the method.
TEST_F(ProfileContentTest, TheStackOfACallEndsWithTheCalledMethod) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(41, "jdk.MethodTrace", "jdk.jfr.Event",
              {{"stackTrace", 32, test::kInPool},
               {"method", 34, test::kInPool},
               {"duration", test::kLongId}});
  for (const uint64_t method : {1, 0}) {  // 0 is the method of a lost call
    chunk_.Event(41, [&](Bytes& out) {
      out.Long(1);
      out.Long(method);
      out.Long(5);
    });
  }
  test::AddSample(chunk_, 2000);
  Read();
  ASSERT_EQ(sink_.samples.size(), 3u);
  const uint32_t call = sink_.samples[0].stack;
  EXPECT_EQ(profile_.FrameText(profile_.stacks.frame(call)), "a.B.run");
  EXPECT_EQ(profile_.stacks.parent(call), sink_.samples[2].stack);
  EXPECT_EQ(sink_.samples[1].stack, sink_.samples[2].stack);
  EXPECT_FALSE(profile_.ClassOf(call));
}

TEST(ThreadTextTest, TellsThreadsWithoutANameApart) {
  EXPECT_EQ(ThreadTextOf("main", "java", 1), "main");
  EXPECT_EQ(ThreadTextOf("", "GC Thread#0", 0), "GC Thread#0");
  EXPECT_EQ(ThreadTextOf("", "", 37), "virtual thread 37");
  EXPECT_EQ(ThreadTextOf("", "", 0), "");
}

TEST(ClassTextTest, IsAsPeopleWriteIt) {
  EXPECT_EQ(ClassText("java/util/HashMap"), "java.util.HashMap");
  EXPECT_EQ(ClassText("[Ljava/lang/String;"), "java.lang.String[]");
  EXPECT_EQ(ClassText("[[I"), "int[][]");
}

TEST(ClassTextTest, CutsOffNumbersOfOneRun) {
  EXPECT_EQ(ClassText("a/Main$$Lambda+0x00007f1c0c001000"), "a.Main$$Lambda");
  EXPECT_EQ(ClassText("a/Main$$Lambda$14+0x0000000800c03000"), "a.Main$$Lambda");
  EXPECT_EQ(ClassText("a/Main$$Lambda$14/1531448569"), "a.Main$$Lambda");
  EXPECT_EQ(ClassText("a.Main$$Lambda/0x00007f1c0c001000"), "a.Main$$Lambda");
  EXPECT_EQ(ClassText("[La/Main$$Lambda+0x1;"), "a.Main$$Lambda[]");
  EXPECT_EQ(ClassText("java/lang/invoke/LambdaForm$MH/0x5"), "java.lang.invoke.LambdaForm$MH");
  EXPECT_EQ(ClassText("a/Lambda$1"), "a.Lambda$1");
  EXPECT_EQ(ClassText("a/1"), "a.1");
  EXPECT_EQ(ClassText("a/B+C"), "a.B+C");
}

TEST(SourcePathTest, IsThatOfTheOutermostClass) {
  EXPECT_EQ(SourcePathOf("java.util.HashMap$Node"), "java/util/HashMap.java");
  EXPECT_EQ(SourcePathOf("Main"), "Main.java");
  EXPECT_EQ(SourcePathOf("a.$Odd$Inner"), "a/$Odd.java");
  EXPECT_EQ(SourcePathOf("Spin$$Lambda$1+0x00007f3ccc000a08"), "");
  EXPECT_EQ(SourcePathOf("jdk.proxy1.$Proxy12/0x5"), "");
  EXPECT_EQ(SourcePathOf("int[]"), "");
  EXPECT_EQ(SourcePathOf(""), "");
}

TEST(SourcePathTest, IsTheRecordedFileIfItsNameIsValid) {
  EXPECT_EQ(SourcePathOf("a.b.MainKt", "Main.kt"), "a/b/Main.kt");
  EXPECT_EQ(SourcePathOf("a.Main$$anonfun$1", "Main.scala"), "a/Main.scala");
  EXPECT_EQ(SourcePathOf("Tenant$Inner", "House.java"), "House.java");
  for (const std::string none : {"", "SourceFile", "<generated>.java", "..", ".java", "Main.",
                                 "../x.java", "c\\Main.java", "Main\n.java"}) {
    EXPECT_EQ(SourcePathOf("a.Main$Inner", none), "a/Main.java") << none;
  }
}

// The first file name of a class counts. Texts that name no file, and classes without a constant,
// are ignored.
TEST_F(ProfileContentTest, TheRecordingNamesSourceFiles) {
  test::AddSampleTypes(chunk_);
  test::AddSampleConstants(chunk_);
  chunk_.Type(50, "profiler.ClassSource", "jdk.jfr.Event",
              {{"startTime", test::kLongId, test::kPlain, test::kTimestampId, "TICKS"},
               {"definedClass", 35, test::kInPool},
               {"sourceFile", test::kStringId}});
  for (const std::string file : {"<generated>", "B.kt", "Other.kt"}) {
    for (const uint64_t class_key : {1, 777}) {
      chunk_.Event(50, [&](Bytes& out) {
        out.Long(1000);
        out.Long(class_key);
        out.Utf8(file);
      });
    }
  }
  test::AddSample(chunk_, 2000);
  Read();
  EXPECT_EQ(profile_.SourceFileOf("a.B"), "B.kt");
  EXPECT_EQ(profile_.SourceFileOf("a.C"), "");
}

TEST(StateTextTest, IsAWord) {
  EXPECT_EQ(StateText("STATE_IN_OBJECT_WAIT"), "in-object-wait");
  EXPECT_EQ(StateText("STATE_DEFAULT"), "running");
  EXPECT_EQ(StateText(""), "");
}

}  // namespace
}  // namespace jprof::profile
