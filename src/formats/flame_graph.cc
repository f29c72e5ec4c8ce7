#include "formats/flame_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/output_stream.h"
#include "formats/page/page_data.h"
#include "formats/page/page_text.h"
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
        sections_(std::move(sections)),
        declines_(sections_.size()) {}

  void OnBegin(int64_t time_ns) override { table_.OnBegin(time_ns); }
  void OnChunk(const profile::JfrSchema& declared) override {
    for (const auto& section : sections_) section->OnChunk(declared);
  }
  void OnSample(const profile::Sample& sample) override {
    table_.OnSample(sample);
    for (const auto& section : sections_) section->OnSample(sample);
  }

  // Every section is asked: it may prepare for the type, or count.
  bool WantsEvents(const profile::JfrType& type) override {
    bool is_wanted = false;
    for (const auto& section : sections_) is_wanted |= section->WantsEvents(type);
    return is_wanted;
  }
  bool TakesEvent(const profile::JfrType& type) override {
    for (size_t i = 0; i < sections_.size(); ++i) declines_[i] = !sections_[i]->TakesEvent(type);
    return std::ranges::find(declines_, false) != declines_.end();
  }
  void OnEvent(const profile::ProfileEvent& event) override {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (!declines_[i]) sections_[i]->OnEvent(event);
    }
  }

  Status Write(const Profile& profile, const FormatContext& context, OutputStream& out) override {
    table_.Finish();
    const PageText page;
    out.Text(page.before_part_styles());
    for (const auto& section : sections_) out.Text(section->Text().styles);
    out.Text(page.before_part_elements());
    for (const auto& section : sections_) out.Text(section->Text().elements);
    out.Text(page.before_data());
    const Status written = WritePageData(profile, table_, context, sections_, out);
    if (!written) return written;
    out.Text(page.before_part_scripts());
    for (const auto& section : sections_) out.Text(section->Text().scripts);
    out.Text(page.end());
    return {};
  }

 private:
  SampleTable table_;
  const PageSections sections_;
  std::vector<bool> declines_;  // by section, of the event that TakesEvent was asked about
};

}  // namespace

std::unique_ptr<FormatWriter> MakeFlameGraphWriter(const FormatOptions& options) {
  return MakePageWriter(options, {});
}

std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options, PageSections sections) {
  return std::make_unique<FlameGraphWriter>(options, std::move(sections));
}

}  // namespace jprof
