// Tests that the entry probe of a constructor comes after super() or this(). In these tests an
// entry probe takes 8 bytes. In lists of instructions, "ours" is the handler that AddProbes adds at
// the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "instrument/probed_class.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint8_t kAload0 = 0x2A;
constexpr uint8_t kDup = 0x59;
using Table = std::vector<std::vector<uint32_t>>;

// ConstructorTest makes a constructor of the class Made, whose superclass is Base, from its parts.
class ConstructorTest : public ::testing::Test {
 protected:
  ClassBytes Invoke(const std::string& owner, const std::string& descriptor) {
    return ClassBytes{0xB7} + Shorts({maker_.MethodOf(owner, "<init>", descriptor)});
  }
  ClassBytes New(const std::string& name) {
    return ClassBytes{0xBB} + Shorts({maker_.Class(name)});
  }

  const ReadMethod& Probe(const std::string& descriptor, const ClassBytes& code,
                          const Table& handlers = {},
                          const std::vector<std::pair<std::string, ClassBytes>>& tables = {}) {
    maker_.Add({1, "<init>", descriptor, 9, 4, code, handlers, tables});
    probed_ = ProbeAll(maker_.Bytes());
    return probed_.read.methods["<init>" + descriptor];
  }
  std::optional<instrument::NotProbed> Reason() const {
    return probed_.report.methods.at(0).not_probed;
  }

  ClassMaker maker_{52, "Made", "Base"};
  Probed probed_;
};

TEST_F(ConstructorTest, IsEnteredAfterSuperAndCoveredFromThereOn) {
  const ClassBytes super = ClassBytes{kAload0} + Invoke("Base", "()V");
  const ReadMethod& method = Probe("()V", super + ClassBytes{0, kReturn});
  const ReadClass& in = probed_.read;
  EXPECT_EQ(method.code, super + EntryCode(in, 7, 4) + ClassBytes{0} + ExitCode(in, 7, 4) +
                             ClassBytes{kReturn} + HandlerCode(in, 7, 4));
  EXPECT_EQ(method.handlers, (Table{{12, 13, 22, 0}}));
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "U"), ElementsAre("22 [T,T,T,T,J] [O]"));
}

TEST_F(ConstructorTest, ArgumentsOfItsOwnClassAreNoSuperCall) {
  // this(new Made(null), new Base()), and another new Made(null) after it
  const ClassBytes argument = New("Made") + ClassBytes{kDup, 1} + Invoke("Made", "(LMade;)V");
  const ClassBytes before = ClassBytes{kAload0} + argument + New("Base") + ClassBytes{kDup} +
                            Invoke("Base", "()V") + Invoke("Made", "(LMade;LBase;)V");
  const ClassBytes after = argument + ClassBytes{0x57};
  const ReadMethod& method = Probe("()V", before + after + ClassBytes{kReturn});
  const ReadClass& in = probed_.read;
  EXPECT_EQ(method.code, before + EntryCode(in, 7, 4) + after + ExitCode(in, 7, 4) +
                             ClassBytes{kReturn} + HandlerCode(in, 7, 4));
}

TEST_F(ConstructorTest, ObjectIsFollowedThroughLocalsAndTheStack) {
  // aload_0; astore_3; aload_3; aconst_null; dup_x1 (null, this, null); pop; swap; pop; super() on
  // this
  const ClassBytes before =
      ClassBytes{kAload0, 0x4E, 0x2D, 1, 0x5A, 0x57, 0x5F, 0x57} + Invoke("Base", "()V");
  const ReadMethod& method = Probe("()V", before + ClassBytes{kReturn});
  const ReadClass& in = probed_.read;
  EXPECT_EQ(method.code, before + EntryCode(in, 7, 4) + ExitCode(in, 7, 4) + ClassBytes{kReturn});
}

