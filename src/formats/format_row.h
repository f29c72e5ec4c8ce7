// FormatRow: an output format: its names, its needs, its writer. Plain data: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "sources/source_text.h"

namespace jprof {

// FormatWriter: writes a profile in one format. A row of a format table makes it (format_row.h).
//
// One thread. Life: OnBegin once; OnSample and OnEvent in the order of the recordings; Write once.
// A writer keeps what it needs of samples and events: their numbers are those of the profile that
// Write gets.
class OutputStream;

// The rest of what a writer needs to know.
struct FormatContext {
  // The kind that a format of one kind writes, and that others may show first. nullopt: there are
  // no samples.
  std::optional<uint32_t> kind = std::nullopt;
  std::string title = {};
  std::string missing = {};                 // the unreadable part of the recording; empty: none
  std::vector<std::string> selection = {};  // what was chosen of it: "--thread main"; empty: all
};

class FormatWriter : public profile::SampleSink {
 public:
  // After the last sample. Errors of `out` are its caller's; others are one line with a remedy.
  // REQUIRES: called once.
  virtual Status Write(const profile::Profile& profile, const FormatContext& context,
                       OutputStream& out) = 0;
};

enum class ThreadFrames : uint8_t { kNone, kFirst };
enum class TierSuffixes : uint8_t { kAppend, kOmit };

// Of tables only (jprof view).
struct TableOptions {
  std::string type = {};  // of events: the type whose fields are the columns; empty: all types
  std::string sort = {};  // name of a column; empty: as the table is ordered usually
  size_t limit = 0;       // rows; 0: all
  size_t width = 0;       // of the terminal in characters; 0: no limit
  bool is_json = false;
};

// How to write; a format uses what applies to it.
struct FormatOptions {
  std::optional<profile::Weigh> total = std::nullopt;  // nullopt: as the format does usually

  // Collapsed stacks only.
  ThreadFrames threads = ThreadFrames::kNone;  // kFirst: "[name tid=123]" is the outermost frame
  TierSuffixes suffixes = TierSuffixes::kAppend;

  TableOptions table = {};

  // The sources of methods, for the page and for firefox; empty: none. What opens their lines: for
  // the page.
  FindSource find_source = {};
  std::string editor = {};
};

// The kinds of samples in one output.
enum class FormatKinds : uint8_t {
  kOne,       // one kind: the one that was chosen
  kAll,       // all kinds, or those that were chosen
  kAllShown,  // all kinds, and it opens on one
};

enum class FormatContent : uint8_t {
  kLines,     // of text, to be read on a terminal
  kDocument,  // text for programs: a page, JSON
  kBinary,
  kGzip,  // its writer gets a stream that compresses, whatever the file is called
};

// The order of frames in the stacks that a writer takes.
enum class FormatStacks : uint8_t {
  kBothWays,
  kFromRoot,  // inlined frames are told by their callers, so reversed stacks (--reverse) are
              // refused
};

// Line numbers of frames.
enum class FormatLines : uint8_t { kIfAsked, kAlways };

struct FormatRow {
  std::string_view name;        // for --format
  std::string_view extensions;  // separated by blanks, in lower case; the usual one comes first
  std::string_view viewer;      // how to look at it, for people
  FormatKinds kinds;
  FormatLines lines;
  FormatContent content;
  std::unique_ptr<FormatWriter> (*make)(const FormatOptions& options);
  FormatStacks stacks = FormatStacks::kBothWays;
};

// A row of formats.def as a FormatRow.
#define JPROF_FORMAT_ROW(name, extensions, viewer, kinds, lines, content, ...)                     \
  {name,       extensions, viewer, FormatKinds::kinds, FormatLines::lines, FormatContent::content, \
   __VA_ARGS__},

}  // namespace jprof
