import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Loads {@link Throwaway} again and again, each time in a class loader of its own, burns CPU in it
 * and lets it be unloaded, on a thread "unloader". ClassUnloader rounds cpuMillisPerRound
 *
 * <p>Truth: cpu.unloader; cpu.throwaway, the part burned inside Throwaway; unloaded, the number of
 * classes unloaded.
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

  /** One that burns {@code cpuNanos}, of a class of its own. */
  static LongSupplier freshThrowaway(long cpuNanos) {
    return load(FreshClass.bytesOf("Throwaway"), cpuNanos);
  }
}
