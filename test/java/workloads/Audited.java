import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Threads that allocate, wait for monitors and park in many ways: in lambdas, through method
 * handles, reflection and proxies, in deep recursion, in class initializers, and in virtual threads
 * if the JDK has them.
 *
 * <p>usage: Audited seconds
 *
 * <p>Each work is repeated, and always has the same result.
 *
 * <p>Truth: rounds; wrong, how many of them had another result than the first.
 */
public final class Audited {
  private static final AtomicLong ROUNDS = new AtomicLong();
  private static final AtomicLong WRONG = new AtomicLong();
  private static final Object MONITOR = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock(true);
  private static final Semaphore PERMITS = new Semaphore(1, true);
  private static final int DEEP = 900;
  private static final int TOO_DEEP = 4_000;

  private static volatile boolean isOver;
  private static Object sink;

  private Audited() {}

  public static void main(String[] args) throws Exception {
    long nanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
    List<Thread> threads = new ArrayList<>();
    for (boolean isVirtual : hasVirtual() ? new boolean[] {false, true} : new boolean[] {false}) {
      String suffix = isVirtual ? "-virtual" : "";
      for (int i = 0; i < 3; i++) {
        start(threads, isVirtual, "monitors" + suffix, Audited::monitors);
        start(threads, isVirtual, "locks" + suffix, Audited::locks);
        start(threads, isVirtual, "permits" + suffix, Audited::permits);
      }
      start(threads, isVirtual, "streams" + suffix, Audited::streams);
      start(threads, isVirtual, "handles" + suffix, Audited::handles);
      start(threads, isVirtual, "reflection" + suffix, Audited::reflection);
      start(threads, isVirtual, "deep" + suffix, () -> descend(DEEP, Audited::locks));
      start(threads, isVirtual, "texts" + suffix, Audited::texts);
      start(threads, isVirtual, "thrower" + suffix, Audited::throwAndCatch);
      start(threads, isVirtual, "notified" + suffix, notified());
      start(threads, isVirtual, "queue" + suffix, queue(isVirtual));
      start(threads, isVirtual, "yields" + suffix, () -> yields(30));
    }
    start(threads, false, "too-deep", () -> descend(TOO_DEEP, Audited::manyObjects));
    start(threads, false, "loader", Audited::load);
    Thread.sleep(TimeUnit.NANOSECONDS.toMillis(nanos));
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
    Work.print("rounds", ROUNDS.get());
    Work.print("wrong", WRONG.get());
  }

  private static boolean hasVirtual() {
    return PlainOrVirtual.hasVirtual() && !Boolean.getBoolean("platform");
  }

  private static void start(
      List<Thread> threads, boolean isVirtual, String name, LongSupplier work) throws Exception {
    threads.add(PlainOrVirtual.start(isVirtual, name, () -> repeat(work)));
  }

  private static void repeat(LongSupplier work) {
    long expected = work.getAsLong();
    while (!isOver) {
      if (work.getAsLong() != expected) {
        WRONG.incrementAndGet();
      }
      ROUNDS.incrementAndGet();
    }
  }

  /** Holds a lock for long enough for the others to wait. */
  private static long hold() {
    int[] values = new int[300];
    for (int i = 0; i < 40; i++) {
      values = Arrays.stream(values).map(value -> value + 3).toArray();
    }
    Work.spin(30_000);
    return values[7];
  }

  /** Holds a monitor for longer than the JVM spins. */
  private static long holdLong() {
    LockSupport.parkNanos(300_000);
    return hold();
  }

  private static synchronized long enterMethod(int depth) {
    return depth == 0 ? holdLong() : enterMethod(depth - 1);
  }

  private static long monitors() {
    long sum = enterMethod(3);
    LongSupplier inLambda =
        () -> {
          synchronized (MONITOR) {
            return holdLong();
          }
        };
    return sum + inLambda.getAsLong();
  }

  private static long locks() {
    LOCK.lock();
    try {
      return hold();
    } finally {
      LOCK.unlock();
    }
  }

  private static long permits() {
    return IntStream.range(0, 2)
        .mapToLong(
            i -> {
              PERMITS.acquireUninterruptibly();
              try {
                return hold();
              } finally {
                PERMITS.release();
              }
            })
        .sum();
  }

