package java.lang;

/** The target of probes in tests: a class of java.base, which every class of a JVM can call. */
public final class JprofProbes {
  private static final int METHODS = 400_000;

  public static final int[] entries = new int[METHODS];
  public static final int[] exits = new int[METHODS];
  public static final int[] exceptions = new int[METHODS];
  /** The number of probes that got another token than that of their call, or no exception. */
  public static int broken;

  private JprofProbes() {}

  // The probes call no methods of the JDK: every method that they could call has probes itself.
  public static long entry(int id) {
    ++entries[id];
    return token(id);
  }

  public static void exit(int id, long token) {
    if (token != token(id)) ++broken;
    ++exits[id];
  }

  public static void exception(Throwable thrown, int id, long token) {
    if (thrown == null || token != token(id)) ++broken;
    ++exceptions[id];
  }

  private static long token(int id) {
    return (long) id << 32 | 0x5eedL;
  }
}
