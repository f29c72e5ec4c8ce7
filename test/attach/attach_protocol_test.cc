#include "attach/attach_protocol.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

using namespace std::string_literals;

TEST(AttachProtocolTest, Version1AlwaysCarriesThreeArguments) {
  EXPECT_EQ(Encode({"load", {"/l.so", "true", "start"}}, AttachVersion::k1),
            "1\0load\0/l.so\0true\0start\0"s);
  EXPECT_EQ(Encode({"getversion", {}}, AttachVersion::k1), "1\0getversion\0\0\0\0"s);
}

TEST(AttachProtocolTest, Version2SaysHowLongTheRestIs) {
  EXPECT_EQ(Encode({"load", {"a", "b", "c"}}, AttachVersion::k2),
            "2\0"
            "11\0load\0a\0b\0c\0"s);
}

TEST(AttachProtocolTest, Version1Takes1024BytesAnArgument) {
  EXPECT_TRUE((AttachRequest{"load", {std::string(1024, 'x')}}).FitsVersion1());
  EXPECT_FALSE((AttachRequest{"load", {std::string(1025, 'x')}}).FitsVersion1());
}

TEST(AttachProtocolTest, AReplyIsANumberALineAndTheRest) {
  const Result<AttachReply> reply = ParseReply("0\nreturn code: 0\n");
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.value().result, 0);
  EXPECT_EQ(reply.value().text, "return code: 0\n");
  EXPECT_EQ(ParseReply("-1\n").value().result, -1);
  for (const std::string bad : {"", "0", "x\n", "\n", "0x\n", "99999999999\n", "\0\n"}) {
    EXPECT_FALSE(ParseReply(bad).ok()) << bad;
  }
}

struct AnswerCase {
  std::string reply;
  bool loaded;
  int return_code;
  std::string error;
};

TEST(AttachProtocolTest, EveryJdksReplyToLoadIsUnderstood) {
  const std::vector<AnswerCase> cases = {
      {"0\n0\n", true, 0, ""},                 // JDK 8
      {"0\n-1\n", true, -1, ""},               // JDK 8, Agent_OnAttach failed
      {"-1\n", false, 0, ""},                  // JDK 8, not loaded
      {"0\nreturn code: 0\n", true, 0, ""},    // JDK 9 and later
      {"0\nreturn code: -1\n", true, -1, ""},  // JDK 9 and later
      {"0\nreturn code: 100", true, 100, ""},  // no newline at the end
      {"0\n/l.so: cannot open shared object file\nmore\n", false, 0,
       "/l.so: cannot open shared object file"},
      {"0\n/l.so was not loaded.\n", false, 0, "/l.so was not loaded."},  // JDK 21+
      {"101\nProtocol mismatch\n", false, 0, "Protocol mismatch"},
  };
  for (const AnswerCase& each : cases) {
    const LoadReply load = InterpretLoad(ParseReply(each.reply).value());
    EXPECT_EQ(load.loaded, each.loaded) << each.reply;
    EXPECT_EQ(load.return_code, each.return_code) << each.reply;
    EXPECT_EQ(load.error, each.error) << each.reply;
  }
}

}  // namespace
}  // namespace jprof
