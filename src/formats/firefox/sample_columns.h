// SampleColumns: the samples table of a thread; its columns grow row by row. One thread.
#pragma once

#include <cstdint>

#include "formats/firefox/code_tables.h"
#include "formats/firefox/json_column.h"
#include "formats/firefox/sample_roles.h"
#include "formats/firefox/thread_samples.h"

namespace jprof::firefox {

class SampleColumns : public RowSink {
 public:
  explicit SampleColumns(CodeTables& code) : code_(code) {}

  // For the next thread. Times are written as those since `start_ns`.
  void Clear(int64_t start_ns, Weight weight);

  void Add(const SampleRow& row) override;

  // The next value: the table.
  void Write(JsonWriter& json) const;

  bool empty() const { return length_ == 0; }
  // Since the start.
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  void EndEvenWeights();

  CodeTables& code_;
  int64_t start_ns_ = 0;
  Weight weight_ = Weight::kSamples;
  JsonColumn stacks_, deltas_, weights_, cpu_deltas_;
  bool is_even_ = true;  // a row counts one, or nothing if it has no stack
  uint64_t length_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace jprof::firefox
