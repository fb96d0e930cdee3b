// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.PrintWriter;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import tools.jackson.core.JsonGenerator;

/** What the demonstration says: facts, and checks that hold or do not. For one thread. */
abstract sealed class DemoReport {
  private int passed;
  private int failed;

  private DemoReport() {}

  /** A report for people, or for programs as JSON. */
  public static DemoReport of(Terminal terminal, boolean json) {
    return json ? new AsJson(terminal) : new AsText(terminal);
  }

  abstract void begin(int number, String title);

  /** Something to know. */
  abstract void say(String text);

  /** An example of what was said last. */
  abstract void example(String text);

  abstract void checked(String text, boolean holds);

  abstract void endStep();

  abstract void end(long nanos);

  /** Something that must be so. */
  final void check(boolean holds, String text) {
    if (holds) {
      passed++;
    } else {
      failed++;
    }
    checked(text, holds);
  }

  final int passed() {
    return passed;
  }

  final int failed() {
    return failed;
  }

  private static final class AsText extends DemoReport {
    private final Terminal terminal;
    private final PrintWriter out;

    AsText(Terminal terminal) {
      this.terminal = terminal;
      this.out = terminal.out();
    }

    @Override
    void begin(int number, String title) {
      out.println(terminal.bold(number + ". " + title));
      out.flush();
    }

    @Override
    void say(String text) {
      out.println("   " + text);
      out.flush();
    }

    @Override
    void example(String text) {
      out.println("     " + terminal.dim(text));
    }

    @Override
    void checked(String text, boolean holds) {
      out.println("   " + terminal.mark(holds) + " " + (holds ? text : terminal.bad(text)));
      out.flush();
    }

    @Override
    void endStep() {
      out.println();
      out.flush();
    }

    @Override
    void end(long nanos) {
      String result =
          failed() == 0
              ? terminal.good("All " + passed() + " checks hold")
              : terminal.bad(failed() + " of " + (passed() + failed()) + " checks do not hold");
      out.println(result + Numbers.format(", in %.1f seconds.", nanos / 1e9));
    }
  }

  private static final class AsJson extends DemoReport {
    private final JsonGenerator json;

    AsJson(Terminal terminal) {
      json = new JsonDocument(terminal.out());
      json.writeStartObject().writeArrayPropertyStart("steps");
    }

    @Override
    void begin(int number, String title) {
      json.writeStartObject()
          .writeNumberProperty("step", number)
          .writeStringProperty("title", title)
          .writeArrayPropertyStart("lines");
    }

    private JsonGenerator line(String kind, String text) {
      return json.writeStartObject()
          .writeStringProperty("kind", kind)
          .writeStringProperty("text", text);
    }

    @Override
    void say(String text) {
      line("fact", text).writeEndObject();
    }

    @Override
    void example(String text) {
      line("example", text).writeEndObject();
    }

    @Override
    void checked(String text, boolean holds) {
      line("check", text).writeBooleanProperty("holds", holds).writeEndObject();
    }

    @Override
    void endStep() {
      json.writeEndArray().writeEndObject();
    }

    @Override
    void end(long nanos) {
      json.writeEndArray()
          .writeNumberProperty("passed", passed())
          .writeNumberProperty("failed", failed())
          .writeNumberProperty("seconds", nanos / 1e9)
          .close();
    }
  }
}
