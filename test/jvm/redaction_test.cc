#include "jvm/redaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string RedactOne(const std::string& argument) { return RedactArguments({argument}).front(); }

TEST(RedactionTest, HidesValuesOfSecretKeysInEverySpelling) {
  for (const char* key :
       {"db.password", "javax.net.ssl.keyStorePassword", "DB_PASSWD", "my.pwd", "clientSecret",
        "client-secret", "github.token", "aws.credentials", "api-key", "API_KEY", "apiKey",
        "api.key", "private_key", "ssh.passphrase", "java.security.auth.login.config",
        "proxyAuthUser", "jwt.value", "sasl.jaas.config"}) {
    EXPECT_EQ(RedactProperty(key, "x"), "[REDACTED]") << key;
  }
}

TEST(RedactionTest, OtherPropertiesStayAsTheyAre) {
  EXPECT_EQ(RedactProperty("java.vm.name", "OpenJDK 64-Bit Server VM"), "OpenJDK 64-Bit Server VM");
  EXPECT_EQ(RedactProperty("java.class.path", "/opt/token-service.jar:/x=y"),
            "/opt/token-service.jar:/x=y");
  EXPECT_EQ(RedactProperty("empty", ""), "");
}

TEST(RedactionTest, HidesSecretsInsideTheValueOfAnotherProperty) {
  EXPECT_EQ(RedactProperty("db.url", "jdbc:mysql://h/db?user=scott&password=tiger&ssl=true"),
            "jdbc:mysql://h/db?user=scott&password=[REDACTED]");
  EXPECT_EQ(RedactProperty("proxy", "http://john:p@ss@host:80/x?y=@z"),
            "http://[REDACTED]@host:80/x?y=@z");
  EXPECT_EQ(RedactProperty("two", "a://u:p@h b://token@h2"), "a://[REDACTED]@h b://[REDACTED]@h2");
}

TEST(RedactionTest, AssignmentsKeepTheNameAndLoseTheValue) {
  EXPECT_EQ(RedactOne("-Ddb.password=hunter2"), "-Ddb.password=[REDACTED]");
  EXPECT_EQ(RedactOne("--api-key=a=b"), "--api-key=[REDACTED]");
  EXPECT_EQ(RedactOne("Password=x y"), "Password=[REDACTED]");
  EXPECT_EQ(RedactOne("-Durl=x?token=1&y=2"), "-Durl=[REDACTED]");
  EXPECT_EQ(RedactOne("u://me:pw@h?x=token"), "u://[REDACTED]@h?x=[REDACTED]");
}

TEST(RedactionTest, AnOptionNamedLikeASecretHidesTheNextArgument) {
  EXPECT_THAT(RedactArguments({"-v", "--dbpassword", "--hunter2", "-password", "x", "end"}),
              ElementsAre("-v", "--dbpassword", "[REDACTED]", "-password", "[REDACTED]", "end"));
  EXPECT_THAT(RedactArguments({"--token"}), ElementsAre("--token"));
}

TEST(RedactionTest, ASecretWordElsewhereHidesTheWholeArgument) {
  EXPECT_EQ(RedactOne("--passwordhunter2"), "[REDACTED]");
  EXPECT_EQ(RedactOne("{\"password\":\"x\"}"), "[REDACTED]");
  EXPECT_EQ(RedactOne("token:abc"), "[REDACTED]");
}

TEST(RedactionTest, OrdinaryArgumentsStayAsTheyAre) {
  const std::vector<std::string> plain = {"-Xmx2G", "-XX:+UseG1GC", "--author", "jane", "a b", ""};
  EXPECT_EQ(RedactArguments(plain), plain);
  EXPECT_EQ(RedactOne("http://u:p@h/x"), "http://[REDACTED]@h/x");
}

TEST(RedactionTest, AJavaCommandKeepsItsMainClassAndLosesSecrets) {
  EXPECT_EQ(RedactJavaCommand("com.example.TokenServer --port 80 --secret s3 --verbose x"),
            "com.example.TokenServer --port 80 --secret [REDACTED] --verbose x");
  EXPECT_EQ(RedactJavaCommand("Main a  b"), "Main a  b");
  EXPECT_EQ(RedactJavaCommand(""), "");
}

TEST(RedactionTest, HidesAllWordsOfASecretWithSpaces) {
  EXPECT_EQ(RedactJavaCommand("app.jar --password my long phrase -x y"),
            "app.jar --password [REDACTED] -x y");
  EXPECT_EQ(RedactJavaCommand("app.jar --password=my long phrase -x"),
            "app.jar --password=[REDACTED] -x");
  EXPECT_EQ(RedactJavaCommand("app.jar --password -dash phrase"), "app.jar --password [REDACTED]");
}

TEST(RedactionTest, RedactsTheCommandAmongTheProperties) {
  EXPECT_THAT(RedactProperty("sun.java.command", "Main --password=hunter2"),
              Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace jprof
