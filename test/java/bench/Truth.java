import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Random;

/**
 * Spends the CPU time of the thread "truth" on the methods of Parts, in known shares.
 *
 * <p>usage: Truth cpuMillis
 *
 * <p>Runs slices of 1 to 3 ms in random order. The part that is furthest below its share is the
 * most likely to be next. Prints truth.PART, the CPU time of the part's slices in nanoseconds of
 * the thread's own clock; truth.(none), the CPU time between slices; and cpu.truth, the thread's
 * total.
 */
public final class Truth {
  private static final String[] NAMES = {
    "inlinedFirst", "inlinedSecond", "nativeCode", "intrinsic", "copying", "megamorphic",
    "recursive", "exceptional", "systemCall",
  };
  private static final int[] PERCENT = {20, 10, 15, 10, 5, 15, 10, 5, 10};
  private static final long SLICE_NANOS = 2_000_000;
  private static final long CALIBRATION_NANOS = 250_000_000;

  private final InputStream zeros;
  private final double[] nanosOfTime = new double[NAMES.length];
  private final long[] spent = new long[NAMES.length];

  private Truth(InputStream zeros) {
    this.zeros = zeros;
  }

  public static void main(String[] args) throws Exception {
    long cpuNanos = Long.parseLong(args[0]) * 1_000_000;
    try (InputStream zeros = new FileInputStream("/dev/zero")) {
      Truth truth = new Truth(zeros);
      runThread("calibration", truth::calibrate);
      runThread("truth", () -> truth.spend(cpuNanos));
    }
  }

  private static void runThread(String name, Runnable body) throws InterruptedException {
    Thread thread = new Thread(body, name);
    thread.start();
    thread.join();
  }

  private void calibrate() {
    for (int part = 0; part < NAMES.length; part++) {
      long times = 1;
      for (long total = 0; total < CALIBRATION_NANOS; ) {
        long nanos = Math.max(1, slice(part, times));
        total += nanos;
        nanosOfTime[part] = (double) nanos / times;
        times = Math.max(1, (long) (SLICE_NANOS / nanosOfTime[part]));
      }
    }
  }

  private void spend(long cpuNanos) {
    Random random = new Random(1);
    for (long total = 0; total < cpuNanos; ) {
      int part = behind(total, random);
      double length = SLICE_NANOS * (0.5 + random.nextDouble());
      long nanos = slice(part, Math.max(1, (long) (length / nanosOfTime[part])));
      spent[part] += nanos;
      total += nanos;
    }
    long between = Work.cpuNanos();
    for (int part = 0; part < NAMES.length; part++) {
      Work.print("truth." + NAMES[part], spent[part]);
      between -= spent[part];
    }
    Work.print("truth.(none)", between);
    Work.print("cpu.truth", Work.cpuNanos());
  }

  private int behind(long total, Random random) {
    int chosen = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int part = 0; part < NAMES.length; part++) {
      double debt = PERCENT[part] / 100.0 * total - spent[part];
      double weight = debt + random.nextDouble() * 10 * SLICE_NANOS;
      if (weight > most) {
        most = weight;
        chosen = part;
      }
    }
    return chosen;
  }

  /** Calls the part `times` times, and returns the CPU time in nanoseconds that this took. */
  private long slice(int part, long times) {
    long begin = Work.cpuNanos();
    try {
      Work.sink += call(part, times);
    } catch (IOException unexpected) {
      throw new UncheckedIOException(unexpected);
    }
    return Work.cpuNanos() - begin;
  }

  private long call(int part, long times) throws IOException {
    switch (part) {
      case 0: return first(times);
      case 1: return second(times);
      case 2: return Parts.nativeCode(times);
      case 3: return Parts.intrinsic(times);
      case 4: return Parts.copying(times);
      case 5: return Parts.megamorphic(times);
      case 6: return Parts.recursive(times);
      case 7: return Parts.exceptional(times);
      default: return Parts.systemCall(times, zeros);
    }
  }

  private static long first(long times) {
    long value = times;
    for (long i = 0; i < times; i++) {
      value = Parts.inlinedFirst(value);
    }
    return value;
  }

  private static long second(long times) {
    long value = times;
    for (long i = 0; i < times; i++) {
      value = Parts.inlinedSecond(value);
    }
    return value;
  }
}
