// Handlers that put and push under a guard while a scanner rotates three tables. What a guard is
// comes from cell_guard.pml or, with COUNT_GUARD, from count_guard.pml: enter(), clear(),
// leave_handler(), look_at().
//
// A model of orders, not of tables: a table is a stamp (its epoch) and a place that handlers write.

#define NOTHING 0          // the null pointer
#define TABLES 3           // pointers to tables are 1, 2, 3
#define LEVELS 2           // a handler and the one that interrupts it
#ifndef ROTATIONS
#define ROTATIONS 4        // 1 -> 2 -> 3 -> 1 -> 2
#endif

#define ACTIVE 0
#define EPOCH_OF(table) (table)
#define CONTENT_OF(table) (3 + (table))
#define RING 7
#define GUARDS 8           // and the following: 2 for each handler thread
#define LOCATIONS 12

// What must not happen.
bit use_after_free;        // a handler reads or writes a table that has been reclaimed
bit stale_epoch;           // a trace id is made of an epoch that is not its table's
bit push_after_drain;      // a sample enters the ring after its epoch's last drain
bit guard_left_behind;     // all handlers are done, something is still guarded

// Ghosts: the truth, outside of memory and its buffers.
bit alive[TABLES + 1];
byte stamp[TABLES + 1];
bit closed[ROTATIONS + 2];  // by epoch

inline write_memory(thread, to, what) {
  if
  :: to == RING -> if :: closed[what] -> push_after_drain = 1 :: else fi
  :: to > EPOCH_OF(TABLES) && to < RING -> if :: !alive[to - 3] -> use_after_free = 1 :: else fi
  :: else -> memory[to] = what
  fi;
  if
  :: to == ACTIVE -> printf("  memory       the active table is %d\n", what)
  :: to == RING -> printf("  memory       the ring receives a sample of epoch %d\n", what)
  :: to != RING && to > EPOCH_OF(TABLES) && to < GUARDS ->
    printf("  memory       table %d receives a trace\n", to - EPOCH_OF(TABLES))
  :: to >= GUARDS ->
    printf("  memory       word %d of thread %d's guard is %d\n", to % 2, thread, what)
  :: else
  fi;
  assert(!use_after_free);
  assert(!push_after_drain)
}

#include "store_buffers.pml"

// While a nested handler runs, the one below it stands still.
byte running_level[HANDLER_THREADS];
bit in_handler[HANDLER_THREADS];
byte handlers_left = HANDLER_THREADS;
#define running (running_level[me] == level)
#define may_begin (running_level[me] == 0 && (level == 0 || in_handler[me]))

inline begin() {
  running_level[me] = level;
  in_handler[me] = 1
}

inline end_of_handler() {
  running_level[me] = 0;
  if
  :: level == 0 -> in_handler[me] = 0; handlers_left--
  :: else
  fi;
  table = 0; slot = 0; attempt = 0; valid = 0; epoch = 0
}

#define say(text, value) printf(text, me, level, value)

#ifdef EPOCH_BEFORE_GUARD
#define READ_EPOCH_EARLY load(epoch, EPOCH_OF(table))
#else
#define READ_EPOCH_EARLY skip
#endif

#ifdef NO_RETIRE_LIST  // the scanner waits at each cell, and has one table retired at most
#define WAIT_FIRST memory[GUARDS + index] != old
#define MAY_ROTATE (!retired[1] && !retired[2] && !retired[3])
#else
#define WAIT_FIRST skip
#define MAY_ROTATE !retired[current % TABLES + 1]
#endif

#ifdef RECLAIM_ON_TIMEOUT
#define RECLAIMS_WHAT_IS_HELD held
#else
#define RECLAIMS_WHAT_IS_HELD 0
#endif

#ifdef COUNT_GUARD
#include "count_guard.pml"
#else
#include "cell_guard.pml"
#endif

inline put() {
  d_step {
    running && has_room;
#ifndef EPOCH_BEFORE_GUARD
    load(epoch, EPOCH_OF(table));
#endif
    say("  handler %d.%d  puts into table %d\n", table);
    if :: !alive[table] -> use_after_free = 1 :: else fi;
    assert(!use_after_free);
    if :: epoch != stamp[table] -> stale_epoch = 1 :: else fi;
    assert(!stale_epoch);
    store(CONTENT_OF(table), epoch)
  }
}

