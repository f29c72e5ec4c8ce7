import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads that work, block and resume: they sleep, park, yield and hand items over. A
 * platform thread works at the same time. Needs JDK 21.
 *
 * <p>usage: VirtualIdentities threads turns millis
 *
 * <p>Thread i of n does i + 1 shares of the work. All virtual threads together use about `millis`
 * of CPU time. Threads with an even i have a name, alternately "virtual-i" and "fädchen-緒-i".
 *
 * <p>Truth: name.ID, the number i of the thread with that id; share.ID, its shares of the work;
 * cpu.process, the CPU nanoseconds of the process since its start.
 */
public final class VirtualIdentities {
  private static final ArrayBlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(1 << 16);
  private static final Method THREAD_ID = method(Thread.class, "threadId");

  // Enough garbage to keep the collector at work.
  private static final int GARBAGE_PER_TURN = 64 << 10;
  private static volatile byte[] garbage;

  private static final long CALIBRATION_NANOS = 30_000_000;
  private static final int SPINS_BETWEEN_LOOKS = 20_000;

  private VirtualIdentities() {}

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int turns = Integer.parseInt(args[1]);
    int shares = threads * (threads + 1) / 2;
    double spinsOfAll = 1e6 * Long.parseLong(args[2]) * spinsPerNano();
    int spins = (int) (spinsOfAll / shares / turns);
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int share = i + 1;
      Thread thread = startVirtual(nameOf(i), () -> takeTurns(turns, share * spins));
      long id = (Long) THREAD_ID.invoke(thread);
      Work.print("name." + id, i);
      Work.print("share." + id, share);
      started.add(thread);
    }
    Thread platform = Work.start("platform", () -> platformTurns(turns, threads * spins));
    started.add(platform);
    Work.join(started);
    Work.print("cpu.process", Work.processCpuNanos());
  }

  private static String nameOf(int i) {
    if (i % 2 == 1) {
      return null;
    }
    return i % 4 == 0 ? "virtual-" + i : "fädchen-緒-" + i;
  }

  private static Thread startVirtual(String name, Runnable body) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    if (name != null) {
      builder = type.getMethod("name", String.class).invoke(builder, name);
    }
    return (Thread) type.getMethod("start", Runnable.class).invoke(builder, body);
  }

  private static Method method(Class<?> type, String name) {
    try {
      return type.getMethod(name);
    } catch (NoSuchMethodException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  static void takeTurns(int turns, int spins) {
    for (int i = 0; i < turns; i++) {
      virtualTurn(spins);
      block(i);
    }
  }

  private static void block(int turn) {
    try {
      switch (turn % 4) {
        case 0:
          Thread.sleep(1);
          break;
        case 1:
          LockSupport.parkNanos(100_000);
          break;
        case 2:
          QUEUE.put(turn);
          QUEUE.take();
          break;
        default:
          Thread.yield();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void virtualTurn(int spins) {
    Work.spin(spins);
    garbage = new byte[GARBAGE_PER_TURN];
  }

  static void platformTurns(int turns, int spins) {
    for (int i = 0; i < turns; i++) {
      Work.spin(spins);
    }
  }

  private static double spinsPerNano() {
    long spins = 0;
    long begin = 0;
    for (int rounds = 0; rounds < 2; rounds++) {
      begin = Work.cpuNanos();
      for (spins = 0; Work.cpuNanos() - begin < CALIBRATION_NANOS; spins += SPINS_BETWEEN_LOOKS) {
        Work.spin(SPINS_BETWEEN_LOOKS);
      }
    }
    return (double) spins / (Work.cpuNanos() - begin);
  }
}