TEST_F(ConstructorTest, EachOfSeveralSuperCallsIsFollowedByAnEntry) {
  // 0: iload_1; 1: ifeq 9; 4: super(); 8: return; 9: this(); 13: return
  const ClassBytes first = ClassBytes{kAload0} + Invoke("Base", "()V");
  const ClassBytes second = ClassBytes{kAload0} + Invoke("Made", "()V");
  const ReadMethod& method = Probe(
      "(I)V",
      ClassBytes{0x1B, 0x99, 0, 8} + first + ClassBytes{kReturn} + second + ClassBytes{kReturn}, {},
      {{"StackMapTable", Shorts({1}) + ClassBytes{9}}});
  const ReadClass& in = probed_.read;
  const ClassBytes leave = ExitCode(in, 7, 4) + ClassBytes{kReturn};
  EXPECT_EQ(method.code, ClassBytes({0x1B, 0x99, 0, 24}) + first + EntryCode(in, 7, 4) + leave +
                             second + EntryCode(in, 7, 4) + leave);
  // The frame has no token: the constructor is not entered yet.
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "UI"), ElementsAre("25 [U,I] []"));
}

TEST_F(ConstructorTest, OnlyFramesAfterSuperHaveTheToken) {
  // 0: aload_0; 1: iload_1; 2: ifeq 6; 5: nop; 6: super(); 9: iload_1; 10: ifeq 14; 13: nop; 14:
  // return
  const ClassBytes code = ClassBytes{kAload0, 0x1B, 0x99, 0, 4, 0} + Invoke("Base", "()V") +
                          ClassBytes{0x1B, 0x99, 0, 4, 0, kReturn};
  const ClassBytes frames = Shorts({2}) + ClassBytes{255} + Shorts({6, 2}) + ClassBytes{6, 1} +
                            Shorts({1}) + ClassBytes{6} + ClassBytes{255} + Shorts({7, 2}) +
                            ClassBytes{7, 0, 2, 1} + Shorts({0});
  const ReadMethod& method = Probe("(I)V", code, {}, {{"StackMapTable", frames}});
  EXPECT_THAT(Frames(method.tables.at("StackMapTable"), "UI"),
              ElementsAre("6 [U,I] [U]", "22 [O,I,T,T,J] []", "31 [T,T,T,T,J] [O]"));
}

TEST_F(ConstructorTest, WithoutSuperCallIsNotProbed) {
  Probe("()V", {1, 0xBF});  // throw null
  EXPECT_EQ(Reason(), instrument::NotProbed::kNoSuperCall);
  EXPECT_THAT(probed_.bytes, IsEmpty());
}

TEST_F(ConstructorTest, IsNotProbedIfAHandlerCoversSuper) {
  // 0: aload_0; 1: super(); 4: nop; 5: return; 6: athrow, which catches 0 to 5
  const ClassBytes code =
      ClassBytes{kAload0} + Invoke("Base", "()V") + ClassBytes{0, kReturn, 0xBF};
  Probe("()V", code, {{0, 5, 6, 0}});
  EXPECT_EQ(Reason(), instrument::NotProbed::kSharedHandler);
}

TEST_F(ConstructorTest, HandlerOfSuperAloneDoesNotCoverTheEntry) {
  const ClassBytes super = ClassBytes{kAload0} + Invoke("Base", "()V");
  const ReadMethod& method = Probe("()V", super + ClassBytes{0, kReturn, 0xBF}, {{0, 4, 6, 0}});
  // 0: super; 4: entry; 12: nop; 13: exit; 21: return; 22: athrow; 23: ours
  EXPECT_EQ(method.handlers, (Table{{0, 4, 22, 0}, {12, 13, 23, 0}}));
}

TEST(ObjectConstructorTest, IsEnteredAtItsStart) {
  const Probed probed = ProbeAll(
      ClassMaker(52, "java/lang/Object", "").Add({1, "<init>", "()V", 0, 1, {kReturn}}).Bytes());
  EXPECT_EQ(probed.read.methods.at("<init>()V").code,
            EntryCode(probed.read, 7, 1) + ExitCode(probed.read, 7, 1) + ClassBytes{kReturn});
}

}  // namespace
}  // namespace jprof
