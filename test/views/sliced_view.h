// Sliced writes a part of a recording in a format, and SlicedView writes it as a view. For tests.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/scoped_fd.h"
#include "formats/output_stream.h"
#include "profile/read_slices.h"
#include "views/view_table.h"

namespace jprof::test {

// Returns `part` of the recording at `path` in `format`. REQUIRES: `part` has no patterns.
inline std::string Sliced(const FormatRow& format, const std::string& path,
                          const profile::SliceOptions& part, const FormatOptions& options) {
  const auto writer = format.make(options);
  std::vector<profile::RecordingInput> inputs(1);
  inputs[0].fd = ScopedFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto slice = profile::Slice::Parse(part);
  EXPECT_TRUE(slice.ok());
  profile::Profile profile;
  const auto read = ReadSlices(inputs, slice.value(), {}, profile, *writer);
  EXPECT_TRUE(read.ok()) << read.error().message();
  const ScopedFd fd(memfd_create("view", MFD_CLOEXEC));
  OutputStream out(fd.get(), "view");
  EXPECT_TRUE(writer->Write(profile, {.selection = slice.value().texts()}, out).ok());
  EXPECT_TRUE(out.Finish().ok());
  std::string text(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

inline std::string SlicedView(const std::string& name, const std::string& path,
                              const profile::SliceOptions& part,
                              const FormatOptions& options = {}) {
  return Sliced(*FindView(name), path, part, options);
}

inline std::string SlicedJson(const std::string& name, const std::string& path,
                              const profile::SliceOptions& part) {
  FormatOptions options;
  options.table.is_json = true;
  return SlicedView(name, path, part, options);
}

}  // namespace jprof::test
