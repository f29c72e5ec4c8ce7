import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits that never end.
 *
 * <p>usage: UnendedWaits agentLibrary nativeFolder folder platform|virtual
 *
 * <p>The threads left and right hold a monitor each, of Left and Right, and wait for each other's.
 * The threads up and down do the same with fair locks, but down gets its lock, for which up waits,
 * only after up has started to wait. The thread listener waits for a notification of a Signal.
 *
 * <p>The threads left-during and so on start to wait during the recording folder/during.jfr. The
 * threads left-before and so on start to wait before the recording folder/before.jfr.
 *
 * <p>Truth: id.THREAD, the id of a thread; answer.RECORDING, the answer to the stop.
 */
public final class UnendedWaits {
  /** A class whose monitor the thread left holds. */
  static final class Left {}

  /** A class whose monitor the thread right holds. */
  static final class Right {}

  /** A class whose objects are never notified. */
  static final class Signal {}

  private static boolean isVirtual;
  private static Profiler profiler;

  private UnendedWaits() {}

  public static void main(String[] args) throws Exception {
    profiler = new Profiler(args[0], new File(args[1]));
    isVirtual = args[3].equals("virtual");
    new ReentrantLock(true).lock();
    profiler.execute("stop");  // stops a recording from the launch
    start(args[2] + "/during.jfr");
    begin("-during");
    stop("during");
    begin("-before");
    start(args[2] + "/before.jfr");
    stop("before");
    Runtime.getRuntime().halt(0);
  }

  private static void start(String file) {
    String answer = profiler.execute("start,lock=1ms,file=" + file);
    if (answer.startsWith("failed")) throw new IllegalStateException(answer);
  }

  private static void stop(String recording) throws Exception {
    Thread.sleep(30);
    Work.print("answer." + recording, profiler.execute("stop").replace('\n', '|'));
  }

  private static void begin(String suffix) throws Exception {
    List<Thread> threads = new ArrayList<>();
    Object left = new Left();
    Object right = new Right();
    CountDownLatch both = new CountDownLatch(2);
    threads.add(start("left" + suffix, () -> enter(left, right, both)));
    threads.add(start("right" + suffix, () -> enter(right, left, both)));
    Object signal = new Signal();
    threads.add(start("listener" + suffix, () -> await(signal)));

    ReentrantLock one = new ReentrantLock(true);
    ReentrantLock two = new ReentrantLock(true);
    one.lock();
    Thread down = start("down" + suffix, () -> lock(one, two));
    while (!one.hasQueuedThread(down)) Thread.sleep(1);
    Thread up = start("up" + suffix, () -> lock(two, one));
    while (!one.hasQueuedThread(up)) Thread.sleep(1);
    one.unlock();
    while (!two.hasQueuedThread(down)) Thread.sleep(1);
    threads.add(up);
    threads.add(down);
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.BLOCKED
          && thread.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
    }
  }

  /**
   * Enters both monitors in this order. Enters the second one when both threads hold their first.
   */
  private static void enter(Object first, Object second, CountDownLatch both) throws Exception {
    synchronized (first) {
      both.countDown();
      while (both.getCount() != 0) Thread.yield();
      synchronized (second) {
        Work.sink++;
      }
    }
  }

  private static void lock(ReentrantLock first, ReentrantLock second) {
    first.lock();
    second.lock();
  }

  private static void await(Object signal) throws Exception {
    synchronized (signal) {
      while (Work.sink != Long.MIN_VALUE) signal.wait();
    }
  }

  private static Thread start(String name, PlainOrVirtual.Body body) throws Exception {
    Thread thread = PlainOrVirtual.start(isVirtual, name, body);
    Work.print("id." + name, thread.getId());
    return thread;
  }
}
