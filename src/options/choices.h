// The options of start that are read together: the engines and their intervals, the window (begin=,
// end= and ttsp), and the trace contexts.
//
// Only ParseOptions uses these functions. Thread-safe: no state.
#pragma once

#include "base/result.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {

// Reads begin=, end= and ttsp. REQUIRES: the engines and the filter have been read.
//
//   begin=com.acme.Shop.order,end=com.acme.Shop.ready   methods: a class before the last dot
//   begin=SafepointSynchronize::begin                   a function: with :: or without a dot
Status ReadWindow(const ParsedArguments& words, Options* options);

// Reads context=, attributes=, spans= and contextexport=.
Status ReadContext(const ParsedArguments& words, Options* options);

// Enables the kinds of samples that event=, interval= and the engines' own options select, in the
// order in which they were requested. Enables at least one kind. REQUIRES: words.command() is
// kStart.
//
//   start                              cpu=10ms, the defaults
//   start,event=wall                   wall=50ms
//   start,interval=5ms                 cpu=5ms
//   start,event=wall,interval=5ms,cpu  wall=5ms, cpu=10ms
//   start,event=wall,itimer            wall=50ms, cpu=10ms by itimer
//   start,cpu,wall,interval=5ms        an error: interval= must be for one engine
Status ChooseEngines(const ParsedArguments& words, Options* options);

}  // namespace jprof
