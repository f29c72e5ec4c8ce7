#include "attach/java_command.h"

#include <gtest/gtest.h>

#include "attach/jvm_list.h"

namespace jprof {
namespace {

struct Case {
  std::vector<std::string> arguments;
  std::string program;
};

TEST(JavaCommandTest, FindsTheProgramAfterTheOptions) {
  const std::vector<Case> cases = {
      {{"java", "Main"}, "Main"},
      {{"/usr/bin/java", "-Xmx1g", "-cp", "a:b", "com.example.Main", "-jar", "x"},
       "com.example.Main"},
      {{"java", "-classpath", "Main", "Other"}, "Other"},
      {{"java", "--class-path", "x", "Other"}, "Other"},
      {{"java", "--class-path=x", "Other"}, "Other"},
      {{"java", "-Dx=y", "-jar", "/srv/app.jar", "--port", "80"}, "/srv/app.jar"},
      {{"java", "-p", "mods", "-m", "app/com.example.Main"}, "app/com.example.Main"},
      {{"java", "--module=app/com.example.Main"}, "app/com.example.Main"},
      {{"java", "--add-modules", "ALL", "--add-opens", "a/b=c", "Main"}, "Main"},
      {{"java", "@args", "Main"}, "Main"},
      {{"java", "@args"}, ""},
      {{"java", "-jar"}, ""},
      {{"java"}, ""},
      {{"/opt/idea/bin/idea", "-x"}, "idea"},
      {{}, ""},
  };
  for (const Case& each : cases) EXPECT_EQ(JavaProgramOf(each.arguments), each.program);
}

TEST(JavaCommandTest, UsesTheTextOfTheJvmForArgumentFiles) {
  struct {
    std::vector<std::string> arguments;
    std::string java_command;
    std::string program;
    std::string main;
  } const cases[] = {
      {{"java", "@args"}, "com.example.Main a b", "com.example.Main", ""},
      {{"java", "@args"}, "com.example.Main", "com.example.Main", ""},
      {{"java", "@args", "first", "second"},
       "com.example.Main first second",
       "com.example.Main",
       ""},
      {{"java", "@args", "Main"}, "Main", "Main", ""},
      {{"java", "@args"}, "app/com.example.Main", "app/com.example.Main", ""},
      {{"java", "@args"}, "/srv/my app.jar --port 80", "/srv/my app.jar", ""},
      {{"java", "-jar", "/srv/an app"}, "/srv/an app", "/srv/an app", ""},
      {{"java", "Hello.java", "x"},
       "jdk.compiler/com.sun.tools.javac.launcher.Main Hello.java x",
       "Hello.java",
       ""},
      {{"java", "@args"}, "", "", ""},
      {{"java", "Main"}, "", "Main", ""},
      {{"/opt/app/bin/app", "x"}, "com.example.Main x", "app", "com.example.Main"},
      {{"/opt/app/bin/app", "x"}, "", "app", ""},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(ProgramOf(each.arguments, each.java_command), each.program) << each.java_command;
    EXPECT_EQ(MainOf(each.arguments, each.java_command), each.main) << each.java_command;
  }
}

JvmDescription Jvm(pid_t pid, const std::string& program) {
  JvmDescription jvm;
  jvm.pid = pid;
  jvm.program = program;
  return jvm;
}

std::vector<pid_t> PidsOf(const std::vector<JvmDescription>& jvms) {
  std::vector<pid_t> pids;
  for (const JvmDescription& jvm : jvms) pids.push_back(jvm.pid);
  return pids;
}

TEST(JavaCommandTest, PrefersWholeNamesToPartsOfNames) {
  const std::vector<JvmDescription> jvms = {Jvm(1, "com.example.Server"), Jvm(2, "ServerTest"),
                                            Jvm(3, "/srv/app.jar"), Jvm(4, "org.acme.Server")};
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "com.example.Server")), (std::vector<pid_t>{1}));
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "Server")), (std::vector<pid_t>{1, 4}));
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "app.jar")), (std::vector<pid_t>{3}));
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "erver")), (std::vector<pid_t>{1, 2, 4}));
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "nothing")), (std::vector<pid_t>{}));
}

TEST(JavaCommandTest, FindsALauncherByTheProgramItStarts) {
  std::vector<JvmDescription> jvms = {Jvm(1, "com.example.Server"), Jvm(2, "app")};
  jvms[1].main = "org.acme.Server";
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "Server")), (std::vector<pid_t>{1, 2}));
  EXPECT_EQ(PidsOf(MatchingJvms(jvms, "app")), (std::vector<pid_t>{2}));
}

}  // namespace
}  // namespace jprof
