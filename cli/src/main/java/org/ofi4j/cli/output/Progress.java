// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import me.tongfei.progressbar.ProgressState;

/**
 * Progress on standard error. On a terminal a bar, which appears when the work takes longer than a
 * blink and goes away when it is done; elsewhere a line each ten seconds. Safe for any thread.
 */
public final class Progress implements AutoCloseable {
  private static final Duration BLINK = Duration.ofMillis(300);
  private static final Duration BETWEEN_DRAWINGS = Duration.ofMillis(100);
  private static final Duration WITHOUT_TERMINAL = Duration.ofSeconds(10);

  private final Line line;
  private final ProgressBar bar;

  /**
   * Progress of something that begins now.
   *
   * @param task what is done, in one or two words
   * @param unit what is counted, such as {@code lines}
   * @param total how much there is to do, or -1 if nobody knows
   */
  public Progress(Terminal terminal, String task, String unit, long total) {
    this(terminal, task, unit, total, WITHOUT_TERMINAL);
  }

  /** Progress that says a line after each interval where no bar can be drawn. */
  Progress(Terminal terminal, String task, String unit, long total, Duration interval) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(total)
            // Else it draws a second time only after a step, whatever is noted meanwhile.
            .continuousUpdate()
            .clearDisplayOnFinish();
    if (terminal.errIsTerminal()) {
      line = new Line(terminal, BLINK);
      builder
          .setUpdateIntervalMillis((int) BETWEEN_DRAWINGS.toMillis())
          .setStyle(ProgressBarStyle.ASCII)
          .setUnit(" " + unit, 1)
          .showSpeed();
    } else {
      line = new Line(terminal, interval);
      builder
          .setUpdateIntervalMillis((int) interval.toMillis())
          .setRenderer((progress, width) -> width == 0 ? "" : sentence(progress, unit));
    }
    bar = builder.setConsumer(line).build();
  }

  private static String sentence(ProgressState progress, String unit) {
    String note = progress.getExtraMessage();
    return "ofi4j: %s, %s%s %s%s after %s"
        .formatted(
            progress.getTaskName(),
            Numbers.count(progress.getCurrent()),
            progress.isIndefinite() ? "" : " of " + Numbers.count(progress.getMax()),
            unit,
            note.isEmpty() ? "" : ", " + note,
            Numbers.duration(progress.getTotalElapsed().toNanos()));
  }

  public void at(long done) {
    bar.stepTo(done);
  }

  /** Says in a few words what the work waits for, in none that it waits for nothing. */
  public void note(String note) {
    bar.setExtraMessage(note);
  }

  /** Clears the line, so that something else can be printed on it. */
  public void clearLine() {
    line.clear();
  }

  @Override
  public void close() {
    line.closed = true;
    bar.close();
  }

  /** Draws over one line of a terminal, and keeps within it; elsewhere prints line after line. */
  private static final class Line implements ProgressBarConsumer {
    private static final int MAX_WIDTH = 100;

    private final Terminal terminal;
    private final long first;
    private volatile boolean closed;
    private volatile boolean drawn;

    Line(Terminal terminal, Duration silence) {
      this.terminal = terminal;
      this.first = System.nanoTime() + silence.toNanos();
    }

    /** None at the beginning and at the end: the bar draws there too. */
    @Override
    public int getMaxRenderedLength() {
      return closed || System.nanoTime() - first < 0
          ? 0
          : Math.min(terminal.errColumns() - 1, MAX_WIDTH);
    }

    @Override
    public void accept(String rendered) {
      if (rendered.isEmpty()) {
        return;
      }
      if (terminal.errIsTerminal()) {
        terminal.err().print("\r" + rendered);
        terminal.err().flush();
        drawn = true;
      } else {
        terminal.err().println(rendered);
      }
    }

    @Override
    public void clear() {
      if (drawn) {
        terminal.err().print("\r\033[K");
        terminal.err().flush();
      }
    }

    @Override
    public void close() {}
  }
}
