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

// ReadWindow: begin=, end= and ttsp.
//
//   begin=com.acme.Shop.order,end=com.acme.Shop.ready   methods: a class before the last dot
//   begin=SafepointSynchronize::begin                   a function: with :: or without a dot
//
//

// REQUIRES: the engines and the filter have been read.
Status ReadWindow(const ParsedArguments& words, Options* options);

// ReadContext: the options context=, attributes=, spans= and contextexport=.

Status ReadContext(const ParsedArguments& words, Options* options);

// Enables the kinds of samples in `options`, at least one, in the order in which they were asked
// for. REQUIRES: words.command() is kStart.
Status ChooseEngines(const ParsedArguments& words, Options* options);

}  // namespace jprof
