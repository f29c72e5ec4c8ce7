// Memory with store buffers: a store is visible to its own thread at once and to the others when
// the process Memory commits it, at any later time. Buffers are first in, first out (x86-TSO); with
// WEAK_BUFFERS a store that is no release may overtake others to other locations.
//
// `me` in every inline is the running thread; a handler and the handler that interrupts it share
// their thread's buffer. Loads and stores belong inside a d_step whose guard says that the store can
// be done: has_room, or drained(me) for one that is sequentially consistent.

#define HANDLER_THREADS 2
#define SCANNER HANDLER_THREADS
#define BUFFER_SIZE 4

typedef Buffer {
  byte used;
  byte location[BUFFER_SIZE];
  byte value[BUFFER_SIZE];
  bit release[BUFFER_SIZE];
};

byte memory[LOCATIONS];
Buffer buffer[HANDLER_THREADS + 1];
byte at, ok;  // scratch within one step, 0 between steps

#define drained(thread) (buffer[thread].used == 0)
#define has_room (buffer[me].used < BUFFER_SIZE)

inline load(destination, from) {
  destination = memory[from];
  at = 0;
  do
  :: at < buffer[me].used ->
    if
    :: buffer[me].location[at] == from -> destination = buffer[me].value[at]
    :: else
    fi;
    at++
  :: else -> break
  od;
  at = 0
}

inline store_with(to, what, is_release) {
  buffer[me].location[buffer[me].used] = to;
  buffer[me].value[buffer[me].used] = what;
  buffer[me].release[buffer[me].used] = is_release;
  buffer[me].used++
}

inline store(to, what) { store_with(to, what, 0) }
inline store_release(to, what) { store_with(to, what, 1) }

// A locked instruction, or a store and a full fence: nothing of this thread is left in its buffer.
inline store_seq_cst(to, what) {
  write_memory(me, to, what)
}

// A release store waits for all that came before it, any store for those to the same location.
inline may_commit(thread, index) {
  ok = 1;
  at = 0;
  do
  :: at < index ->
    if
    :: buffer[thread].release[index] ||
        buffer[thread].location[at] == buffer[thread].location[index] -> ok = 0
    :: else
    fi;
    at++
  :: else -> break
  od;
  at = 0
}

inline commit(thread, index) {
  write_memory(thread, buffer[thread].location[index], buffer[thread].value[index]);
  at = index + 1;
  do
  :: at < buffer[thread].used ->
    buffer[thread].location[at - 1] = buffer[thread].location[at];
    buffer[thread].value[at - 1] = buffer[thread].value[at];
    buffer[thread].release[at - 1] = buffer[thread].release[at];
    at++
  :: else -> break
  od;
  at = 0;
  buffer[thread].used--;
  buffer[thread].location[buffer[thread].used] = 0;  // equal states shall look equal
  buffer[thread].value[buffer[thread].used] = 0;
  buffer[thread].release[buffer[thread].used] = 0
}

#ifdef WEAK_BUFFERS
#define commit_later_one(thread, index) \
  :: d_step { \
    buffer[thread].used > index; \
    may_commit(thread, index); \
    if :: ok -> commit(thread, index) :: else fi; \
    ok = 0 \
  }
#else
#define commit_later_one(thread, index)
#endif

#define commit_one_of(thread) \
  :: d_step { buffer[thread].used > 0; commit(thread, 0) } \
  commit_later_one(thread, 1) \
  commit_later_one(thread, 2) \
  commit_later_one(thread, 3)

active proctype Memory() {
end:
  do
  commit_one_of(0)
  commit_one_of(1)
  commit_one_of(SCANNER)
  od
}
