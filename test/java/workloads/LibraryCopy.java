import java.util.function.LongUnaryOperator;

/**
 * A class that several loaders load, each with its own native library: see {@link LibraryCopies}.
 */
public final class LibraryCopy implements LongUnaryOperator {
  public LibraryCopy(String library) {
    System.load(library);
  }

  /** Burns `nanos` nanoseconds in the library; returns the CPU time used. */
  @Override
  public long applyAsLong(long nanos) {
    return burn(nanos);
  }

  private static native long burn(long nanos);
}
