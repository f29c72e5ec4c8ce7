import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
    byte[] bytes = classBytes();
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
      Class<?> type = new ThrowawayLoader().define(bytes);
      return (LongSupplier) type.getConstructor(long.class).newInstance(cpuNanos);
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** One that burns {@code cpuNanos}, of a class of its own. */
  static LongSupplier freshThrowaway(long cpuNanos) {
    return load(classBytes(), cpuNanos);
  }

  private static byte[] classBytes() {
    try (InputStream in = ClassUnloader.class.getResourceAsStream("Throwaway.class")) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int b = in.read(); b >= 0; b = in.read()) {
        bytes.write(b);
      }
      return bytes.toByteArray();
    } catch (IOException broken) {
      throw new IllegalStateException(broken);
    }
  }

  private static final class ThrowawayLoader extends ClassLoader {
    ThrowawayLoader() {
      super(ClassUnloader.class.getClassLoader());
    }

    Class<?> define(byte[] bytes) {
      return defineClass("Throwaway", bytes, 0, bytes.length);
    }
  }
}
