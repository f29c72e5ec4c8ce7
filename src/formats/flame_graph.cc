#include "formats/flame_graph.h"

#include <utility>

#include "formats/flame_graph_page.h"
#include "formats/output_stream.h"
#include "formats/page/page_data.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;

class FlameGraphWriter : public FormatWriter {
 public:
  FlameGraphWriter(const FormatOptions& options, PageSections sections)
      : table_(options.total.value_or(profile::Weigh::kValue), SampleTable::Slices::kMany,
               SampleTable::States::kKeep),
        sections_(std::move(sections)) {}

  void OnBegin(int64_t time_ns) override { table_.OnBegin(time_ns); }
  void OnSample(const profile::Sample& sample) override { table_.OnSample(sample); }

  // Every section is asked: it may prepare for the type, or count.
  bool WantsEvents(const profile::JfrType& type) override {
    bool is_wanted = false;
    for (const auto& section : sections_) is_wanted |= section->WantsEvents(type);
    return is_wanted;
  }
  bool TakesEvent(const profile::JfrType& type) override {
    bool is_taken = false;
    for (const auto& section : sections_) is_taken |= section->TakesEvent(type);
    return is_taken;
  }
  void OnEvent(const profile::ProfileEvent& event) override {
    for (const auto& section : sections_) section->OnEvent(event);
  }

  Status Write(const Profile& profile, const FormatContext& context, OutputStream& out) override {
    table_.Finish();
    out.Text(kFlameGraphPageBefore);
    const Status written = WritePageData(profile, table_, context, sections_, out);
    if (!written) return written;
    out.Text(kFlameGraphPageAfter);
    return {};
  }

 private:
  SampleTable table_;
  const PageSections sections_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlameGraphWriter(const FormatOptions& options) {
  return MakePageWriter(options, {});
}

std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options, PageSections sections) {
  return std::make_unique<FlameGraphWriter>(options, std::move(sections));
}

}  // namespace jprof
