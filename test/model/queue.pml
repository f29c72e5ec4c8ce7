// A queue of stacks (src/sigsafe/asgst/queue.h): its owner fills the active buffer, and a helper
// takes the other one. Every #ifdef is a mistake that must be found.
//
// A handler of the owner that interrupts another one returns at once, so only one handler is
// modelled. The owner's store to `inside` can stay in its buffer of stores with one mistake; all
// other stores are used by the two processes in their order.

#define ENQUEUES 4
#define FLIPS 3
#define NONE 2
#define OPEN 1
#define CLOSING 2

byte current, state = OPEN;
bool inside, in_buffer;      // in_buffer: the store of true to `inside` is not visible yet
byte size[2];
byte used = NONE;            // the buffer that the owner uses
byte taken = NONE;           // the buffer that the helper uses
bool freed, owner_done;
byte enqueued, processed;
bool use_after_free, lost;

inline enter() {
#ifdef ENTRY_STAYS_IN_BUFFER
  in_buffer = true
#else
  inside = true
#endif
}

inline leave() {
  atomic { in_buffer = false; inside = false }
}

inline use() {
  use_after_free = taken == used || freed;
  assert(!(use_after_free))
}

active proctype Buffer() {
end:
  do
  :: atomic { in_buffer; inside = true; in_buffer = false }
  od
}

active proctype Owner() {
  byte i, b;
  for (i : 1 .. ENQUEUES) {
#ifdef STATE_BEFORE_ENTRY
    if
    :: state != OPEN -> goto next
    :: else
    fi;
#endif
#ifdef BUFFER_BEFORE_ENTRY
    b = current;
#endif
    enter();
#ifndef STATE_BEFORE_ENTRY
    if
    :: state != OPEN -> leave(); goto next
    :: else
    fi;
#endif
#ifndef BUFFER_BEFORE_ENTRY
    b = current;
#endif
    atomic { used = b; use() }
    atomic { use(); size[b]++; enqueued++ }
    used = NONE;
    leave();
next:
    skip
  }
  owner_done = true
}

inline flip() {
  b = current;
  size[1 - b] = 0;
  current = 1 - b
}

inline drain() {
  atomic { taken = b; use_after_free = used == b; assert(!(use_after_free)) }
  processed = processed + size[b];
  taken = NONE
}

active proctype Helper() {
  byte i, b;
  for (i : 1 .. FLIPS) {
    if
    :: i == FLIPS -> state = CLOSING
    :: else
    fi;
    flip();
#ifndef NO_WAIT
    !inside;
#endif
    drain()
  }
  flip();
  drain();
  freed = true;
  owner_done;
  lost = enqueued != processed;
  assert(!(lost))
}
