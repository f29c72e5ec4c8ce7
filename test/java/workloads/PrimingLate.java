/** A class whose library is loaded while the profiler runs. */
final class PrimingLate {
  private PrimingLate() {}

  static native long burnInThread(String name, long burnNanos);
}
