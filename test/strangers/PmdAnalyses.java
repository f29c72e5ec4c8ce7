import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.sourceforge.pmd.PMDConfiguration;
import net.sourceforge.pmd.PmdAnalysis;
import net.sourceforge.pmd.lang.LanguageRegistry;
import net.sourceforge.pmd.lang.document.FileId;
import net.sourceforge.pmd.reporting.Report;
import net.sourceforge.pmd.reporting.RuleViolation;

/** PMD: applies its rules of design and best practices to a source file with some classes. */
public final class PmdAnalyses implements Stranger.Program {
    @Override
    public void start(int threads) {}

    @Override
    public long operation(int thread, int number) {
        PMDConfiguration configuration = new PMDConfiguration();
        configuration.setThreads(0);
        configuration.addRuleSet("category/java/bestpractices.xml");
        configuration.addRuleSet("category/java/design.xml");
        configuration.setDefaultLanguageVersion(
                LanguageRegistry.PMD.getLanguageById("java").getDefaultVersion());
        try (PmdAnalysis analysis = PmdAnalysis.create(configuration)) {
            for (int i = 0; i < 5; ++i) {
                analysis.files().addSourceFile(
                        FileId.fromPathLikeString("C" + i + ".java"), source(number, i));
            }
            Report report = analysis.performAnalysisAndCollectReport();
            if (!report.getProcessingErrors().isEmpty()) {
                throw new IllegalStateException(
                        report.getProcessingErrors().get(0).getDetail());
            }
            List<String> found = report.getViolations().stream()
                    .map(PmdAnalyses::text).sorted().collect(Collectors.toList());
            return Stranger.hash(found.size(), String.join("\n", found));
        }
    }

    private static String text(RuleViolation violation) {
        return violation.getRule().getName() + violation.getBeginLine() + violation.getFileId()
                .getFileName() + violation.getDescription();
    }

    private static String source(int number, int index) {
        StringBuilder text = new StringBuilder("package p;\nimport java.util.*;\nclass C" + index
                + " {\n  private int unused;\n  static final int N = " + number + ";\n");
        for (int i = 0; i < 20; ++i) {
            text.append("  public String m" + i + "(List<String> xs, Map<String, Integer> ys) {\n"
                    + "    int local = " + i * number + ";\n"
                    + "    for (String x : xs) { if (x == null) { System.out.println(x); }\n"
                    + "      else if (ys.containsKey(x) && ys.get(x) > " + number
                    + ") return x; }\n"
                    + "    try { xs.forEach(y -> ys.merge(y, 1, Integer::sum)); }\n"
                    + "    catch (RuntimeException e) { throw e; }\n"
                    + "    return null;\n  }\n");
        }
        return text.append("}\n").toString();
    }

    @Override
    public void stop() {}
}
