#include "formats/firefox/facts.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/scoped_fd.h"
#include "formats/json_writer.h"
#include "formats/output_stream.h"
#include "profile/profile.h"
#include "support/temp_folder.h"

namespace jprof::firefox {
namespace {

std::string MetaOf(const std::string& jvm_version) {
  const test::TempFolder folder;
  const std::string path = folder.File("out");
  const ScopedFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  OutputStream out(file.get(), path);
  JsonWriter json(out);
  profile::Profile profile;
  profile.jvm_version = jvm_version;
  json.BeginObject();
  Facts().Write(profile, {}, json);
  json.EndObject();
  EXPECT_TRUE(out.Finish().ok());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(FactsTest, NamesTheJdkByItsRuntimeVersion) {
  struct Case {
    const char *jvm_version, *jdk;
  };
  for (const Case& each : {
           Case{"OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built",
                "JDK 25.0.3"},
           Case{"OpenJDK 64-Bit Server VM (25.302-b08) for linux-amd64 JRE (1.8.0_302-b08), built",
                "JDK 1.8.0_302"},
           Case{"Java HotSpot(TM) 64-Bit Server VM (17.0.1+12-LTS-39) for linux-amd64 JRE "
                "(17.0.1+12-LTS-39), built",
                "JDK 17.0.1"},
           Case{"Java HotSpot(TM) 64-Bit Server VM (21+35) for linux", "JDK 21"},
           Case{"no version at all", "no version at all"},
       }) {
    EXPECT_THAT(MetaOf(each.jvm_version),
                testing::HasSubstr(std::string(R"("misc":")") + each.jdk + '"'))
        << each.jvm_version;
  }
}

}  // namespace
}  // namespace jprof::firefox
