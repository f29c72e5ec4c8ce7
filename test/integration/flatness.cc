#include "integration/flatness.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace jprof::test {
namespace {

constexpr size_t kParts = 10;

std::vector<double> MeansOfParts(const std::vector<double>& values) {
  std::vector<double> means;
  for (size_t part = 0; part < kParts; ++part) {
    const size_t begin = values.size() * part / kParts;
    const size_t end = values.size() * (part + 1) / kParts;
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

}  // namespace

Trend Trend::Of(const std::vector<double>& values) {
  if (values.size() < kParts) return {};
  const std::vector<double> means = MeansOfParts(values);
  const double middle = (kParts - 1) / 2.0;
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kParts;
  double spread = 0;
  double together = 0;
  for (size_t i = 0; i < kParts; ++i) {
    const double x = static_cast<double>(i) - middle;
    spread += x * x;
    together += x * (means[i] - mean);
  }
  const double slope = together / spread;  // growth per part
  double squares = 0;
  for (size_t i = 0; i < kParts; ++i) {
    const double distance = means[i] - mean - slope * (static_cast<double>(i) - middle);
    squares += distance * distance;
  }
  const double error = std::sqrt(squares / (kParts - 2) / spread);
  return {slope * kParts, 3 * error * kParts};
}

Mean Mean::Of(const std::vector<double>& values) {
  if (values.size() < kParts) return {};
  const std::vector<double> means = MeansOfParts(values);
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kParts;
  double squares = 0;
  for (const double each : means) squares += (each - mean) * (each - mean);
  return {mean, std::sqrt(squares / (kParts - 1) / kParts)};
}

}  // namespace jprof::test
