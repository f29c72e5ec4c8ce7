// ReadClassLayout finds how handlers identify classes and read the names of methods.
//
// Two parts of the layout are not in the tables of libjvm.so, and are looked for in the memory of
// the classes and loaders that the VM has at the time:
//  - the number of a class, Klass::_trace_id, which the VM gives at the creation of the class and
//    never gives twice, whether or not Flight Recorder runs (jdk-17+35
//    src/hotspot/share/jfr/recorder/checkpoint/types/traceid/jfrTraceId.cpp). It is the only word
//    of a Klass whose upper 48 bits are small, not 0, and different for all classes.
//  - the class and the name of a loader, ClassLoaderData::_class_loader_klass and _name: two
//    adjacent words, which are known for the two loaders that every JVM from 11 on has.
//
// Called once at start, outside signal handlers.
#pragma once

#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// Sets klass_number and names_of_methods. klass_number does not exist if the number was not found:
// in a JVM that was built without Flight Recorder, methods have their addresses as ids
// (sigsafe/hotspot/java_method.h). REQUIRES: structs.missing_for_walks is empty.
void ReadClassLayout(const VmStructs& structs, int java_release, HotspotLayout& layout);

}  // namespace jprof