  private static long streams() {
    return IntStream.range(0, 300)
        .boxed()
        .collect(Collectors.groupingBy(i -> i % 7, Collectors.mapping(i -> "n" + i, Collectors.joining())))
        .values()
        .stream()
        .sorted(Comparator.comparing(String::length).thenComparing(text -> new StringBuilder(text).reverse().toString()))
        .mapToLong(String::hashCode)
        .sum();
  }

  private static long[] fresh(int size) {
    return new long[size];
  }

  private static long handles() {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      MethodHandle made =
          lookup.findStatic(
              Audited.class, "fresh", MethodType.methodType(long[].class, int.class));
      MethodHandle boxed = made.asType(MethodType.methodType(Object.class, Object.class));
      MethodHandle guarded =
          MethodHandles.guardWithTest(
              lookup.findVirtual(
                      Object.class, "equals", MethodType.methodType(boolean.class, Object.class))
                  .bindTo("never"),
              MethodHandles.identity(Object.class),
              boxed);
      long sum = 0;
      for (int i = 0; i < 100; i++) {
        sum += ((long[]) guarded.invoke((Object) (100 + i))).length;
        sum += ((long[]) made.invokeExact(200 + i)).length;
      }
      return sum;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long reflection() {
    try {
      Method method = Audited.class.getDeclaredMethod("fresh", int.class);
      long sum = 0;
      Comparator<?> proxy =
          (Comparator<?>)
              Proxy.newProxyInstance(
                  Audited.class.getClassLoader(),
                  new Class<?>[] {Comparator.class},
                  (self, called, arguments) -> Arrays.asList(arguments).indexOf("x") + fresh(50).length);
      @SuppressWarnings("unchecked")
      Comparator<Object> comparator = (Comparator<Object>) proxy;
      for (int i = 0; i < 100; i++) {
        sum += ((long[]) method.invoke(null, 100 + i)).length;
        sum += comparator.compare("y", "x");
      }
      return sum;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long descend(int left, LongSupplier work) {
    if (left == 0) {
      sink = new int[50];
      return Arrays.hashCode(new long[200]) + work.getAsLong();
    }
    return descend(left - 1, work) * 31 + left;
  }

  /** Allocates enough for a sample each time. */
  private static long manyObjects() {
    long sum = 0;
    for (int i = 0; i < 200; i++) {
      sum += fresh(100 + i % 5).length;
    }
    return sum;
  }

  private static long texts() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      text.append(String.format(Locale.ROOT, "%05d %x,", i, i * 31));
    }
    return text.toString().hashCode();
  }

  private static long throwAndCatch() {
    long caught = 0;
    for (int i = 0; i < 200; i++) {
      try {
        caught += failAt(i % 20);
      } catch (IllegalStateException expected) {
        caught += expected.getMessage().length();
      }
    }
    return caught;
  }

  private static long failAt(int depth) {
    if (depth == 0) {
      throw new IllegalStateException("failed " + Arrays.toString(fresh(5)));
    }
    return failAt(depth - 1) + 1;
  }

  private static LongSupplier notified() {
    Object monitor = new Object();
    return () -> {
      synchronized (monitor) {
        try {
          monitor.wait(1);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return fresh(100).length;
      }
    };
  }

  private static LongSupplier queue(boolean isVirtual) throws Exception {
    SynchronousQueue<long[]> queue = new SynchronousQueue<>();
    PlainOrVirtual.start(
        isVirtual,
        "producer",
        () -> {
          while (!isOver) {
            queue.offer(fresh(64), 10, TimeUnit.MILLISECONDS);
          }
        });
    ReentrantLock own = new ReentrantLock();
    Condition never = own.newCondition();
    return () -> {
      try {
        own.lock();
        try {
          never.awaitNanos(200_000);
        } finally {
          own.unlock();
        }
        long[] taken = queue.poll(20, TimeUnit.MILLISECONDS);
        return taken == null || taken.length == 64 ? 1 : 0;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  private static long yields(int left) {
    if (left == 0) {
      return fresh(300).length;
    }
    Thread.yield();
    return fresh(left).length + yields(left - 1);
  }

  /** Loads a class that did not exist before; its methods and lambdas allocate. */
  private static long load() {
    LongSupplier loaded = ClassUnloader.freshThrowaway(200);
    long result = 0;
    for (int i = 0; i < 100; i++) {
      sink = new Object[] {loaded, fresh(i)};
      result += loaded.getAsLong() > 0 ? 1 : 0;
    }
    return result;
  }
}
