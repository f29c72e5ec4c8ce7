import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads "storm-0" and "storm-1" that create one class after another, use it for a moment and drop
 * it, while the collector unloads the dropped classes; and threads "swap-0" and "swap-1" that run a
 * method whose class is redefined and retransformed meanwhile. If the JVM allows it, a redefinition
 * replaces a method by one of another name.
 *
 * <p>The number of a class is in its name and in the name of its method that burns. Every second
 * class is hidden if the JDK has hidden classes; the others have a class loader each.
 *
 * <p>usage: NameStorm seconds microsPerClass; with -javaagent of OtherAgent
 *
 * <p>Truth: classes, the number of classes created; unloaded; redefined, the number of redefinitions
 * and retransformations; renamed, how many of them replaced a method.
 */
public final class NameStorm {
  private static final AtomicInteger CLASSES = new AtomicInteger();
  private static volatile boolean isOver;

  private NameStorm() {}

  static final class Swapped {
    private Swapped() {}

    static String version() {
      return "version 1";
    }

    static void spin() {
      long end = System.nanoTime() + 5_000_000;
      while (System.nanoTime() < end) {
        Work.sink += version().length() + pick_a(end);
      }
    }

    private static int pick_a(long end) {
      long value = end;
      for (int i = 0; i < 1000; i++) {
        value = value * 31 + i;
      }
      return (int) value;
    }
  }

  public static void main(String[] args) throws Exception {
    long end = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
    long nanos = Long.parseLong(args[1]) * 1000;
    byte[] bytes = FreshClass.bytesOf("StormBurner");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(Work.start("storm-" + i, () -> storm(bytes, nanos)));
      threads.add(Work.start("swap-" + i, () -> {
        while (!isOver) {
          Swapped.spin();
        }
      }));
    }
    byte[] first = FreshClass.bytesOf("NameStorm$Swapped");
    byte[] second = FreshClass.renamed(first, "version 1", "version 2");
    byte[] third = FreshClass.renamed(first, "pick_a", "pick_b");
    int renamed = 0;
    int redefined = 0;
    for (; System.nanoTime() < end; redefined++) {
      if (redefined % 3 == 0) {
        OtherAgent.retransform(Swapped.class);
      } else {
        try {
          OtherAgent.redefine(
              Swapped.class, redefined % 9 < 3 ? first : redefined % 9 < 6 ? second : third);
          renamed += redefined % 9 >= 6 ? 1 : 0;
        } catch (UnsupportedOperationException isNotAllowed) {
          OtherAgent.redefine(Swapped.class, first);
        }
      }
      if (redefined % 4 == 0) {
        System.gc();
      }
      Thread.sleep(20);
    }
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
    System.gc();
    Work.print("classes", CLASSES.get());
    Work.print("redefined", redefined);
    Work.print("renamed", renamed);
    Work.print("unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
  }

  private static void storm(byte[] bytes, long nanos) {
    while (!isOver) {
      int number = CLASSES.incrementAndGet();
      String name = String.format("Storm%06d", number);
      byte[] named = FreshClass.renamed(bytes, "StormBurner", name);
      named = FreshClass.renamed(named, "burn_00000", String.format("bu_%07d", number));
      FreshClass.burner(name, named, number % 2 == 0).applyAsLong(nanos);
    }
  }
}
