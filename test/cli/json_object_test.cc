#include "cli/words/json_object.h"

#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

TEST(JsonObjectTest, DotsInKeysMakeNestedObjects) {
  AgentAnswer answer;
  answer.facts.AddText("state", "recording");
  answer.facts.AddNumber("recorded.cpu.samples", 12);
  answer.facts.AddText("engines[]", "cpu every 10 ms");
  answer.facts.AddNumber("recorded.alloc.bytes", 4096);
  answer.facts.AddText("engines[]", "alloc");
  answer.notes = {"warning: none"};
  answer.version = "1.2.3";
  EXPECT_EQ(JsonOf(answer).Done(),
            R"({"state":"recording","recorded":{"cpu":{"samples":12},"alloc":{"bytes":4096}},)"
            R"("engines":["cpu every 10 ms","alloc"],"notes":["warning: none"],"agent":"1.2.3"})");
}

// An answer is not trusted, since a JVM of another user can have written it.
TEST(JsonObjectTest, AnyAnswerGivesValidJson) {
  AgentAnswer answer;
  answer.facts.AddText("a\"b", "x\n\x1b[31m\\ \xff</script>");
  answer.facts.Add({"number", "1,\"injected\":2", true});
  answer.facts.Add({"zero", "007", true});
  answer.facts.Add({"none", "", true});
  answer.facts.AddNumber("same", 1);
  answer.facts.AddNumber("same.inner", 2);
  answer.facts.AddNumber("[]", 3);
  answer.facts.AddNumber("", 4);
  EXPECT_EQ(JsonOf(answer).Done(),
            "{\"a\\\"b\":\"x\\u000a\\u001b[31m\\\\ \\ufffd\\u003c/script\\u003e\","
            "\"number\":\"1,\\\"injected\\\":2\",\"zero\":\"007\",\"none\":\"\",\"same\":1,"
            "\"\":[3],\"\":4,\"notes\":[]}");
}

TEST(JsonObjectTest, BoundsTheDepthOfAKey) {
  std::string key;
  for (int i = 0; i < 100'000; ++i) key += "a.";
  AgentAnswer answer;
  answer.facts.AddNumber(key, 1);
  const std::string json = JsonOf(answer).Done();
  EXPECT_EQ(json.substr(0, 24), R"({"a":{"a":{"a":{"a":{"a")");
  EXPECT_EQ(json.substr(json.size() - 25), R"(a.a.":1}}}}}}}},"notes":[]})" + 2);
}

}  // namespace
}  // namespace jprof
