// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.BufferedWriter;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Standard input, output and error of a command, and what they can show. Writers may be used from
 * several threads.
 */
public final class Terminal {
  private static final int DEFAULT_COLUMNS = 80;
  private static final int DEFAULT_ROWS = 24;

  // The file descriptors of the standard streams.
  private static final int IN = 0;
  private static final int OUT = 1;
  private static final int ERR = 2;

  private final InputStream in;
  private final WatchedWriter watched;
  private final PrintWriter out;
  private final PrintWriter err;
  private final Set<Integer> terminals;
  private final Ansi ansi;
  private final boolean unicode;
  private final boolean isWidthGiven;
  private final int columns;
  private final IntSupplier errColumns;

  private Terminal(
      InputStream in,
      Writer out,
      PrintWriter err,
      Set<Integer> terminals,
      boolean unicode,
      IntSupplier windowColumns,
      Map<String, String> environment) {
    this.in = in;
    this.watched = new WatchedWriter(out);
    this.out = new PrintWriter(watched);
    this.err = err;
    this.terminals = terminals;
    this.unicode = unicode;
    // https://no-color.org: set and not empty means no colour.
    this.ansi =
        Ansi.valueOf(
            terminals.contains(OUT)
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !"dumb".equals(environment.get("TERM")));
    String variable = environment.getOrDefault("COLUMNS", "");
    this.isWidthGiven = variable.matches("[0-9]{2,4}");
    this.columns = isWidthGiven ? Integer.parseInt(variable) : DEFAULT_COLUMNS;
    this.errColumns = isWidthGiven ? () -> columns : windowColumns;
  }

  public static Terminal system() {
    Charset charset = System.out.charset();
    return new Terminal(
        System.in,
        writer(FileDescriptor.out, charset),
        new PrintWriter(writer(FileDescriptor.err, System.err.charset()), true),
        Stream.of(IN, OUT, ERR).filter(Terminal::isTerminal).collect(Collectors.toSet()),
        charset.newEncoder().canEncode('✓'),
        () -> WindowSize.columns(ERR),
        System.getenv());
  }

  /** Streams of the caller's, which count as no terminal: no colour and no progress. */
  public static Terminal of(InputStream in, Writer out, Writer err) {
    return new Terminal(
        in, out, new PrintWriter(err, true), Set.of(), true, () -> DEFAULT_COLUMNS, Map.of());
  }

  /** The same, but they count as terminals: progress, and colour if the environment allows it. */
  public static Terminal interactive(
      InputStream in, Writer out, Writer err, Map<String, String> environment) {
    return new Terminal(
        in,
        out,
        new PrintWriter(err, true),
        Set.of(IN, OUT, ERR),
        true,
        () -> DEFAULT_COLUMNS,
        environment);
  }

  private static Writer writer(FileDescriptor descriptor, Charset charset) {
    return new BufferedWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), charset), 1 << 16);
  }

  /** The JDK tells only whether input and output both are terminals, Linux tells each. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 answers null again where there is no terminal.
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      Console console = System.console();
      return console != null && console.isTerminal();
    }
  }

  public InputStream in() {
    return in;
  }

  /** Standard output; flushed when the command ends. */
  public PrintWriter out() {
    return out;
  }

  /** Standard error; flushed at each line. */
  public PrintWriter err() {
    return err;
  }

  /** Whether a person types standard input. */
  public boolean inIsTerminal() {
    return terminals.contains(IN);
  }

  /** Whether a person reads standard output, so that it may be drawn over. */
  public boolean outIsTerminal() {
    return terminals.contains(OUT);
  }

  /** Whether a person reads standard error, so that progress may be shown there. */
  public boolean errIsTerminal() {
    return terminals.contains(ERR);
  }

  /** Whether standard output shows colour, as on a terminal unless the environment forbids it. */
  public Ansi ansi() {
    return ansi;
  }

  /** How many columns a line may have, as the environment has it; 80 if it says nothing. */
  public int columns() {
    return columns;
  }

  /**
   * How wide a line on standard error may be. Asks the terminal, which may have become wider or
   * narrower; the first time that takes some milliseconds.
   *
   * @return columns: those of the environment, else those of the terminal, else 80
   */
  public int errColumns() {
    int asked = errColumns.getAsInt();
    return asked > 0 ? asked : columns;
  }

  /** How many lines fit on the terminal; 24 if nobody says. */
  public int rows() {
    int asked = terminals.contains(OUT) ? WindowSize.rows(OUT) : 0;
    return asked > 0 ? asked : DEFAULT_ROWS;
  }

  /**
   * Returns the columns of standard output: those of the environment, else those of the terminal,
   * else 80.
   */
  public int outColumns() {
    int asked = !isWidthGiven && terminals.contains(OUT) ? WindowSize.columns(OUT) : 0;
    return asked > 0 ? asked : columns;
  }

  /**
   * Returns the columns after which lines are folded: those of a terminal; others fold no lines.
   */
  public int foldColumns() {
    return terminals.contains(OUT) ? outColumns() : Integer.MAX_VALUE;
  }

  /**
   * Prints a line to standard output, folded to the columns of a terminal.
   *
   * @param indent the number of blanks before each further line
   */
  public void printFolded(String line, int indent) {
    out().println(Folding.words(line, foldColumns(), indent));
  }

  public boolean hasOutput() {
    return watched.used();
  }

  /** Why standard output is not complete, or null; a reader that went away wanted no more. */
  public @Nullable String lostOutput() {
    out.flush();
    IOException failure = watched.failure();
    if (failure == null) {
      return null;
    }
    String reason = String.valueOf(failure.getMessage());
    return reason.contains("Broken pipe") ? null : reason;
  }

  public void flush() {
    out.flush();
    err.flush();
  }

  /** Strong text: bold where colour is on. */
  public String bold(String text) {
    return styled(Style.bold, text);
  }

  /** Text that is less important: dim where colour is on. */
  public String dim(String text) {
    return styled(Style.faint, text);
  }

  /** Text about something good: green where colour is on. */
  public String good(String text) {
    return styled(Style.fg_green, text);
  }

  /** Text about something bad: red where colour is on. */
  public String bad(String text) {
    return styled(Style.fg_red, text);
  }

  /** Text about something that deserves a look: yellow where colour is on. */
  public String notable(String text) {
    return styled(Style.fg_yellow, text);
  }

  /** A coloured mark for something that holds or does not, in ASCII where it has to be. */
  public String mark(boolean holds) {
    if (holds) {
      return good(unicode ? "✓" : "ok");
    }
    return bad(unicode ? "✗" : "FAILED");
  }

  /** What a check found, in words. */
  public String verdict(List<String> findings) {
    return findings.isEmpty()
        ? good("all is as it must be")
        : bad(Numbers.count(findings.size(), "finding"));
  }

  private String styled(Style style, String text) {
    return ansi.enabled() ? style.on() + text + Style.reset.off() : text;
  }
}
