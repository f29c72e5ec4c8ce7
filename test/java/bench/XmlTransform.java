import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** The JDK's XSLT processor on two threads. An operation parses and transforms 200 orders. */
final class XmlTransform implements Workload {
  private static final String SHEET =
      "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
          + "<xsl:template match='/orders'><table><xsl:for-each select='order'>"
          + "<xsl:sort select='customer'/><xsl:apply-templates select='.'/></xsl:for-each>"
          + "</table></xsl:template>"
          + "<xsl:template match='order'><tr id='{@id}'><td><xsl:value-of select='customer'/></td>"
          + "<td><xsl:value-of select='sum(item/@price)'/></td>"
          + "<td><xsl:value-of select='translate(customer, \"abc\", \"ABC\")'/></td></tr>"
          + "</xsl:template></xsl:stylesheet>";

  private final Team team = new Team(2);
  private Templates templates;
  private String document;

  @Override
  public void prepare() throws TransformerException {
    templates = TransformerFactory.newInstance().newTemplates(source(SHEET));
    StringBuilder text = new StringBuilder("<orders>");
    for (int i = 0; i < 200; i++) {
      text.append("<order id='").append(i).append("'><customer>");
      text.append(Integer.toString(i * 7919 % 1000, 36)).append(" abc</customer>");
      for (int item = 0; item < 5; item++) {
        text.append("<item price='").append(i % 10 + item).append("'/>");
      }
      text.append("</order>");
    }
    document = text.append("</orders>").toString();
  }

  private static StreamSource source(String text) {
    return new StreamSource(new StringReader(text));
  }

  @Override
  public long run(long operations) throws Exception {
    return team.run(operations, (member, part) -> transform(part));
  }

  private long transform(long operations) throws TransformerException {
    long letters = 0;
    for (long i = 0; i < operations; i++) {
      StringWriter out = new StringWriter();
      templates.newTransformer().transform(source(document), new StreamResult(out));
      letters += out.getBuffer().length();
    }
    return letters;
  }

  @Override
  public void close() {
    team.close();
  }
}
