import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;

/** GraalJS on a stock JDK, where it only interprets: one context per thread. */
public final class GraalJs implements Stranger.Program {
    private static final String SCRIPT = "(function (number) {\n"
            + "  const words = Array.from({length: 200},\n"
            + "      (_, i) => 'w' + (i * 7919 + number) % 211);\n"
            + "  const counts = new Map();\n"
            + "  for (const w of words) counts.set(w, (counts.get(w) ?? 0) + w.length);\n"
            + "  class Tree { constructor(n) { this.kids = n > 0 ? [new Tree(n - 1),\n"
            + "      new Tree(n - 1)] : []; }\n"
            + "    size() { return this.kids.reduce((s, k) => s + k.size(), 1); } }\n"
            + "  const top = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));\n"
            + "  return JSON.stringify({top: top.slice(0, 9), size: new Tree(5).size()})\n"
            + "      .replace(/w(\\d+)/g, (_, d) => d);\n"
            + "})";

    private Engine engine;
    private Context[] contexts;
    private Value[] functions;

    @Override
    public void start(int threads) {
        engine = Engine.newBuilder().option("engine.WarnInterpreterOnly", "false").build();
        contexts = new Context[threads];
        functions = new Value[threads];
        Source source = Source.create("js", SCRIPT);
        for (int i = 0; i < threads; ++i) {
            contexts[i] = Context.newBuilder("js").engine(engine).build();
            functions[i] = contexts[i].eval(source);
        }
    }

    @Override
    public long operation(int thread, int number) {
        return Stranger.hash(0, functions[thread].execute(number).asString());
    }

    @Override
    public void stop() {
        for (Context each : contexts) each.close();
        engine.close();
    }
}
