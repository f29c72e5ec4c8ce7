#include "engines/method/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr size_t kCellBits = 6;
constexpr size_t kBlock = size_t{1} << kCellBits;

}  // namespace

LatencyHistogram::LatencyHistogram(std::span<const int64_t> counts) {
  JPROF_CHECK(counts.size() == kCells);
  for (size_t index = 0; index < kCells; ++index) {
    const auto count = static_cast<uint64_t>(counts[index]);
    if (count == 0) continue;
    cells_.push_back({static_cast<uint32_t>(index), count});
    calls_ += count;
  }
}

size_t LatencyHistogram::CellOf(Nanos duration) {
  const auto value = static_cast<uint64_t>(std::max<Nanos>(duration, 0));
  const size_t shift = std::bit_width(value | kBlock) - 1 - kCellBits;
  return (shift << kCellBits) + static_cast<size_t>(value >> shift);
}

Nanos LatencyHistogram::LowestOf(size_t cell) {
  if (cell < kBlock) return static_cast<Nanos>(cell);
  const size_t shift = (cell >> kCellBits) - 1;
  return static_cast<Nanos>((kBlock + cell % kBlock) << shift);
}

Nanos LatencyHistogram::Quantile(double share) const {
  if (calls_ == 0) return 0;
  const auto rank =
      std::max<uint64_t>(static_cast<uint64_t>(std::ceil(share * static_cast<double>(calls_))), 1);
  uint64_t seen = 0;
  for (const LatencyCount& cell : cells_) {
    seen += cell.count;
    if (seen < rank) continue;
    const Nanos lowest = LowestOf(cell.index);
    return lowest + (LowestOf(cell.index + 1) - lowest) / 2;
  }
  return LowestOf(cells_.back().index);
}

std::string LatencyHistogram::Text() const {
  std::string text;
  for (const LatencyCount& cell : cells_) {
    if (!text.empty()) text += ' ';
    text += std::to_string(LowestOf(cell.index)) + ':' + std::to_string(cell.count);
  }
  return text;
}

}  // namespace jprof
