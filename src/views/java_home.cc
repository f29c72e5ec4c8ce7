#include "views/java_home.h"

#include <string>
#include <string_view>

#include "formats/format_writer.h"
#include "formats/output_stream.h"
#include "jfr/format/jfr_types.h"
#include "profile/profile_event.h"

namespace jprof {
namespace {

// "25.0.3" of "... VM (25.0.3+9-LTS) for linux-amd64 JRE (25.0.3+9-LTS), built on ...".
std::string VersionIn(const std::string& jvm_version) {
  constexpr std::string_view kBegin = "JRE (";
  const size_t begin = jvm_version.find(kBegin);
  if (begin == std::string::npos) return {};
  const std::string version = jvm_version.substr(begin + kBegin.size());
  return version.substr(0, version.find_first_of("+-)"));
}

class JavaHomeWriter : public FormatWriter {
 public:
  void OnSample(const profile::Sample&) override {}

  bool WantsEvents(const profile::RecordedType& type) override {
    return type.name == JfrName(JfrType::kInitialSystemProperty);
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    if (event.event.Field("key").String() != "java.home") return;
    home_ = event.event.Field("value").String();
  }

  Status Write(const profile::Profile& profile, const FormatContext&, OutputStream& out) override {
    out.Text(home_ + "\n" + VersionIn(profile.jvm_version));
    return {};
  }

 private:
  std::string home_;
};

std::unique_ptr<FormatWriter> Make(const FormatOptions&) {
  return std::make_unique<JavaHomeWriter>();
}

constexpr FormatRow kJavaHome = {
    "java.home", "", "", FormatKinds::kAll, FormatLines::kIfAsked, FormatContent::kLines, Make};

}  // namespace

const FormatRow& JavaHomeOfRecording() { return kJavaHome; }

}  // namespace jprof
