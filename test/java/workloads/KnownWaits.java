import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other, and know for which thread they wait.
 *
 * <p>usage: KnownWaits platform|virtual rounds threads kind...
 *
 * <p>In round R of a kind, "KIND-R-owner" takes the lock; then the threads "KIND-R-0" and so on
 * want it. Once all of them wait, the owner releases the lock and ends. Each thread waits only
 * once, for this owner.
 *
 * <p>Kinds: monitor (the same monitor in all rounds), fresh (another monitor in each round),
 * reentrant (a fair lock), park (without a lock: the owner unparks all threads).
 *
 * <p>Truth for each thread: waited.THREAD, in nanoseconds; waker.THREAD, for kinds that know it:
 * the number of the thread that unparks this one, or -1 for the owner; id.THREAD, the id of the
 * thread.
 *
 * <p>With -Dcollect=true another thread makes and collects garbage all the time.
 */
public final class KnownWaits {
  private static boolean isVirtual;

  /** The kernel's stat files of threads, by the threads' names. Used by the owner of a lock. */
  private static final Map<String, File> stats = new ConcurrentHashMap<>();

  private static volatile boolean mayNotCollect;
  private static volatile boolean doesNotCollect;

  private KnownWaits() {}

  /** A way to wait. */
  interface Lock {
    void hold(PlainOrVirtual.Body body) throws Exception;

    boolean isAwaitedBy(Thread thread) throws Exception;

    default boolean tellsWaker() {
      return false;
    }
  }

  /** The name of the latest owner. Written only while the lock is held. */
  private static volatile String lastOwner;

  public static void main(String[] args) throws Exception {
    isVirtual = args[0].equals("virtual");
    int rounds = Integer.parseInt(args[1]);
    int threads = Integer.parseInt(args[2]);
    if (Boolean.getBoolean("collect")) collect();
    for (int i = 3; i < args.length; i++) {
      Lock lock = lockOf(args[i]);
      run(lockOf(args[i]), "warm-" + args[i], 1);  // loads classes beforehand
      for (int round = 0; round < rounds; round++) {
        run(args[i].equals("fresh") ? new MonitorLock() : lock, args[i] + "-" + round, threads);
      }
    }
    endCollections(true);
  }

  private static void collect() {
    Thread collector =
        new Thread(
            () -> {
              Object[] survivors = new Object[1000];
              for (int i = 0; ; i++) {
                survivors[i % survivors.length] = new byte[10_000];
                if (i % 10_000 == 0) System.gc();
                while (mayNotCollect) {
                  doesNotCollect = true;
                  Thread.yield();
                }
                doesNotCollect = false;
              }
            });
    collector.setDaemon(true);
    collector.start();
  }

  /**
   * Suspends collections, or lets them continue. While they run, a blocked thread that sleeps might
   * be in a pause for a collection instead of waiting for the lock.
   */
  private static void endCollections(boolean isEnd) throws InterruptedException {
    mayNotCollect = isEnd && Boolean.getBoolean("collect");
    while (mayNotCollect && !doesNotCollect) pause();
  }

