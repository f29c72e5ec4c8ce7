#include "jvm/line_table.h"

#include <algorithm>
#include <utility>

#include "sigsafe/hotspot/line_reader.h"

namespace jprof {

void SortLines(std::vector<MethodInfo::Line>& lines) {
  std::vector<uint64_t> order;  // the bytecode index, then the place in `lines`
  for (const MethodInfo::Line& line : lines) {
    order.push_back(uint64_t{static_cast<uint32_t>(line.first_bci)} << 32 | order.size());
  }
  std::sort(order.begin(), order.end());
  std::vector<MethodInfo::Line> sorted;
  sorted.reserve(lines.size());
  for (const uint64_t each : order) sorted.push_back(lines[static_cast<uint32_t>(each)]);
  lines = std::move(sorted);
}

std::vector<MethodInfo::Line> ReadLines(std::string_view table, uint8_t bias) {
  std::vector<MethodInfo::Line> lines;
  LineReader reader(table, bias);
  MethodInfo::Line line{0, 0};
  while (reader.Next(&line.first_bci, &line.number)) lines.push_back(line);
  SortLines(lines);
  return lines;
}

}  // namespace jprof
