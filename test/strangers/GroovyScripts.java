import groovy.lang.GroovyClassLoader;
import groovy.lang.GroovySystem;
import groovy.lang.Script;
import java.io.IOException;

/** Groovy: each script is compiled in a class loader of its own, run, and dropped. */
public final class GroovyScripts implements Stranger.Program {
    private static final String SCRIPT = "import groovy.transform.CompileStatic\n"
            + "class Item# { String name; int count\n"
            + "  def methodMissing(String called, arguments) { \"$called-$name-${arguments.size()}\" }\n"
            + "  Item# plus(Item# other) { new Item#(name: name + other.name, count: count + other.count) }\n"
            + "}\n"
            + "@CompileStatic class Depth# {\n"
            + "  static long down(int left) { left == 0 ? 1L : down(left - 1) * 31 + left }\n"
            + "}\n"
            + "def deep\n"
            + "deep = { int left -> left == 0 ? 0 : 1 + deep(left - 1) }\n"
            + "def items = (1..60).collect { new Item#(name: 'n' + (it * 7919 + #) % 101, count: it) }\n"
            + "def groups = items.groupBy { it.count % 7 }.collectEntries { key, all ->\n"
            + "  [key, all.inject(new Item#(name: '', count: 0)) { sum, each -> sum + each }] }\n"
            + "Item#.metaClass.twice = { -> delegate.count * 2 }\n"
            + "def odd = items.findAll { it.count % 2 }*.twice()\n"
            + "def missing = items.take(20).collect { it.\"call${it.count % 5}\"(1, 2) }\n"
            + "def failed = (1..10).collect { try { null.length() } catch (NullPointerException e) { it } }\n"
            + "\"${groups.values()*.name.join(',')} ${odd.sum()} ${missing} ${failed}"
            + " ${Depth#.down(200)} ${deep(60)}\"\n";

    @Override
    public void start(int threads) {}

    @Override
    public long operation(int thread, int number) throws IOException, ReflectiveOperationException {
        try (GroovyClassLoader loader = new GroovyClassLoader()) {
            Class<?> type = loader.parseClass(
                    SCRIPT.replace("#", Integer.toString(number)), "Script" + number + ".groovy");
            Script script = (Script) type.getDeclaredConstructor().newInstance();
            long sum = 0;
            for (int i = 0; i < 5; ++i) sum = Stranger.hash(sum, script.run().toString());
            for (Class<?> each : loader.getLoadedClasses()) {
                GroovySystem.getMetaClassRegistry().removeMetaClass(each);
            }
            loader.clearCache();
            return sum;
        }
    }

    @Override
    public void stop() {}
}
