import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits that start before a recording or end after it.
 *
 * <p>usage: WaitsAcross agentLibrary nativeFolder folder
 *
 * <p>The threads monitor-0, wait-0 and park-0 start to wait before the first recording, and wait
 * throughout it. In the second recording monitor-0 and wait-0 stop waiting, and end. The thread
 * park-1 waits from the third recording on, beyond its end.
 *
 * <p>Truth: N.least, the nanoseconds between the answer to the start and the stop of recording N
 * (in the second recording, until the end of the waits); N.most, the nanoseconds from before the
 * start until after the stop; changed.WHEN, whether the code of LockSupport differs from before.
 */
public final class WaitsAcross {
  private static final Object MONITOR = new Object();
  private static final Object SIGNAL = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static boolean isSignalled;
  private static long before;
  private static long begun;

  private WaitsAcross() {}

  public static void main(String[] args) throws Exception {
    System.load(new File(args[1], "libmethod_code.so").getPath());
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    LockSupport.parkNanos(1);  // links the class: an unlinked class has no code yet
    String code = TracedRestored.code(LockSupport.class);
    List<Thread> waiting = new ArrayList<>();
    LOCK.lock();
    synchronized (MONITOR) {
      waiting.add(Work.startDaemon("monitor-0", WaitsAcross::enter));
      waiting.add(Work.startDaemon("wait-0", WaitsAcross::await));
      Thread parked = Work.startDaemon("park-0", WaitsAcross::lock);
      awaitState(waiting.get(0), Thread.State.BLOCKED);
      awaitState(waiting.get(1), Thread.State.WAITING);
      awaitState(parked, Thread.State.WAITING);
      start(profiler, args[2], 1);
      Thread.sleep(150);
      Work.print("changed.during", code.equals(TracedRestored.code(LockSupport.class)) ? 0 : 1);
      stop(profiler, 1);
      Work.print("changed.after", code.equals(TracedRestored.code(LockSupport.class)) ? 0 : 1);

      start(profiler, args[2], 2);
      Thread.sleep(150);
      Work.print("2.least", System.nanoTime() - begun);
      synchronized (SIGNAL) {
        isSignalled = true;
        SIGNAL.notifyAll();
      }
    }
    for (Thread thread : waiting) {
      while (thread.isAlive()) Thread.sleep(1);
    }
    profiler.execute("stop");
    Work.print("2.most", System.nanoTime() - before);

    start(profiler, args[2], 3);
    Thread late = Work.startDaemon("park-1", WaitsAcross::lock);
    awaitState(late, Thread.State.WAITING);
    begun = System.nanoTime();
    Thread.sleep(150);
    stop(profiler, 3);
    start(profiler, args[2], 4);
    Thread.sleep(50);
    LOCK.unlock();
    while (LOCK.hasQueuedThreads()) Thread.sleep(1);
    stop(profiler, 4);
    Work.print("changed.end", code.equals(TracedRestored.code(LockSupport.class)) ? 0 : 1);
  }

  private static void start(Profiler profiler, String folder, int number) {
    before = System.nanoTime();
    profiler.execute("start,lock=1ms,file=" + folder + "/" + number + ".jfr");
    begun = System.nanoTime();
  }

  private static void stop(Profiler profiler, int number) {
    Work.print(number + ".least", System.nanoTime() - begun);
    Work.print(number + ".answer", profiler.execute("stop").replace('\n', '|'));
    Work.print(number + ".most", System.nanoTime() - before);
  }

  private static void enter() {
    synchronized (MONITOR) {
      Work.sink++;
    }
  }

  private static void await() {
    synchronized (SIGNAL) {
      try {
        while (!isSignalled) SIGNAL.wait();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void lock() {
    LOCK.lock();
    LOCK.unlock();
  }

  private static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
    while (thread.getState() != state) Thread.sleep(1);
  }
}
