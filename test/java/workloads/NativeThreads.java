/**
 * Threads that a JNI library, loaded after the start of the JVM, creates by pthread_create.
 *
 * <p>usage: NativeThreads threads burnMicros
 *
 * <p>Truth: cpu.native, the sum of their clocks.
 */
public final class NativeThreads {
  private static final long UNTIL_THE_LIBRARY_IS_FOUND_MILLIS = 500;

  private NativeThreads() {}

  public static void main(String[] args) throws InterruptedException {
    System.loadLibrary("native_threads");
    Thread.sleep(UNTIL_THE_LIBRARY_IS_FOUND_MILLIS);
    Work.print("cpu.native", burn(Integer.parseInt(args[0]), Long.parseLong(args[1]) * 1000));
  }

  private static native long burn(int count, long burnNanos);
}