inline push() {
  d_step {
    running && has_room;
    store_release(RING, epoch);
    say("  handler %d.%d  pushes for epoch %d\n", epoch);
    epoch = 0
  }
}

// Steps are as large as they can be without hiding anything from another thread or level.
inline use_under_guard() {
  enter();
  if
  :: valid ->
    put();
#ifdef GUARD_ENDS_BEFORE_PUSH
    clear();
    push()
#else
#ifndef COUNT_GUARD  // whose guard spans no push
    push();
#endif
    clear()
#endif
  :: else -> clear()
  fi;
  leave_handler()
}

proctype Handler(byte me) {
  byte level = 0;
  byte table, seen, epoch, slot, attempt;
  bit valid;
  use_under_guard()
}

// Interrupts the handler of its thread between any two steps, or never.
proctype NestedHandler(byte me) {
  byte level = 1;
  byte table, seen, epoch, slot, attempt;
  bit valid;
end:
  use_under_guard()
}

inline prepare_and_exchange() {
  d_step {
    drained(me);
    next = current % TABLES + 1;
    alive[next] = 1;
    stamp[next] = now + 1;
#ifndef STAMP_AFTER_EXCHANGE
    store_seq_cst(EPOCH_OF(next), now + 1);
#endif
#ifdef EXCHANGE_STAYS_IN_BUFFER
    store_release(ACTIVE, next);
#else
    store_seq_cst(ACTIVE, next);
#endif
    printf("  scanner      exchanges the active pointer for table %d\n", next);
    now++;
    retired[current] = 1;
    current = next;
    next = 0
  }
#ifdef STAMP_AFTER_EXCHANGE
  d_step { has_room; store(EPOCH_OF(current), now) }
#endif
}

inline drain(table) { closed[stamp[table]] = 1; printf("  scanner      drains\n") }

inline reclaim(table) {
  alive[table] = 0;
  retired[table] = 0;
  printf("  scanner      reclaims table %d\n", table)
}

// Rotates when a table is free, looks at retired tables in any order and as often as it likes.
proctype Scanner() {
  byte me = SCANNER, now = 1, current = 1, next, old, seen, index;
  bit retired[TABLES + 1];
  bit held, all_clear;
  do
  :: now <= ROTATIONS && MAY_ROTATE -> prepare_and_exchange()
  :: retired[1] || retired[2] || retired[3] ->
    if
    :: retired[1] -> old = 1
    :: retired[2] -> old = 2
    :: retired[3] -> old = 3
    fi;
#ifdef DRAIN_BEFORE_WAIT
    d_step { drain(old) }
#endif
    do
    :: !held && !all_clear ->
      d_step {
        WAIT_FIRST;
        look_at(old);
        if
        :: all_clear || RECLAIMS_WHAT_IS_HELD -> drain(old); reclaim(old); all_clear = 1
        :: else
        fi
      }
    :: else -> break
    od;
    old = 0; held = 0; all_clear = 0; index = 0
  :: now > ROTATIONS && !retired[1] && !retired[2] && !retired[3] -> break
  od
}

init {
  byte each;
  d_step {
    alive[1] = 1;
    stamp[1] = 1;
    memory[EPOCH_OF(1)] = 1;
    memory[ACTIVE] = 1
  }
  atomic {
    run Handler(0);
    run Handler(1);
#if NESTED_THREADS >= 1
    run NestedHandler(0);
#endif
#if NESTED_THREADS >= 2
    run NestedHandler(1);
#endif
    run Scanner()
  }
  d_step {
    handlers_left == 0 && running_level[0] == 0 && running_level[1] == 0 &&
      drained(0) && drained(1);
    for (each : GUARDS .. LOCATIONS - 1) {
      if :: memory[each] != NOTHING -> guard_left_behind = 1 :: else fi
    }
    assert(!guard_left_behind)
  }
}
