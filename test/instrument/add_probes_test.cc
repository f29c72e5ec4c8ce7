// Tests probes in the code of methods that are not constructors. In these tests an entry probe and
// an exit probe take 8 bytes each. In lists of instructions, "ours" is the handler that AddProbes
// adds at the end.
#include "instrument/add_probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "instrument/probed_class.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Table = std::vector<std::vector<uint32_t>>;

// The one method of a class, probed with id 7.
struct ProbedMethod {
  ReadClass in;
  ReadMethod method;
};
ProbedMethod ProbeOne(uint16_t major, const MadeMethod& method) {
  const Probed probed = ProbeAll(ClassMaker(major).Add(method).Bytes());
  const auto found = probed.read.methods.find(method.name + method.descriptor);
  EXPECT_NE(found, probed.read.methods.end());
  return {probed.read, found == probed.read.methods.end() ? ReadMethod() : found->second};
}

TEST(AddProbesTest, ProbesEntryReturnAndExceptions) {
  // iload_0, ireturn
  const auto [in, method] = ProbeOne(52, {kStatic, "f", "(I)I", 1, 1, {0x1A, 0xAC}});
  EXPECT_EQ(method.code, EntryCode(in, 7, 1) + ClassBytes{0x1A} + ExitCode(in, 7, 1) +
                             ClassBytes{0xAC} + HandlerCode(in, 7, 1));
  EXPECT_EQ(method.handlers, (Table{{8, 9, 18, 0}}));
  EXPECT_EQ(method.max_stack, 5U);
  EXPECT_EQ(method.max_locals, 3U);
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "I"), ElementsAre("18 [T,J] [O]"));
}

TEST(AddProbesTest, MethodThatOnlyReturnsHasNoHandler) {
  const auto [in, method] = ProbeOne(52, {kStatic, "f", "()V", 0, 0, {kReturn}});
  EXPECT_EQ(method.code, EntryCode(in, 7, 0) + ExitCode(in, 7, 0) + ClassBytes{kReturn});
  EXPECT_THAT(method.handlers, IsEmpty());
  EXPECT_THAT(method.tables, IsEmpty());
}

TEST(AddProbesTest, JumpToTheFirstInstructionDoesNotEnterAgain) {
  // 0: iinc 0 -1; 3: iload_0; 4: ifne 0; 7: return
  const auto [in, method] = ProbeOne(52, {kStatic,
                                          "f",
                                          "(I)V",
                                          1,
                                          1,
                                          {0x84, 0, 0xFF, 0x1A, 0x9A, 0xFF, 0xFC, kReturn},
                                          {},
                                          {{"StackMapTable", Shorts({1}) + ClassBytes{0}}}});
  EXPECT_EQ(method.code, (EntryCode(in, 7, 1) + ClassBytes{0x84, 0, 0xFF, 0x1A, 0x9A, 0xFF, 0xFC} +
                          ExitCode(in, 7, 1) + ClassBytes{kReturn} + HandlerCode(in, 7, 1)));
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "I"),
              ElementsAre("8 [I,J] []", "24 [T,J] [O]"));
}

TEST(AddProbesTest, JumpToAReturnRunsTheExitProbe) {
  // 0: iload_0; 1: ifeq 5; 4: return; 5: return
  const auto [in, method] = ProbeOne(52, {kStatic,
                                          "f",
                                          "(I)V",
                                          1,
                                          1,
                                          {0x1A, 0x99, 0, 4, kReturn, kReturn},
                                          {},
                                          {{"StackMapTable", Shorts({1}) + ClassBytes{5}}}});
  const ClassBytes leave = ExitCode(in, 7, 1) + ClassBytes{kReturn};
  EXPECT_EQ(method.code, (EntryCode(in, 7, 1) + ClassBytes{0x1A, 0x99, 0, 12} + leave + leave +
                          HandlerCode(in, 7, 1)));
  EXPECT_EQ(method.handlers, (Table{{8, 12, 30, 0}}));
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "I"),
              ElementsAre("21 [I,J] []", "30 [T,J] [O]"));
}

