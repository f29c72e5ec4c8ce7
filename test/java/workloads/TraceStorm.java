import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads that define classes, each in a loader of its own, while tracing starts and while it
 * stops.
 *
 * <p>usage: TraceStorm agentLibrary nativeFolder file threads rounds
 *
 * <p>In each round, the classes that exist when the start has ended are called once each. By then
 * all of them must have probes. Truth: wrong, the rounds whose count differs from the number of
 * classes; classes, their number.
 */
public final class TraceStorm {
  private static final int MOST_CLASSES = 50;  // maximum number of classes of each thread

  private static volatile boolean defining;

  private TraceStorm() {}

  /**
   * The superclass of Stormed. Its loader takes long to find it, so that defining Stormed takes
   * long.
   */
  public static class Base {}

  /** A class that each loader defines again. */
  public static final class Stormed extends Base {
    public static int call(int number) {
      return number + 1;
    }
  }

  private static final class Loader extends ClassLoader {
    Loader() {
      super(TraceStorm.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals("TraceStorm$Base")) Work.spin(200_000);
      return super.loadClass(name, resolve);
    }

    Class<?> make(byte[] bytes) {
      return defineClass("TraceStorm$Stormed", bytes, 0, bytes.length);
    }
  }

  private static final class Maker implements Runnable {
    final byte[] bytes = FreshClass.bytesOf("TraceStorm$Stormed");
    final List<Class<?>> made = new ArrayList<>();
    final CyclicBarrier barrier;
    volatile boolean isOver;

    Maker(CyclicBarrier barrier) {
      this.barrier = barrier;
    }

    private void make() {
      while (defining) {
        if (made.size() == MOST_CLASSES) made.clear();
        made.add(new Loader().make(bytes));
      }
    }

    @Override
    public void run() {
      try {
        for (; ; ) {
          barrier.await();  // the round starts
          if (isOver) return;
          make();
          barrier.await(); // the start has ended
          for (Class<?> each : made) call(each);
          barrier.await(); // all classes have been called
          Thread.yield();
          make();
          made.clear();
          barrier.await(); // the stop has ended
        }
      } catch (Exception broken) {
        throw new IllegalStateException(broken);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    int threads = Integer.parseInt(args[3]);
    CyclicBarrier barrier = new CyclicBarrier(threads + 1);
    List<Maker> makers = new ArrayList<>();
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      makers.add(new Maker(barrier));
      started.add(Work.start("maker-" + i, makers.get(i)));
    }
    int wrong = 0;
    int classes = 0;
    for (int round = Integer.parseInt(args[4]); round > 0; round--) {
      System.gc();  // collects the classes of the previous round
      defining = true;
      barrier.await();
      String start = profiler.execute("start,trace=TraceStorm$Stormed.call,file=" + args[2]);
      if (start.startsWith("failed: ")) throw new IllegalStateException(start);
      defining = false;
      barrier.await();
      int expected = 0;
      for (Maker maker : makers) expected += maker.made.size();
      barrier.await();
      defining = true;
      String stop = profiler.execute("stop");
      defining = false;
      barrier.await();
      classes += expected;
      if (expected == 0 || stop.contains("Stormed.call(I)I: " + expected + " calls,")) continue;
      wrong++;
      Work.print("answer." + wrong, "expected " + expected + ": " + stop.replace('\n', '|'));
    }
    for (Maker maker : makers) maker.isOver = true;
    barrier.await();
    Work.join(started);
    Work.print("wrong", wrong);
    Work.print("classes", classes);
  }

  private static void call(Class<?> stormed) throws ReflectiveOperationException {
    stormed.getMethod("call", int.class).invoke(null, 1);
  }
}
