import java.util.function.LongUnaryOperator;

/**
 * A class that several loaders load, each with a native library of its own, for {@link
 * LibraryCopies}.
 */
public final class LibraryCopy implements LongUnaryOperator {
  public LibraryCopy(String library) {
    System.load(library);
  }

  /** Burns for `nanos` nanoseconds in the library, and returns the CPU time used. */
  @Override
  public long applyAsLong(long nanos) {
    return burn(nanos);
  }

  private static native long burn(long nanos);
}
