// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.ofi4j.cli.output.JsonReader;
import org.ofi4j.cli.output.Terminal;

/** A command run in this JVM, and what it printed. */
public record CommandRun(int code, String out, String err) {
  public static CommandRun of(String... args) {
    return of(InputStream.nullInputStream(), args);
  }

  public static CommandRun withInput(String input, String... args) {
    return of(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), args);
  }

  public static CommandRun of(InputStream in, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(Terminal.of(in, out, err), args);
    return new CommandRun(code, out.toString(), err.toString());
  }

  /** Standard output as JSON: objects are maps, arrays lists. */
  public JsonReader.Value json() {
    return JsonReader.read(out);
  }
}
