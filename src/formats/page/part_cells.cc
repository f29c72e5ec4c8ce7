#include "formats/page/part_cells.h"

#include <algorithm>

#include "formats/credible_time.h"

namespace jprof {
namespace {

using profile::Sample;
using profile::SampleTable;
using profile::Weigh;

uint32_t SliceOf(const SampleTable& table, int64_t begin_ns) {
  if (table.slice_ns() == 0) return 0;
  const int64_t slice =
      (CredibleTime(begin_ns) - CredibleTime(table.start_ns())) / table.slice_ns();
  return static_cast<uint32_t>(std::clamp<int64_t>(slice, 0, table.slice_count() - 1));
}

}  // namespace

std::vector<std::string> PartCells(const PageModel& page, const std::vector<Sample>& samples,
                                   int64_t begin_ns, Weigh weigh) {
  const uint32_t slice = SliceOf(page.table, begin_ns);
  std::vector<PageCells::Group> groups;
  for (const Sample& sample : samples) {
    const uint32_t state = std::min(sample.state, SampleTable::kMaxStates - 1);
    groups.push_back(
        {sample.kind, page.threads.of_thread[sample.thread], page.states.place[state], slice});
  }
  PageCells cells(groups);
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    cells.Add(i, page.PlaceOf(sample.stack),
              {weigh == Weigh::kSamples ? sample.samples : sample.value, profile::kNotKnown});
  }
  cells.Sort();
  std::vector<std::string> texts;
  for (const uint32_t kind : page.kinds) texts.push_back(cells.Of(kind));
  return texts;
}

}  // namespace jprof