TEST(AddProbesTest, TheCodeOfProbesIsReportedWithTheReturnsAfterIt) {
  // 0: iload_0; 1: ifeq 5; 4: return; 5: return. With probes: 8: iload_0; 9: ifeq; 12: exit probe and
  // return; 21: exit probe and return; 30: ours.
  const Probed probed = ProbeAll(ClassMaker(52)
                                     .Add({kStatic,
                                           "f",
                                           "(I)V",
                                           1,
                                           1,
                                           {0x1A, 0x99, 0, 4, kReturn, kReturn},
                                           {},
                                           {{"StackMapTable", Shorts({1}) + ClassBytes{5}}}})
                                     .Bytes());
  ASSERT_EQ(probed.report.methods.size(), 1U);
  Table ranges;
  for (const instrument::CodeRange& range : probed.report.methods[0].probe_code) {
    ranges.push_back({range.begin, range.end});
  }
  const auto length = static_cast<uint32_t>(probed.read.methods.at("f(I)V").code.size());
  EXPECT_EQ(ranges, (Table{{0, 8}, {12, 21}, {21, 30}, {30, length}}));
}

TEST(AddProbesTest, FramesOfEveryFormGetTheTokenAboveAllLocals) {
  // 0: new; 3: nop x 6; 9: return. max_locals 4. The types of the frames would not verify.
  const ClassBytes frames = Shorts({6}) + ClassBytes{3} +  // 3: same, 3 locals
                            ClassBytes{252, 0, 0, 1} +     // 4: append int
                            ClassBytes{64, 8, 0, 0} +      // 5: same, stack uninitialized(0)
                            ClassBytes{250, 0, 0} +        // 6: chop one
                            ClassBytes{255, 0, 0, 0, 1, 3, 0, 0} +  // 7: full, a double
                            ClassBytes{247, 0, 0, 1};               // 8: same, stack int
  const auto [in, method] = ProbeOne(52, {kStatic,
                                          "f",
                                          "(JLjava/lang/String;)V",
                                          9,
                                          4,
                                          {0xBB, 0, 2, 0, 0, 0, 0, 0, 0, kReturn},
                                          {},
                                          {{"StackMapTable", frames}}});
  EXPECT_THAT(
      Frames(method.tables.at("StackMapTable"), "JO"),
      ElementsAre("11 [J,O,T,J] []", "12 [J,O,I,J] []", "13 [J,O,I,J] [@8]", "14 [J,O,T,J] []",
                  "15 [D,T,T,J] []", "16 [D,T,T,J] [I]", "26 [T,T,T,T,J] [O]"));
}

// The index of the token is above 255, so that a probe takes 10 bytes. This moves a switch by 2
// bytes modulo its alignment of 4.
TEST(AddProbesTest, SwitchesArePaddedAndLeadWhereTheyLed) {
  for (uint32_t before = 0; before < 4; ++before) {
    // Nops; iload_0; a switch whose only case and whose default both lead to the return after it.
    for (const uint8_t opcode : {uint8_t{0xAA}, uint8_t{0xAB}}) {
      const uint32_t at = before + 1;
      const uint32_t padding = 3 - at % 4;
      const uint32_t size = 1 + padding + 16;  // default, low, high, offset; default, count, pair
      ClassBytes code = ClassBytes(before, 0) + ClassBytes{0x1A, opcode} + ClassBytes(padding, 0) +
                        Shorts({0, size});
      code = code + (opcode == 0xAA ? Shorts({0, 0, 0, 0}) : Shorts({0, 1, 0, 5})) +
             Shorts({0, size}) + ClassBytes{kReturn};
      const auto [in, method] = ProbeOne(49, {kStatic, "f", "(I)V", 1, 256, code});
      const uint32_t new_at = 10 + at;
      const uint32_t new_padding = 3 - new_at % 4;
      const uint32_t new_size = 1 + new_padding + 16;
      ASSERT_EQ(method.code.size(), new_at + new_size + 10 + 1 + 12);
      const auto begin = method.code.begin() + new_at + 1 + new_padding;
      EXPECT_EQ(ClassBytes(begin, begin + 4), Shorts({0, new_size}));
      EXPECT_EQ(ClassBytes(begin + 12, begin + 16), Shorts({0, new_size}));
      EXPECT_EQ(method.handlers, (Table{{10, new_at + new_size, new_at + new_size + 11, 0}}));
    }
  }
}

