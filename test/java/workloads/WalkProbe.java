import java.util.function.LongSupplier;

/** The agent test/native/walk_probe, which interrupts Java threads and walks their stacks. */
final class WalkProbe {
  private WalkProbe() {}

  /** Interrupts from now on: all threads, or if times are measured the calling one. */
  static native void begin();

  /** Whether it has walked as often as it was asked to. */
  static native boolean isDone();

  /**
   * Walks at each instruction of the calling thread from now on, of which {@code stepped} has the
   * methods steps, outer and inner on the stack.
   */
  static native void step(Class<?> stepped, String label);

  static native void stop();

  /** Calls {@code supplier} from native code. */
  static native long callBack(LongSupplier supplier);
}
