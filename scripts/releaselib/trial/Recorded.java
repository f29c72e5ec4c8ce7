/** Records itself by the Java API, to the file of its argument. */
public final class Recorded {
    private Recorded() {}

    public static void main(String[] arguments) {
        jprof.Profiler profiler = jprof.Profiler.load();
        System.out.println(profiler.start("cpu=1ms,file=" + arguments[0]));
        Busy.work(1000);
        System.out.println(profiler.stop());
    }
}
