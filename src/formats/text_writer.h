// The writers of the formats tree and flat, and TextWriter, their base class. Used by one thread.
#pragma once

#include <memory>

#include "formats/format_row.h"
#include "formats/frame_sums.h"
#include "profile/sample_table.h"

namespace jprof {

// Returns a writer of a table of methods.
std::unique_ptr<FormatWriter> MakeFlatWriter(const FormatOptions& options);

// Returns a writer of the call tree, callers above callees.
std::unique_ptr<FormatWriter> MakeTreeWriter(const FormatOptions& options);

// TextWriter: sums the samples in a table and writes the heading; a subclass writes the sums of one
// kind.
class TextWriter : public FormatWriter {
 public:
  explicit TextWriter(const FormatOptions& options);

  void OnSample(const profile::Sample& sample) final { table_.OnSample(sample); }
  profile::StackUse UseOfEventStacks() const final { return profile::StackUse::kNone; }
  Status Write(const profile::Profile& profile, const FormatContext& context,
               OutputStream& out) final;

 protected:
  virtual void WriteSums(const profile::Profile& profile, uint32_t kind, const WeightText& weights,
                         OutputStream& out) = 0;

  profile::SampleTable& table() { return table_; }

 private:
  profile::SampleTable table_;
};

inline constexpr size_t kShareWidth = 6;  // "100.0%"
inline constexpr size_t kErrorWidth = 8;  // "± 0.12 %"

}  // namespace jprof
