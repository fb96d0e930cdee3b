// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.PrintWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.core.util.Separators;
import tools.jackson.core.util.Separators.Spacing;

/**
 * One JSON document on standard output. It is written as it comes, so that a million elements need
 * no memory. Closing it ends what is open, and the line. Not thread safe.
 */
public final class JsonDocument extends JsonGeneratorDelegate {
  /** Plain ASCII, so that the encoding of the stream does not matter. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private final PrintWriter out;

  /** A document on a stream that stays open. */
  public JsonDocument(PrintWriter out) {
    this(out, new Layout());
  }

  private JsonDocument(PrintWriter out, ObjectWriteContext layout) {
    super(FACTORY.createGenerator(layout, out));
    this.out = out;
  }

  /** A document that is one line, of a stream of them. */
  public static JsonDocument line(PrintWriter out) {
    return new JsonDocument(out, ObjectWriteContext.empty());
  }

  /**
   * Writes a number with at most three decimals. JSON has neither infinities nor not-a-number:
   * those become null.
   */
  @Override
  public JsonGenerator writeNumber(double value) {
    return Double.isFinite(value)
        ? super.writeNumber(Math.round(value * 1000) / 1000.0)
        : writeNull();
  }

  @Override
  public void close() {
    if (!isClosed()) {
      super.close();
      out.println();
    }
  }

  /** Each element has a line of its own. */
  private static final class Layout extends ObjectWriteContext.Base {
    @Override
    public boolean hasPrettyPrinter() {
      return true;
    }

    @Override
    public PrettyPrinter getPrettyPrinter() {
      return new DefaultPrettyPrinter(
              Separators.createDefaultInstance()
                  .withObjectNameValueSpacing(Spacing.AFTER)
                  .withObjectEmptySeparator("")
                  .withArrayEmptySeparator(""))
          .withArrayIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    }
  }
}
