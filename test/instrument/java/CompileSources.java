import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** Runs the compiler, then prints the counts. usage: CompileSources METHODS|- FOLDER SOURCE... */
public class CompileSources {
  public static void main(String[] args) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-g", "-nowarn", "-proc:none", "-d", args[1]));
    arguments.addAll(List.of(args).subList(2, args.length));
    String[] all = arguments.toArray(String[]::new);
    int outcome = ToolProvider.getSystemJavaCompiler().run(null, null, null, all);
    System.out.println("outcome=" + outcome);
    if (args[0].equals("-")) return;
    System.out.println("broken=" + JprofProbesView.broken());
    JprofProbesView.printCounts(Path.of(args[0]));
  }
}
