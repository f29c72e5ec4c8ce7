import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes uncontended locks, and parks.
 *
 * <p>usage: LockCost nativeFolder operations rounds kind...
 *
 * <p>Prints ns.KIND, the CPU time of an operation: the least over all rounds, after as many rounds
 * of warm-up. The kinds:
 *
 * <ul>
 *   <li>synchronized, reentrant, mutex (in native code): a free lock is taken and released;
 *   <li>permit: a thread unparks itself, and parks;
 *   <li>handover: a thread unparks another one, and parks until the other one has done the same.
 *       Both threads together do only a part of the operations.
 * </ul>
 */
public final class LockCost {
  private static final int HANDOVER_PART = 20;

  private static int operations;
  private static int rounds;

  private LockCost() {}

  interface Operations {
    void run(int count) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    operations = Integer.parseInt(args[1]);
    rounds = Integer.parseInt(args[2]);
    for (int i = 3; i < args.length; i++) {
      switch (args[i]) {
        case "synchronized":
          measure(args[i], LockCost::enterMonitor);
          break;
        case "reentrant":
          measure(args[i], LockCost::lock);
          break;
        case "mutex":
          System.load(args[0] + "/libnative_locks.so");
          measure(args[i], NativeLocks::takeFree);
          break;
        case "permit":
          measure(args[i], LockCost::parkWithPermit);
          break;
        case "handover":
          Handover.measure();
          break;
        default:
          throw new IllegalArgumentException(args[i]);
      }
    }
  }

  private static void measure(String kind, Operations body) throws Exception {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 2 * rounds; round++) {
      long cpu = Work.cpuNanos();
      body.run(operations);
      double each = (double) (Work.cpuNanos() - cpu) / operations;
      if (round >= rounds) least = Math.min(least, each);
    }
    Work.print("ns." + kind, least);
  }

  private static final Object MONITOR = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock();

  private static void enterMonitor(int count) {
    for (int i = 0; i < count; i++) {
      synchronized (MONITOR) {
        Work.sink = i;
      }
    }
  }

  private static void lock(int count) {
    for (int i = 0; i < count; i++) {
      LOCK.lock();
      try {
        Work.sink = i;
      } finally {
        LOCK.unlock();
      }
    }
  }

  private static void parkWithPermit(int count) {
    Thread self = Thread.currentThread();
    for (int i = 0; i < count; i++) {
      LockSupport.unpark(self);
      LockSupport.park(MONITOR);
    }
  }

  /** Two threads that hand over to each other, so that only one of them runs at a time. */
  private static final class Handover {
    private static volatile int turn;

    private final int count = operations / HANDOVER_PART;
    private final Thread[] threads = new Thread[2];
    private final long[] cpu = new long[2];

    static void measure() throws InterruptedException {
      double least = Double.MAX_VALUE;
      for (int round = 0; round < 2 * rounds; round++) {
        double each = new Handover().nanos();
        if (round >= rounds) least = Math.min(least, each);
      }
      Work.print("ns.handover", least);
    }

    /** Returns the CPU time of a hand-over in nanoseconds. */
    private double nanos() throws InterruptedException {
      turn = 0;
      for (int i = 0; i < 2; i++) {
        int number = i;
        threads[i] = new Thread(() -> take(number), "handover-" + i);
      }
      for (Thread thread : threads) thread.start();
      for (Thread thread : threads) {
        while (thread.isAlive()) Thread.sleep(1);
      }
      return (double) (cpu[0] + cpu[1]) / (2 * count);
    }

    private void take(int number) {
      long begin = Work.cpuNanos();
      Thread other = threads[1 - number];
      for (int i = 0; i < count; i++) {
        while (turn != number) LockSupport.park(this);
        turn = 1 - number;
        LockSupport.unpark(other);
      }
      cpu[number] = Work.cpuNanos() - begin;
    }
  }
}
