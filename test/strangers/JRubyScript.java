import org.jruby.embed.LocalContextScope;
import org.jruby.embed.LocalVariableBehavior;
import org.jruby.embed.ScriptingContainer;

/** JRuby: a Ruby method that counts words, with a block and a regular expression. */
public final class JRubyScript implements Stranger.Program {
    private static final String SCRIPT = "class Counter\n"
            + "  Word = Struct.new(:text, :count)\n"
            + "  def count(number)\n"
            + "    text = (0...400).map { |i| \"w#{(i * 7919 + number) % 211}\" }.join(' ')\n"
            + "    words = Hash.new(0)\n"
            + "    text.scan(/w\\d+/) { |word| words[word.to_sym] += word.length }\n"
            + "    found = words.map { |word, count| Word.new(word.to_s, count) }\n"
            + "    found.sort_by { |each| [-each.count, each.text] }.first(20)\n"
            + "      .map { |each| begin; raise 'odd' if each.count.odd?; each.text\n"
            + "                    rescue => e; e.message; end }.join(',')\n"
            + "  end\n"
            + "end\n"
            + "Counter.new\n";

    private ScriptingContainer container;
    private Object counter;

    @Override
    public void start(int threads) {
        container = new ScriptingContainer(
                LocalContextScope.SINGLETON, LocalVariableBehavior.TRANSIENT);
        counter = container.runScriptlet(SCRIPT);
    }

    @Override
    public long operation(int thread, int number) {
        return Stranger.hash(0, container.callMethod(counter, "count", number, String.class));
    }

    @Override
    public void stop() {
        container.terminate();
    }
}
