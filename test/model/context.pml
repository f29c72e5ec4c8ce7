// The trace context of virtual threads on one carrier (src/sigsafe/context, src/java/jprof): two
// records a thread, found by the id of the mounted thread. Every #ifdef is a mistake that must be
// found.
//
// A handler interrupts the carrier between any two steps, and the VM may mount another thread
// there. Blocks of dead threads are given back by a thread elsewhere, also while a handler looks.
// The carrier is one thread: it sees its own stores in their order, so there are no store buffers.

#define THREADS 3
#define BLOCKS 2
#define PUTS 2

byte mounted;               // 1..THREADS; 0: none
bool in_handler, handled;   // the carrier stands still; enough has been seen
byte place[THREADS + 1];    // the table: block + 1, by id
byte owner[BLOCKS];         // of a block
byte current[BLOCKS];       // its slot: 0, 1 or 2
bool taken[BLOCKS];
byte span[2 * BLOCKS], root[2 * BLOCKS];  // records
byte before[THREADS + 1], after[THREADS + 1];  // the truth: around the change that goes on
bool dead[THREADS + 1];
byte carrier_record;        // of CARRIER_SLOT: a record + 1
bool torn, of_another, missing;

#define may_run (mounted == me && !in_handler)
#define RECORD(block, number) (2 * (block) + (number) - 1)

inline put(value) {
  atomic { may_run; after[me] = value; }
#ifdef ONE_RECORD
  number = 1;
#else
  atomic { may_run; number = (current[block] == 1 -> 2 : 1); }
#endif
#ifdef PUBLISHED_FIRST
  atomic { may_run; current[block] = number; before[me] = value; }
  atomic { may_run; span[RECORD(block, number)] = value; }
  atomic { may_run; root[RECORD(block, number)] = value; }
#else
  atomic { may_run; span[RECORD(block, number)] = value; }
  atomic { may_run; root[RECORD(block, number)] = value; }
  atomic {
    may_run;
    current[block] = number;
    carrier_record = RECORD(block, number) + 1;
    before[me] = value;
  }
#endif
}

proctype virtual_thread(byte me) {
  byte block, number, i;
  // Taken under a lock; a thread without a block waits for one, as it allocates elsewhere.
  atomic {
    may_run && (!taken[0] || !taken[1]);
    block = (taken[0] -> 1 : 0);
    taken[block] = true;
  }
  atomic { may_run; owner[block] = me; }
  atomic { may_run; place[me] = block + 1; }
  for (i : 1 .. PUTS) { put(10 * me + i); }
  atomic { may_run; after[me] = 0; }
  atomic { may_run; current[block] = 0; carrier_record = 0; before[me] = 0; }
  put(10 * me + 9);  // it ends with a context
  atomic { may_run; mounted = 0; dead[me] = true; }
  // Given back when nobody can reach the thread any more, elsewhere.
  atomic { place[me] = 0; }
  atomic { owner[block] = 0; }
  atomic { current[block] = 0; }
  taken[block] = false;
}

proctype vm() {
  byte next;
  do
  :: atomic {
       !in_handler;
       select(next : 0 .. THREADS);
       if
       :: next == 0 || !dead[next] -> mounted = next;
       :: else
       fi
     }
  od
}

proctype handler() {
  byte id, block, number, record, seen_span, seen_root;
  do
  :: atomic { mounted != 0; in_handler = true; id = mounted; number = 0; }
#ifdef CARRIER_SLOT
    atomic { number = carrier_record; record = carrier_record - (carrier_record != 0); }
#else
    atomic { block = place[id]; }
    if
    :: block == 0
    :: else ->
      block = block - 1;
      if
      :: atomic { owner[block] != id; number = 0; }
      :: else -> atomic { number = current[block]; record = RECORD(block, number); }
      fi
    fi;
#endif
    if
    :: number == 0 -> missing = before[id] != 0 && after[id] != 0;
    :: else ->
      atomic { seen_span = span[record]; }
      atomic { seen_root = root[record]; }
      torn = seen_span != seen_root;
      of_another = !torn && seen_span != before[id] && seen_span != after[id];
    fi;
    assert(!(torn));
    assert(!(of_another));
    assert(!(missing));
    atomic { in_handler = false; seen_span = 0; seen_root = 0; number = 0; block = 0; record = 0; }
  od
}

init {
  atomic {
    run vm();
    run handler();
    run virtual_thread(1);
    run virtual_thread(2);
    run virtual_thread(3);
  }
}
