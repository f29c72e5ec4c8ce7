#include "jvm/line_table.h"

#include <algorithm>
#include <utility>

namespace jprof {
namespace {

class LineReader {
 public:
  LineReader(std::string_view table, uint8_t bias) : table_(table), bias_(bias) {}

  // Reads the next line. Returns false at the end of the table.
  bool Next(MethodInfo::Line* line) {
    constexpr uint8_t kEscape = 0xff;
    const uint8_t code = Byte();
    if (code == 0) return false;
    if (code == kEscape) {
      line->first_bci = Sum(line->first_bci, Number());
      line->number = Sum(line->number, Number());
    } else {
      line->first_bci = Sum(line->first_bci, code >> 3);
      line->number = Sum(line->number, code & 7);
    }
    return true;
  }

 private:
  // Wraps around: the table can be of any bytes.
  static int32_t Sum(int32_t one, int32_t other) {
    return static_cast<int32_t>(static_cast<uint32_t>(one) + static_cast<uint32_t>(other));
  }

  uint8_t Byte() { return at_ == table_.size() ? 0 : static_cast<uint8_t>(table_[at_++]); }

  // Reads a number in the encoding UNSIGNED5 (sigsafe/hotspot/unsigned5.h). The lowest bit of the
  // number is its sign.
  int32_t Number() {
    constexpr uint32_t kFirstHighCode = 192;
    constexpr int kMaxBytes = 5;
    uint32_t sum = 0;
    for (int i = 0; i < kMaxBytes; ++i) {
      const uint8_t byte = Byte();
      sum += (uint32_t{byte} - bias_) << (6 * i);
      if (byte < kFirstHighCode) break;
    }
    return static_cast<int32_t>((sum >> 1) ^ (0 - (sum & 1)));
  }

  const std::string_view table_;
  const uint8_t bias_;
  size_t at_ = 0;
};

}  // namespace

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
  while (reader.Next(&line)) lines.push_back(line);
  SortLines(lines);
  return lines;
}

}  // namespace jprof
