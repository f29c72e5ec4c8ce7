import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * A thread "unloader" that loads {@link Throwaway} again and again, each time in a new class
 * loader, burns CPU time in it and lets it be unloaded.
 *
 * <p>usage: ClassUnloader rounds cpuMillisPerRound
 *
 * <p>Truth: cpu.unloader; cpu.throwaway, the part that was burned inside Throwaway; unloaded, the
 * number of unloaded classes.
 */
public final class ClassUnloader {
  private static final int ROUNDS_PER_GC = 4;

  private ClassUnloader() {}

  public static void main(String[] args) throws InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    long cpuNanos = Long.parseLong(args[1]) * 1_000_000;
    Thread unloader = Work.start("unloader", () -> run(rounds, cpuNanos));
    unloader.join();
    System.gc();
    Work.print("unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
  }

  private static void run(int rounds, long cpuNanos) {
    byte[] bytes = FreshClass.bytesOf("Throwaway");
    long inside = 0;
    for (int i = 1; i <= rounds; i++) {
      LongSupplier burner = load(bytes, cpuNanos);
      inside += burner.getAsLong();
      if (i % ROUNDS_PER_GC == 0) {
        System.gc();
      }
    }
    Work.print("cpu.throwaway", inside);
    Work.print("cpu.unloader", Work.cpuNanos());
  }

  private static LongSupplier load(byte[] bytes, long cpuNanos) {
    try {
      Class<?> type = FreshClass.define("Throwaway", bytes);
      return (LongSupplier) type.getConstructor(long.class).newInstance(cpuNanos);
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** Returns a supplier of a new class that burns {@code cpuNanos}. */
  static LongSupplier freshThrowaway(long cpuNanos) {
    return load(FreshClass.bytesOf("Throwaway"), cpuNanos);
  }
}