TEST(AddProbesTest, SubroutinesOfOldVersionsStayReachableAndHaveNoStackMap) {
  // 0: jsr 4; 3: return; 4: astore_0; 5: ret 0; and a wide jsr.
  const auto [in, method] =
      ProbeOne(48, {kStatic, "f", "()V", 1, 1, {0xA8, 0, 4, kReturn, 0x4B, 0xA9, 0}});
  EXPECT_EQ(method.code, (EntryCode(in, 7, 1) + ClassBytes{0xA8, 0, 12} + ExitCode(in, 7, 1) +
                          ClassBytes{kReturn, 0x4B, 0xA9, 0} + HandlerCode(in, 7, 1)));
  EXPECT_THAT(method.tables, IsEmpty());
  const auto [wide_in, wide] =
      ProbeOne(48, {kStatic, "f", "()V", 1, 1, {0xC9, 0, 0, 0, 6, kReturn, 0x4B, 0xA9, 0}});
  EXPECT_EQ(ClassBytes(wide.code.begin() + 8, wide.code.begin() + 13),
            (ClassBytes{0xC9, 0, 0, 0, 14}));
}

TEST(AddProbesTest, HandlersOfTheMethodComeFirstAndOursLeavesProbesOut) {
  // 0: nop; 1: return; 2: astore_0; 3: return; try 0 to 1, and 0 to 2, catch at 2
  const auto [in, method] = ProbeOne(
      49, {kStatic, "f", "()V", 1, 1, {0, kReturn, 0x4B, kReturn}, {{0, 1, 2, 5}, {0, 2, 2, 0}}});
  // 8: nop; 9: exit; 17: return; 18: astore_0; 19: exit; 27: return; 28: ours
  EXPECT_EQ(method.handlers,
            (Table{{8, 9, 18, 5}, {8, 18, 18, 0}, {8, 9, 28, 0}, {18, 19, 28, 0}}));
}

TEST(AddProbesTest, LinesVariablesAndTypeAnnotationsMoveWithTheCode) {
  // 0: new; 3: pop; 4: return. One variable lives in all of the code, one from 3 on.
  const ClassBytes lines = Shorts({2, 0, 10, 4, 11});
  const ClassBytes variables = Shorts({2, 0, 5, 1, 1, 0, 3, 2, 1, 1, 1});
  // Two annotations: of a local variable (range [3, 5), index 1, no path, type 1 with an array of
  // two ints), and of `new` at 0.
  const ClassBytes annotations = Shorts({2}) + ClassBytes{0x40} + Shorts({1, 3, 2, 1}) +
                                 ClassBytes{0} + Shorts({1, 1, 1}) + ClassBytes{'['} + Shorts({2}) +
                                 ClassBytes{'I', 0, 1, 'I', 0, 1} + ClassBytes{0x44} + Shorts({0}) +
                                 ClassBytes{0} + Shorts({1, 0});
  const auto [in, method] = ProbeOne(49, {kStatic,
                                          "f",
                                          "(II)V",
                                          1,
                                          2,
                                          {0xBB, 0, 2, 0x57, kReturn},
                                          {},
                                          {{"LineNumberTable", lines},
                                           {"LocalVariableTable", variables},
                                           {"LocalVariableTypeTable", variables},
                                           {"RuntimeVisibleTypeAnnotations", annotations},
                                           {"Unknown", {1, 2, 3}}}});
  // 8: new; 11: pop; 12: exit; 20: return; 21: ours
  EXPECT_EQ(method.tables.at("LineNumberTable"), Shorts({2, 0, 10, 12, 11}));
  const ClassBytes moved = Shorts({2, 0, 21, 1, 1, 0, 11, 10, 1, 1, 1});
  EXPECT_EQ(method.tables.at("LocalVariableTable"), moved);
  EXPECT_EQ(method.tables.at("LocalVariableTypeTable"), moved);
  EXPECT_EQ(method.tables.at("RuntimeVisibleTypeAnnotations"),
            (Shorts({2}) + ClassBytes{0x40} + Shorts({1, 11, 10, 1}) + ClassBytes{0} +
             Shorts({1, 1, 1}) + ClassBytes{'['} + Shorts({2}) + ClassBytes{'I', 0, 1, 'I', 0, 1} +
             ClassBytes{0x44} + Shorts({8}) + ClassBytes{0} + Shorts({1, 0})));
  EXPECT_EQ(method.tables.at("Unknown"), (ClassBytes{1, 2, 3}));
}

TEST(AddProbesTest, MethodsThatAreNotChosenStayByteForByte) {
  ClassMaker maker(52);
  maker.Add({kStatic, "chosen", "()V", 0, 0, {kReturn}});
  maker.Add({kStatic, "other", "()V", 0, 0, {kReturn}});
  const ClassBytes bytes = maker.Bytes();
  const auto choose = [](const instrument::MethodToProbe& method) {
    return method.name == "chosen" ? std::optional<uint32_t>(1) : std::nullopt;
  };
  const auto probed = instrument::AddProbes(bytes, {"P"}, choose, nullptr);
  ASSERT_TRUE(probed.ok());
  const auto before = ReadClass::Read(bytes);
  const auto after = ReadClass::Read(probed.value());
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->methods.at("other()V").whole, after->methods.at("other()V").whole);
  EXPECT_NE(before->methods.at("chosen()V").whole, after->methods.at("chosen()V").whole);
  EXPECT_EQ(probed.value(), instrument::AddProbes(bytes, {"P"}, choose, nullptr).value());
}

