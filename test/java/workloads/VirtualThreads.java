import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Virtual threads that burn CPU time in turns, and yield to each other between the turns. Needs JDK
 * 21.
 *
 * <p>usage: VirtualThreads threads turns microsPerTurn
 *
 * <p>Truth: turns, the number of all turns; cpu.process, the CPU nanoseconds of the process during
 * them; cpu.all, those since its start.
 */
public final class VirtualThreads {
  private static final AtomicLong TURNS = new AtomicLong();

  private VirtualThreads() {}

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int turns = Integer.parseInt(args[1]);
    long nanosPerTurn = Long.parseLong(args[2]) * 1_000;
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    long before = Work.processCpuNanos();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      started.add((Thread) start.invoke(null, (Runnable) () -> takeTurns(turns, nanosPerTurn)));
    }
    Work.join(started);
    Work.print("cpu.process", Work.processCpuNanos() - before);
    Work.print("turns", TURNS.get());
    Work.print("cpu.all", Work.processCpuNanos());
  }

  static void takeTurns(int turns, long nanosPerTurn) {
    for (int i = 0; i < turns; i++) {
      burnTurn(nanosPerTurn);
      TURNS.incrementAndGet();
      Thread.yield();
    }
  }

  // Burns for a given elapsed time, because a virtual thread has no CPU clock of its own.
  static void burnTurn(long nanos) {
    long end = System.nanoTime() + nanos;
    long value = end;
    while (System.nanoTime() < end) {
      value = value * 6364136223846793005L + 1442695040888963407L;
    }
    Work.sink = value;
  }
}
