// The writer of the page: one HTML file with flame graphs of all kinds of samples, lines and
// sources, events, slow calls and slow requests (docs/formats/flame-graph.md). The build merges the
// styles and scripts into page.html. The writer inserts the data of the profile into the result.
// Used by one thread.
#include "formats/page/page_writer.h"

#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory_reserve.h"
#include "formats/output_stream.h"
#include "formats/page/event_tables.h"
#include "formats/page/page_data.h"
#include "formats/page/page_model.h"
#include "formats/page/slow_requests.h"
#include "formats/page/source_texts.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;

constexpr FormatRow kAgentRows[] = {
#define FORMAT_OF_BOTH JPROF_FORMAT_ROW
#include "formats/formats.def"
};

// PageText is the unpacked text of kPackedPage.
class PageText {
 public:
  PageText() : text_(kPackedPage.bytes, '\0'), data_at_(kPackedPage.data_at) {
    constexpr int kGzipOnly = 15 + 16;  // zlib.h: a window of 15 bits; adding 16 accepts only gzip
    z_stream stream{};
    stream.next_in = const_cast<Bytef*>(kPackedPage.gzip.data());
    stream.avail_in = static_cast<uInt>(kPackedPage.gzip.size());
    stream.next_out = reinterpret_cast<Bytef*>(text_.data());
    stream.avail_out = static_cast<uInt>(text_.size());
    const bool is_ready = inflateInit2(&stream, kGzipOnly) == Z_OK;
    is_whole_ = is_ready && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    if (is_ready) inflateEnd(&stream);
  }

  // False if there was too little memory to unpack the text.
  bool is_whole() const { return is_whole_; }

  // before_data and after_data return the parts of the text before and after the place of the
  // profile's data. Both are valid while this object exists.
  std::string_view before_data() const { return std::string_view(text_).substr(0, data_at_); }
  std::string_view after_data() const { return std::string_view(text_).substr(data_at_); }

 private:
  bool is_whole_ = false;
  std::string text_;
  size_t data_at_;
};

// Returns the sections of the page.
PageSections SectionsOf(const FormatOptions& options, profile::Weigh weigh) {
  PageSections sections;
  sections.push_back(std::make_unique<SourceTexts>(options));
  sections.push_back(std::make_unique<EventTables>());
  sections.push_back(std::make_unique<SlowCallGraphs>(weigh));
  sections.push_back(std::make_unique<SlowRequests>(weigh));
  return sections;
}

class PageWriter : public FormatWriter {
 public:
  PageWriter(const FormatOptions& options, profile::Weigh weigh)
      : table_(weigh, SampleTable::Slices::kMany, SampleTable::States::kKeep),
        sections_(SectionsOf(options, weigh)) {}

  void OnBegin(int64_t time_ns) override { table_.OnBegin(time_ns); }
  void OnChunk(const profile::JfrSchema& declared) override {
    for (const auto& section : sections_) section->OnChunk(declared);
  }
  void OnSample(const profile::Sample& sample) override {
    table_.OnSample(sample);
    for (const auto& section : sections_) section->OnSample(sample);
  }

  // Calls WantsEvents of every section, even if a section has already accepted the type. Each
  // section needs the call to prepare itself for the events of the type.
  bool WantsEvents(const profile::RecordedType& type) override {
    bool is_wanted = false;
    for (const auto& section : sections_) is_wanted |= section->WantsEvents(type);
    return is_wanted;
  }
  bool TakesEvent(const profile::RecordedType& type) override {
    takers_ = 0;
    for (size_t i = 0; i < sections_.size(); ++i) {
      takers_ |= uint32_t{sections_[i]->TakesEvent(type)} << i;
    }
    return takers_ != 0;
  }
  void OnEvent(const profile::ProfileEvent& event) override {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if ((takers_ >> i & 1) != 0) sections_[i]->OnEvent(event);
    }
  }

  Status Write(const Profile& profile, const FormatContext& context, OutputStream& out) override {
    table_.Finish();
    const PageText page;
    if (!page.is_whole()) return OutOfMemory();
    out.Text(page.before_data());
    const Status written = WritePageData(profile, table_, context, sections_, out);
    if (!written) return written;
    out.Text(page.after_data());
    return {};
  }

 private:
  SampleTable table_;
  const PageSections sections_;
  uint32_t takers_ = 0;  // a bit for each section that accepted the event in the last TakesEvent
};

}  // namespace

// Uses the options `total` (by default values), `find_source` and `editor`.
std::unique_ptr<FormatWriter> MakePageWriter(const FormatOptions& options) {
  return std::make_unique<PageWriter>(options, options.total.value_or(profile::Weigh::kValue));
}

const FormatTable& AgentFormats() {
  static constexpr FormatTable kTable{kAgentRows};
  return kTable;
}

}  // namespace jprof