  private static void run(Lock lock, String name, int threads) throws Exception {
    AtomicReference<List<Thread>> waiting = new AtomicReference<>();
    lastOwner = null;
    Thread owner =
        start(
            name + "-owner",
            () ->
                lock.hold(
                    () -> {
                      lastOwner = name + "-owner";
                      while (waiting.get() == null) pause();
                      for (boolean isEnd : new boolean[] {false, true}) {
                        endCollections(isEnd);
                        for (Thread thread : waiting.get()) {
                          while (!lock.isAwaitedBy(thread)) pause();
                        }
                      }
                    }));
    while (lastOwner == null) pause();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) started.add(start(name + "-" + i, () -> await(lock)));
    waiting.set(started);
    for (Thread thread : started) while (thread.isAlive()) pause();
    endCollections(false);
    while (owner.isAlive()) pause();
  }

  private static void await(Lock lock) throws Exception {
    String name = Thread.currentThread().getName();
    long start = System.nanoTime();
    lock.hold(
        () -> {
          long waited = System.nanoTime() - start;
          System.out.println("waited." + name + "=" + waited);
          if (lock.tellsWaker()) System.out.println("waker." + name + "=" + numberOf(lastOwner));
          lastOwner = name;
        });
  }

  /** Returns the number of the thread in its round; -1 for the owner. */
  private static int numberOf(String thread) {
    String number = thread.substring(thread.lastIndexOf('-') + 1);
    return number.equals("owner") ? -1 : Integer.parseInt(number);
  }

  /** Sleeps, which is neither a wait for a lock nor a park. */
  private static void pause() throws InterruptedException {
    Thread.sleep(1);
  }

  /**
   * Starts a thread and prints its id. The thread itself does not print, because that takes a lock.
   */
  private static Thread start(String name, PlainOrVirtual.Body body) throws Exception {
    Thread thread = PlainOrVirtual.start(isVirtual, name, body);
    System.out.println("id." + name + "=" + thread.getId());
    return thread;
  }

  /**
   * True if the kernel says that the thread sleeps. The JVM's state is not enough, because the JVM
   * calls a platform thread blocked a moment before it sleeps.
   */
  private static boolean sleeps(String thread) throws Exception {
    if (!stats.containsKey(thread)) {
      for (File task : new File("/proc/self/task").listFiles()) {
        try {
          String name = Files.readAllLines(new File(task, "comm").toPath()).get(0);
          stats.put(name, new File(task, "stat"));
        } catch (IOException e) {
          continue;  // the thread has ended
        }
      }
    }
    File file = stats.get(thread);
    if (file == null) return false;
    String stat = Files.readAllLines(file.toPath()).get(0);
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'S';
  }

  private static Lock lockOf(String kind) {
    switch (kind) {
      case "monitor":
      case "fresh":
        return new MonitorLock();
      case "reentrant":
        return new FairLock();
      case "park":
        return new Gate();
      default:
        throw new IllegalArgumentException(kind);
    }
  }

  static final class MonitorLock implements Lock {
    @Override
    public void hold(PlainOrVirtual.Body body) throws Exception {
      synchronized (this) {
        body.run();
      }
    }

    @Override
    public boolean isAwaitedBy(Thread thread) throws Exception {
      return thread.getState() == Thread.State.BLOCKED && (isVirtual || sleeps(thread.getName()));
    }
  }

  static final class FairLock implements Lock {
    private final ReentrantLock lock = new ReentrantLock(true);

    @Override
    public void hold(PlainOrVirtual.Body body) throws Exception {
      lock.lock();
      try {
        body.run();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean isAwaitedBy(Thread thread) {
      return lock.hasQueuedThread(thread) && thread.getState() == Thread.State.WAITING;
    }

    @Override
    public boolean tellsWaker() {
      return true;
    }
  }

  /**
   * A gate that its owner opens when all other threads are parked. `lastOwner` is the thread that
   * unparked the current one.
   */
  static final class Gate implements Lock {
    private final List<Thread> parked = new ArrayList<>();
    private volatile boolean isOpen;

    @Override
    public void hold(PlainOrVirtual.Body body) throws Exception {
      Thread thread = Thread.currentThread();
      if (thread.getName().endsWith("-owner")) {
        isOpen = false;
        body.run();
        isOpen = true;
        synchronized (parked) {
          for (Thread each : parked) LockSupport.unpark(each);
          parked.clear();
        }
        return;
      }
      String owner = lastOwner;
      synchronized (parked) {
        parked.add(thread);
      }
      while (!isOpen) LockSupport.park(this);
      synchronized (parked) {
        lastOwner = owner;
        body.run();
      }
    }

    @Override
    public boolean isAwaitedBy(Thread thread) {
      return LockSupport.getBlocker(thread) == this && thread.getState() == Thread.State.WAITING;
    }

    @Override
    public boolean tellsWaker() {
      return true;
    }
  }
}
