// ChooseEngines: which engines event=, interval= and the engines' own words switch on, and at
// which interval.
//
//   start                              cpu=10ms, the defaults
//   start,event=wall                   wall=50ms
//   start,interval=5ms                 cpu=5ms
//   start,event=wall,interval=5ms,cpu  wall=5ms, cpu=10ms
//   start,event=wall,itimer            wall=50ms, cpu=10ms by itimer
//   start,cpu,wall,interval=5ms        an error: interval= means one engine
//
// For ParseOptions only. Thread-safe: no state.
#pragma once

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// Enables the kinds of samples in `options`, at least one, in the order in which they were asked
// for. REQUIRES: words.command() is kStart.
Status ChooseEngines(const ParsedArguments& words, Options* options);

}  // namespace jprof
