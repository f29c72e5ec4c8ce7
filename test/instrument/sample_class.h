#pragma once

#include "instrument/class_maker.h"

namespace jprof {

// A class with a constructor, a switch, a handler, wide instructions, and every table that probes
// move.
inline ClassBytes SampleClass(uint16_t major) {
  ClassMaker maker(major, "Made", "Base");
  const ClassBytes super =
      ClassBytes{0x2A, 0xB7} + Shorts({maker.MethodOf("Base", "<init>", "()V")});
  maker.Add({1, "<init>", "(JLjava/lang/String;[I)V", 2, 6, super + ClassBytes{0, 0xB1}});
  maker.Add({8,
             "f",
             "(I)I",
             2,
             3,
             {0x1A, 0xAA, 0, 0, 0, 0,  0,    19,   0,    0,    0,    0, 0, 0,
              0,    0,    0, 0, 0, 19, 0x1A, 0xAC, 0xBF, 0xC4, 0x15, 0, 2, 0xAC},
             {{0, 20, 22, 0}},
             {{"StackMapTable", Shorts({3}) + ClassBytes{20, 65, 7, 0, 2, 252, 0, 0, 1}},
              {"LineNumberTable", Shorts({1, 0, 5})},
              {"LocalVariableTable", Shorts({1, 0, 28, 1, 1, 0})},
              {"RuntimeVisibleTypeAnnotations",
               Shorts({1}) + ClassBytes{0x47} + Shorts({20}) + ClassBytes{0, 0, 0, 1, 0, 0}}}});
  return maker.Bytes();
}

}  // namespace jprof