TEST(AddProbesTest, ClassWithoutProbedMethodsIsLeftAlone) {
  const ClassBytes bytes = ClassMaker(52).Add({0x401, "f", "()V", 0, 0, {}}).Bytes();
  const Probed probed = ProbeAll(bytes);
  EXPECT_THAT(probed.bytes, IsEmpty());
  ASSERT_EQ(probed.report.methods.size(), 1U);
  EXPECT_EQ(probed.report.methods[0].not_probed, instrument::NotProbed::kNoCode);
  EXPECT_EQ(probed.report.Probed(), 0U);
}

// Returns the int that sipush, bipush, ishl, sipush, iadd leave on the stack of a JVM.
uint32_t Pushed(const ClassBytes& code) {
  const auto short_at = [&code](size_t at) {
    return static_cast<int16_t>(code.at(at) << 8 | code.at(at + 1));
  };
  EXPECT_EQ((ClassBytes{code.at(0), code.at(3), code.at(4), code.at(5), code.at(6), code.at(9)}),
            (ClassBytes{0x11, 0x10, 16, 0x78, 0x11, 0x60}));
  return (static_cast<uint32_t>(short_at(1)) << 16) + static_cast<uint32_t>(short_at(7));
}

TEST(AddProbesTest, IdsOfAnySizeNeedNoConstants) {
  const auto probe = [](uint32_t id) {
    return ProbeAll(ClassMaker(52).Add({kStatic, "f", "()V", 0, 0, {kReturn}}).Bytes(), id).read;
  };
  const ReadClass small = probe(32767);
  EXPECT_EQ(small.methods.at("f()V").code[3], 0xB8);  // sipush, then invokestatic
  for (const uint32_t id :
       {32768U, 40000U, 65535U, 65536U, 98303U, 98304U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    const ReadClass large = probe(id);
    EXPECT_EQ(Pushed(large.methods.at("f()V").code), id);
    EXPECT_EQ(large.texts, small.texts);
  }
}

TEST(AddProbesTest, ReachesATokenAfterManyLocalsByWideInstructions) {
  const auto [in, method] = ProbeOne(52, {kStatic, "f", "()V", 0, 256, {kReturn}});
  EXPECT_EQ(ClassBytes(method.code.begin() + 6, method.code.begin() + 10),
            (ClassBytes{0xC4, 0x37, 1, 0}));
  EXPECT_EQ(ClassBytes(method.code.begin() + 13, method.code.begin() + 17),
            (ClassBytes{0xC4, 0x16, 1, 0}));
  EXPECT_EQ(method.max_locals, 258U);
}

TEST(AddProbesTest, MethodsThatHotSpotReplacesAreMarked) {
  ClassMaker maker(52);
  const std::vector<std::string> types = {"Ljava/lang/Deprecated;",
                                          "Ljdk/internal/vm/annotation/IntrinsicCandidate;"};
  for (const std::string& type : types) {
    MadeMethod method{kStatic, "f", "()V", 0, 0, {kReturn}};
    method.annotations = Shorts({2, maker.Utf8("LOther;"), 1, 1}) + ClassBytes{'s'} +
                         Shorts({1, maker.Utf8(type), 0});
    maker.Add(method);
  }
  const Probed probed = ProbeAll(maker.Bytes());
  EXPECT_FALSE(probed.report.methods.at(0).is_intrinsic);
  EXPECT_TRUE(probed.report.methods.at(1).is_intrinsic);
}

// HotSpot finalizes the objects of a class if its finalize() has more code than a return.
TEST(AddProbesTest, EmptyFinalizerStaysEmpty) {
  const Probed probed =
      ProbeAll(ClassMaker(52).Add({1, "finalize", "()V", 0, 1, {kReturn}}).Bytes());
  EXPECT_THAT(probed.bytes, IsEmpty());
  EXPECT_EQ(probed.report.methods.at(0).not_probed, instrument::NotProbed::kEmptyFinalizer);
}

TEST(AddProbesTest, TargetWithoutExitHasEntriesOnly) {
  // iload_0, ireturn
  const ClassBytes bytes = ClassMaker(52).Add({kStatic, "f", "(I)I", 1, 1, {0x1A, 0xAC}}).Bytes();
  const auto probed = instrument::AddProbes(
      bytes, {.class_name = "P", .entry = {"in", "(I)J"}, .exit = {}, .exception = {}},
      [](const instrument::MethodToProbe&) { return 7; }, nullptr);
  ASSERT_TRUE(probed.ok());
  const auto read = ReadClass::Read(probed.value());
  ASSERT_TRUE(read);
  const ReadMethod& method = read->methods.at("f(I)I");
  ASSERT_EQ(method.code.size(), 10U);  // sipush, invokestatic, lstore; the method
  EXPECT_EQ(method.code.back(), 0xAC);
  EXPECT_THAT(method.handlers, IsEmpty());
}

TEST(AddProbesTest, TargetCanTakeExceptionsWithoutReturns) {
  // iload_0, ireturn
  const ClassBytes bytes = ClassMaker(52).Add({kStatic, "f", "(I)I", 1, 1, {0x1A, 0xAC}}).Bytes();
  const auto probed = instrument::AddProbes(
      bytes, {.class_name = "P", .exit = {}}, [](const instrument::MethodToProbe&) { return 7; },
      nullptr);
  ASSERT_TRUE(probed.ok());
  const auto read = ReadClass::Read(probed.value());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ProbeIndex("exit"), 0U);
  const ReadMethod& method = read->methods.at("f(I)I");
  EXPECT_EQ(method.code,
            (EntryCode(*read, 7, 1) + ClassBytes{0x1A, 0xAC} + HandlerCode(*read, 7, 1)));
  EXPECT_EQ(method.handlers, (Table{{8, 9, 10, 0}}));
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "I"), ElementsAre("10 [T,J] [O]"));
}

