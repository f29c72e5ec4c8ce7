import java.util.function.LongUnaryOperator;

/** Loaded by several loaders, each with a native library of its own: see {@link LibraryCopies}. */
public final class LibraryCopy implements LongUnaryOperator {
  public LibraryCopy(String library) {
    System.load(library);
  }

  /** Burns so many nanoseconds in the library; the CPU time that it used. */
  @Override
  public long applyAsLong(long nanos) {
    return burn(nanos);
  }

  private static native long burn(long nanos);
}
