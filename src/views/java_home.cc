#include "views/java_home.h"

#include <string>

#include "formats/format_writer.h"
#include "formats/output_stream.h"
#include "profile/profile_event.h"

namespace jprof {
namespace {

class JavaHomeWriter : public FormatWriter {
 public:
  void OnSample(const profile::Sample&) override {}

  bool WantsEvents(const profile::JfrType& type) override {
    return type.name == "jdk.InitialSystemProperty";
  }

  void OnEvent(const profile::ProfileEvent& event) override {
    if (event.event.Field("key").String() != "java.home") return;
    home_ = event.event.Field("value").String();
  }

  Status Write(const profile::Profile&, const FormatContext&, OutputStream& out) override {
    out.Text(home_);
    return {};
  }

 private:
  std::string home_;
};

std::unique_ptr<FormatWriter> Make(const FormatOptions&) {
  return std::make_unique<JavaHomeWriter>();
}

constexpr FormatRow kJavaHome = {
    "java.home",           "",  "", FormatKinds::kAll, profile::LineNumbers::kDrop,
    FormatContent::kLines, Make};

}  // namespace

const FormatRow& JavaHomeOfRecording() { return kJavaHome; }

}  // namespace jprof
