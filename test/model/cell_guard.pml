// Ours (src/sigsafe/memory/ref_count_guard.h): one cell for each nesting level of a thread. Every
// #ifdef is a mistake that must be found.

#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif

#ifdef ONE_CELL_PER_THREAD
#define CELL(thread, level_of_cell) (GUARDS + LEVELS * (thread))
#else
#define CELL(thread, level_of_cell) (GUARDS + LEVELS * (thread) + (level_of_cell))
#endif

byte depth[HANDLER_THREADS];

inline write_cell() {
  d_step {
#ifdef CELL_WITHOUT_FENCE
    running && has_room;
    store_release(CELL(me, slot), table);
#else
    running && drained(me);
    store_seq_cst(CELL(me, slot), table);
#endif
    say("  handler %d.%d  writes table %d to its cell\n", table)
  }
}

inline enter() {
  d_step {
    may_begin;
    begin();
    slot = depth[me];
  }
  d_step {
    running;
#ifndef DEPTH_AFTER_CELL
    depth[me] = slot + 1;
#endif
    load(table, ACTIVE);
    READ_EPOCH_EARLY
  }
  do
  :: !valid && attempt < ATTEMPTS ->
    write_cell();
    d_step {
      running;
#ifdef NO_SECOND_READ
      valid = 1;
#else
      load(seen, ACTIVE);
      valid = (seen == table);
      if
      :: valid
      :: else -> table = seen; READ_EPOCH_EARLY
      fi;
      seen = 0;
#endif
      attempt++
    }
  :: else -> break
  od;
#ifdef DEPTH_AFTER_CELL
  skip;  // no loop may end at a d_step
  d_step { running; depth[me] = slot + 1 }
#endif
}

inline clear() {
  d_step {
    running && has_room;
#ifdef CLEAR_WITHOUT_RELEASE
    store(CELL(me, slot), NOTHING);
#else
    store_release(CELL(me, slot), NOTHING);
#endif
    say("  handler %d.%d  clears cell %d\n", slot)
  }
}

inline leave_handler() { d_step { running; depth[me] = slot; end_of_handler() } }

// Held or not, or all looked at and not held: then `old` is reclaimed.
inline look_at(wanted) {
  load(seen, GUARDS + index);
  held = (seen == wanted);
  seen = 0;
  index++;
  all_clear = (!held && index == LOCATIONS - GUARDS)
}
