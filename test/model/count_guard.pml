// A count and a pointer per thread: store the pointer, count up, read the active pointer again; the
// scanner publishes, reads the count, then the pointer.
//
// Release and acquire promise no order between a store and a later load, whether or not the store
// is half of an atomic read-modify-write: count and exchange may stay in the buffer. What x86 makes
// of them (COUNT_IS_LOCKED; an exchange, unless EXCHANGE_STAYS_IN_BUFFER) is a promise of the
// machine, for which these orders do not ask.

#define COUNT(thread) (GUARDS + 2 * (thread))
#define POINTER(thread) (COUNT(thread) + 1)

inline add_to_count(difference) {
  d_step {
#ifdef COUNT_IS_LOCKED
    running && drained(me);
    load(slot, COUNT(me));
    store_seq_cst(COUNT(me), slot + difference);
#else
    running && has_room;
    load(slot, COUNT(me));
    store_release(COUNT(me), slot + difference);
#endif
    say("  handler %d.%d  counts to %d\n", slot + difference);
    slot = 0
  }
}

inline store_pointer(pointer) {
  d_step {
    running && has_room;
    store_release(POINTER(me), pointer);
    say("  handler %d.%d  stores pointer %d\n", pointer)
  }
}

inline enter() {
  d_step { may_begin; begin(); load(table, ACTIVE) }
  store_pointer(table);
  add_to_count(1);
  d_step { running; load(seen, ACTIVE); valid = (seen == table); seen = 0 }
}

inline clear() { add_to_count(-1) }

inline leave_handler() {
  d_step {
    running && has_room;
    store_release(POINTER(me), NOTHING);
    say("  handler %d.%d  stores pointer %d\n", NOTHING);
    end_of_handler()
  }
}

// Two steps for each thread: the count, and the pointer if it was not 0.
inline look_at(wanted) {
  load(seen, GUARDS + index);
  held = (index % 2 && seen == wanted);
  index = index + (index % 2 == 0 && seen == 0 -> 2 : 1);
  seen = 0;
  all_clear = (!held && index == LOCATIONS - GUARDS)
}
