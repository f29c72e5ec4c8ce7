import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;

/**
 * Loads one class again and again, each time with a new loader. An operation loads the class and
 * calls it.
 */
final class ClassLoading implements Workload {
  private byte[] bytes;

  @Override
  public void prepare() throws IOException {
    try (InputStream in = ClassLoading.class.getResourceAsStream("ClassLoading$Loaded.class")) {
      bytes = in.readAllBytes();
    }
  }

  @Override
  public long run(long operations) throws ReflectiveOperationException {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      Class<?> loaded = new Loader().define(bytes);
      sum += ((LongUnaryOperator) loaded.getDeclaredConstructor().newInstance()).applyAsLong(i);
    }
    return sum;
  }

  private static final class Loader extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass(null, bytes, 0, bytes.length);
    }
  }

  /** The class that the loaders load. */
  public static final class Loaded implements LongUnaryOperator {
    private long state = 17;

    @Override
    public long applyAsLong(long value) {
      for (int i = 0; i < 20; i++) {
        state = mixed(state + value);
      }
      return state;
    }

    private static long mixed(long value) {
      return value * 6364136223846793005L + 1442695040888963407L;
    }
  }
}
