// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.MemberListener;
import tools.jackson.core.JsonGenerator;

/** Prints each event on a line, as it comes. */
record EventLines(Terminal terminal, boolean json, CountDownLatch enough)
    implements MemberListener {
  /** Indents what is folded: so little that an address fits into 40 columns. */
  private static final int INDENT = 2;

  @Override
  public void heard(MemberEvent event) {
    if (json) {
      try (JsonGenerator line = JsonDocument.line(terminal.out())) {
        line.writeStartObject().writeStringProperty("time", Instant.now().toString());
        MemberTexts.fields(line, event);
      }
    } else {
      String line = now() + "  " + MemberTexts.line(terminal, event);
      terminal.printFolded(line, INDENT);
    }
    if (terminal.out().checkError()) {
      // The reader has gone away.
      enough.countDown();
    }
  }

  static LocalTime now() {
    return LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
  }
}
