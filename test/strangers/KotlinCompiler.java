import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** Kotlin's compiler in the process: compiles a source file with some classes and lambdas. */
public final class KotlinCompiler implements Stranger.Program {
    private Path folder;
    private String library;

    @Override
    public void start(int threads) throws Exception {
        folder = Files.createTempDirectory(Stranger.folder(), "kotlin");
        library = Stranger.classPathOf("kotlin-stdlib");
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        Path source = folder.resolve("Source" + number + ".kt");
        Path classes = folder.resolve("classes" + number);
        StringBuilder text = new StringBuilder("package strangers\n");
        for (int i = 0; i < 10; ++i) {
            text.append("data class Item" + i + "(val name: String, val price: Int)\n"
                    + "fun total" + i + "(items: List<Item" + i + ">): Map<String, Int> =\n"
                    + "  items.filter { it.price > " + number + " }.groupBy { it.name }\n"
                    + "    .mapValues { (_, list) -> list.sumOf { it.price + " + i + " } }\n");
        }
        Files.writeString(source, text);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ExitCode code = new K2JVMCompiler().exec(new PrintStream(said), "-no-stdlib",
                "-no-reflect", "-classpath", library, "-d", classes.toString(),
                source.toString());
        if (code != ExitCode.OK) throw new IllegalStateException(said.toString());
        return Stranger.hashAndRemove(classes);
    }

    @Override
    public void stop() {}
}
