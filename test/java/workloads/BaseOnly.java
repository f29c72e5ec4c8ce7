import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Works, waits, allocates and calls a method, with classes of the module java.base alone.
 *
 * <p>usage: BaseOnly calls
 *
 * <p>Prints "ready=", waits for a line of input, and then calls {@link #call} on one thread, while
 * another one waits. Truth: elapsed, the nanoseconds that the calls took.
 */
public final class BaseOnly {
  static volatile Object kept;

  private BaseOnly() {}

  public static void main(String[] args) throws IOException {
    Thread waiting = new Thread(BaseOnly::waitForever, "waiting");
    waiting.setDaemon(true);
    waiting.start();
    System.out.println("ready=");
    System.in.read();
    long begin = System.nanoTime();
    for (int i = Integer.parseInt(args[0]); i > 0; i--) {
      call(i);
    }
    System.out.println("elapsed=" + (System.nanoTime() - begin));
  }

  /** Allocates 10 kB and writes to each byte. */
  static void call(int number) {
    byte[] bytes = new byte[10_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (number * i);
    }
    kept = bytes;
  }

  private static void waitForever() {
    for (;;) {
      LockSupport.park();
    }
  }
}
