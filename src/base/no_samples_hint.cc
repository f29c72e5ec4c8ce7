#include "base/no_samples_hint.h"

#include "base/scaled_text.h"

namespace jprof {

std::string NoSamplesHint(std::string_view event, Nanos interval_ns, std::string_view filter,
                          std::optional<uint64_t> windows) {
  if (event == "method") {
    return "no samples of method: no call was recorded; trace=METHOD:TIME records those that take "
           "TIME or longer";
  }
  if (event == "live") {
    return "no samples of live: no sampled object is known to have survived a garbage collection; "
           "a dump or stop with --gc forces one";
  }
  const bool is_cpu = event == "cpu";
  const bool is_wall = event == "wall";
  const std::string long_enough = interval_ns > 0 ? DurationText(interval_ns) : "an interval";
  std::string text = "no samples of " + std::string(event) + ": ";
  if (windows == 0) return text + "no window was open, as nothing that begins one was called";
  if (windows) text += "in the windows ";
  text += "no thread";
  if (!filter.empty()) text += " that the filter " + std::string(filter) + " selects";
  text += is_cpu    ? " used " + long_enough + " of CPU time"
          : is_wall ? " was there for " + long_enough
                    : " had any";
  if (!filter.empty()) {
    return text +
           "; a filter takes names as jstack and top -H show them, with * and ? for what varies, "
           "and the ids of top -H";
  }
  return text + (is_cpu ? "; threads that wait are in wall, and a longer recording has more"
                        : "; record for longer");
}

std::string NoChunkHint(std::string_view event) {
  return "no samples of " + std::string(event) +
         ": the JVM was killed, or crashed, before a chunk of its recording was finished, which "
         "takes chunktime, a minute; or it still records";
}

}  // namespace jprof