TEST(AddProbesTest, EntryGetsThisBeforeTheId) {
  constexpr uint16_t kPublic = 1;
  const ClassBytes bytes = ClassMaker(52).Add({kPublic, "f", "(I)V", 0, 2, {kReturn}}).Bytes();
  const auto probed = instrument::AddProbes(
      bytes, {.class_name = "P", .entry = {"e", "(Ljava/lang/Object;I)J"}, .passes_this = true},
      [](const instrument::MethodToProbe&) { return 7; }, nullptr);
  ASSERT_TRUE(probed.ok());
  const auto read = ReadClass::Read(probed.value());
  ASSERT_TRUE(read);
  const ReadMethod& method = read->methods.at("f(I)V");
  ASSERT_GE(method.code.size(), 8U);
  // aload 0, sipush 7, invokestatic
  EXPECT_EQ(ClassBytes(method.code.begin(), method.code.begin() + 6),
            (ClassBytes{0x19, 0, 0x11, 0, 7, 0xB8}));
  EXPECT_THAT(read->texts, testing::Contains("(Ljava/lang/Object;I)J"));
  EXPECT_GE(method.max_stack, 2U);
}

TEST(AddProbesTest, EntryGetsTheParametersBeforeTheId) {
  const ClassBytes bytes =
      ClassMaker(52).Add({kStatic, "f", "(JLjava/lang/Object;ZD[I)V", 0, 7, {kReturn}}).Bytes();
  const auto probed = instrument::AddProbes(
      bytes, {.class_name = "P", .passes_parameters = true},
      [](const instrument::MethodToProbe&) { return 7; }, nullptr);
  ASSERT_TRUE(probed.ok());
  const auto read = ReadClass::Read(probed.value());
  ASSERT_TRUE(read);
  const ReadMethod& method = read->methods.at("f(JLjava/lang/Object;ZD[I)V");
  // lload 0, aload 2, iload 3, dload 4, aload 6
  const ClassBytes loads{0x16, 0, 0x19, 2, 0x15, 3, 0x18, 4, 0x19, 6};
  ASSERT_GE(method.code.size(), loads.size() + 8);
  EXPECT_EQ(ClassBytes(method.code.begin(), method.code.begin() + 10), loads);
  EXPECT_EQ(method.code[10], 0x11);  // sipush
  EXPECT_EQ(method.code[13], 0xB8);  // invokestatic
  EXPECT_THAT(read->texts, testing::Contains("(JLjava/lang/Object;ZD[II)J"));
  EXPECT_GE(method.max_stack, 8U);
}

}  // namespace
}  // namespace jprof
