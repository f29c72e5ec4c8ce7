import java.io.IOException;

/**
 * Native threads that attach to the JVM and detach from it, again and again, until a line is read.
 *
 * <p>usage: Attachers threads
 *
 * <p>Prints `ready`, and at the end entered, the number of times that threads have attached.
 */
public final class Attachers {
  private Attachers() {}

  public static void main(String[] args) throws IOException {
    System.loadLibrary("attachers");
    begin(Integer.parseInt(args[0]));
    System.out.println("ready");
    System.in.read();
    Work.print("entered", end());
  }

  private static native void begin(int threads);

  private static native long end();
}
