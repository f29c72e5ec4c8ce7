import java.nio.file.Files;
import java.nio.file.Path;
import scala.tools.nsc.MainClass;

/** Scala's compiler in the process: compiles a source file of case classes and pattern matches. */
public final class ScalaCompiler implements Stranger.Program {
    private Path folder;
    private String library;

    @Override
    public void start(int threads) throws Exception {
        folder = Files.createTempDirectory(Stranger.folder(), "scala");
        library = Stranger.classPathOf("scala-library");
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        Path source = folder.resolve("Source" + number + ".scala");
        Path classes = Files.createDirectories(folder.resolve("classes" + number));
        StringBuilder text = new StringBuilder("package strangers\n");
        for (int i = 0; i < 10; ++i) {
            text.append("sealed trait Tree" + i + "[A]\n"
                    + "case class Leaf" + i + "[A](value: A) extends Tree" + i + "[A]\n"
                    + "case class Node" + i + "[A](left: Tree" + i + "[A], right: Tree" + i
                    + "[A]) extends Tree" + i + "[A]\n"
                    + "object Trees" + i + " {\n"
                    + "  def depth[A](tree: Tree" + i + "[A]): Int = tree match {\n"
                    + "    case Leaf" + i + "(_) => " + number + "\n"
                    + "    case Node" + i + "(l, r) => 1 + (depth(l) max depth(r))\n"
                    + "  }\n"
                    + "  def sums(xs: List[Int]) = for (x <- xs; y <- xs if x < y) yield x + y\n"
                    + "}\n");
        }
        Files.writeString(source, text);
        MainClass compiler = new MainClass();
        boolean isDone = compiler.process(new String[] {"-classpath", library, "-d",
                classes.toString(), source.toString()});
        if (!isDone || compiler.reporter().hasErrors()) {
            throw new IllegalStateException("Scala's compiler refuses " + source);
        }
        return Stranger.hashAndRemove(classes);
    }

    @Override
    public void stop() {}
}
